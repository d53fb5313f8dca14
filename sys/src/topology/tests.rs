//! Machines that we do not have, written out as files and read back.

use super::*;
use crate::tree::fake::{machine, write};
use tempfile::TempDir;

fn set(text: &str) -> CpuSet {
    text.parse().expect("the tests' own sets are well formed")
}

fn sets(texts: &[&str]) -> Vec<CpuSet> {
    texts.iter().map(|text| set(text)).collect()
}

/// Reads a fake machine with the thread bound to `affinity`. The system's own counts are nonsense on purpose:
/// they may not be used while the files are there.
fn read(root: &TempDir, affinity: &str) -> Topology {
    Topology::read(root.path(), &Known { affinity: Some(set(affinity)), logical: 99, physical: 77 })
}

/// Two sockets of four cores with two threads each, siblings eight apart as Linux numbers them; two caches to
/// a socket.
fn two_sockets() -> TempDir {
    let root = machine(&[
        ("sys/devices/system/cpu/online", "0-15\n"),
        ("sys/devices/system/node/online", "0-2\n"),
        ("sys/devices/system/node/node0/cpulist", "0-3,8-11\n"),
        ("sys/devices/system/node/node1/cpulist", "4-7,12-15\n"),
        // Memory without CPUs.
        ("sys/devices/system/node/node2/cpulist", "\n"),
    ]);
    for cpu in 0..16 {
        let core = cpu % 8;
        let (socket, pair) = (core / 4 * 4, core / 2 * 2);
        let file = |name: &str, text: String| {
            write(root.path(), &format!("sys/devices/system/cpu/cpu{cpu}/{name}"), &text);
        };
        file("topology/core_cpus_list", format!("{core},{}\n", core + 8));
        file(
            "topology/package_cpus_list",
            format!("{socket}-{},{}-{}\n", socket + 3, socket + 8, socket + 11),
        );
        file("cache/index0/level", "1\n".into());
        file("cache/index0/shared_cpu_list", format!("{core},{}\n", core + 8));
        file("cache/index1/level", "3\n".into());
        file("cache/index1/shared_cpu_list", format!("{pair}-{},{}-{}\n", pair + 1, pair + 8, pair + 9));
    }
    root
}

#[test]
fn reads_two_sockets_with_smt() {
    let topology = read(&two_sockets(), "0-15");
    assert_eq!(topology.online, Fact::new(set("0-15"), "/sys/devices/system/cpu/online"));
    assert_eq!(topology.cores.value, sets(&["0,8", "1,9", "2,10", "3,11", "4,12", "5,13", "6,14", "7,15"]));
    assert_eq!(topology.packages.value, sets(&["0-3,8-11", "4-7,12-15"]));
    assert_eq!(topology.caches.value, sets(&["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"]));
    assert_eq!(topology.nodes.value, sets(&["0-3,8-11", "4-7,12-15"]));
    assert_eq!((topology.kinds.value.clone(), topology.fastest_cores()), (sets(&["0-15"]), None));
    assert_eq!(topology.quota, None);
    let advice = topology.recommended_threads();
    assert_eq!(advice.threads, 8);
    assert!(advice.reasons.iter().any(|reason| reason.contains("8 physical cores")), "{advice}");
}

/// Each core has a thread before any has two, and neighbours share a cache; a core of which one CPU may be used has one
/// place.
#[test]
fn threads_fill_cores_before_siblings() {
    let [a, b, c, d] = ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"];
    let once = [a, a, b, b, c, c, d, d];
    assert_eq!(read(&two_sockets(), "0-15").thread_places(), sets(&[once, once].concat()));
    let (a, b) = ("0-1,8", "10");
    assert_eq!(read(&two_sockets(), "0-1,8,10").thread_places(), sets(&[a, a, b, a]));
}

/// Little cores that are numbered first, each kind with a cache of its own (as the RK3399 has them), and the other way
/// round; of the kinds in one domain the fastest counts.
#[test]
fn threads_fill_the_fastest_cores_first() {
    let capacities = [446, 446, 446, 446, 1024, 1024];
    let with = |capacities: [u32; 6], caches: [&str; 6]| {
        let root = machine(&[("sys/devices/system/cpu/online", "0-5")]);
        for (cpu, (capacity, cache)) in capacities.iter().zip(caches).enumerate() {
            let folder = format!("sys/devices/system/cpu/cpu{cpu}");
            write(root.path(), &format!("{folder}/cpu_capacity"), &capacity.to_string());
            write(root.path(), &format!("{folder}/topology/core_cpus_list"), &cpu.to_string());
            write(root.path(), &format!("{folder}/cache/index0/level"), "2");
            write(root.path(), &format!("{folder}/cache/index0/shared_cpu_list"), cache);
        }
        read(&root, "0-5").thread_places()
    };
    let (low, high) = ("0-3", "4-5");
    let caches = [low, low, low, low, high, high];
    assert_eq!(with(capacities, caches), sets(&[high, high, low, low, low, low]));
    assert_eq!(with([1024, 1024, 446, 446, 446, 446], caches), sets(&[low, low, low, low, high, high]));
    assert_eq!(with([446; 6], caches), sets(&[low, low, low, low, high, high]));
    assert_eq!(with(capacities, ["0-5"; 6]), sets(&["0-5"; 6]));
}

#[test]
fn honours_the_affinity_mask() {
    for (mask, threads) in [("0,8", 1), ("0-3", 4), ("0-1,8-11", 4), ("15", 1)] {
        let advice = read(&two_sockets(), mask).recommended_threads();
        assert_eq!(advice.threads, threads, "{mask}");
        assert!(advice.reasons.iter().any(|reason| reason.contains("affinity")), "{advice}");
    }
}

#[test]
#[cfg(unix)]
fn honours_the_quota() {
    let root = two_sockets();
    write(root.path(), "proc/self/cgroup", "0::/\n");
    for (max, threads) in
        [("150000 100000", 1), ("50000 100000", 1), ("300000 100000", 3), ("9900000 100000", 8)]
    {
        write(root.path(), "sys/fs/cgroup/cpu.max", max);
        assert_eq!(read(&root, "0-15").recommended_threads().threads, threads, "{max}");
    }
    write(root.path(), "sys/fs/cgroup/cpu.max", "150000 100000");
    let topology = read(&root, "0-15");
    assert_eq!(topology.quota, Some(Fact::new(1.5, "/sys/fs/cgroup/cpu.max")));
    let advice = topology.recommended_threads().to_string();
    let (more, single) = ("more threads would be stopped", "even a single thread is stopped");
    assert!(advice.contains(&format!("1.50 CPUs (/sys/fs/cgroup/cpu.max): {more}")), "{advice}");
    write(root.path(), "sys/fs/cgroup/cpu.max", "50000 100000");
    let advice = read(&root, "0-15").recommended_threads().to_string();
    assert!(advice.contains(&format!("0.50 CPUs (/sys/fs/cgroup/cpu.max): {single}")), "{advice}");
    write(root.path(), "sys/fs/cgroup/cpu.max", "max 100000");
    assert_eq!(read(&root, "0-15").quota, None);
}

/// Siblings count, other than for the number of threads that is recommended; of a quota its whole CPUs do.
#[test]
#[cfg(unix)]
fn as_many_cpus_are_usable_as_mask_and_quota_grant() {
    let root = two_sockets();
    write(root.path(), "proc/self/cgroup", "0::/\n");
    for (mask, max, wanted) in [
        ("0-15", "max 100000", 16),
        ("0-2,8", "max 100000", 4),
        ("0-15", "450000 100000", 4),
        ("0-15", "9900000 100000", 16),
        ("0,8", "450000 100000", 2),
        ("0-15", "50000 100000", 1),
    ] {
        write(root.path(), "sys/fs/cgroup/cpu.max", max);
        assert_eq!(read(&root, mask).usable(), wanted, "{mask}: {max}");
    }
}

/// Two packages that share no memory share no cache, whatever is not said of caches; packages of one CPU each, as some
/// virtual machines have them, say nothing.
#[test]
fn without_files_of_caches_packages_and_nodes_share_none() {
    let root = two_sockets();
    for cpu in 0..16 {
        let folder = root.path().join(format!("sys/devices/system/cpu/cpu{cpu}/cache"));
        std::fs::remove_dir_all(folder).expect("it is there");
    }
    let packages = ["0-3,8-11", "4-7,12-15"];
    let topology = read(&root, "0-15");
    assert_eq!(topology.caches.value, sets(&packages));
    assert!(topology.caches.is_assumed() && topology.caches.source.contains("package_cpus_list"));
    assert!(!topology.packages.is_assumed() && !topology.cores.is_assumed());
    assert_eq!(topology.sources()["caches"], topology.caches.source);
    assert_eq!(topology.sources()["quota"], "no control group sets one");

    // Nodes within the packages are finer.
    for (node, list) in ["0-1,8-9", "2-3,10-11", "4-7,12-15"].iter().enumerate() {
        write(root.path(), &format!("sys/devices/system/node/node{node}/cpulist"), list);
    }
    assert_eq!(read(&root, "0-15").cache_domains(), sets(&["0-1,8-9", "2-3,10-11", "4-7,12-15"]));

    for cpu in 0..16 {
        let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/package_cpus_list");
        write(root.path(), &file, &cpu.to_string());
    }
    std::fs::remove_dir_all(root.path().join("sys/devices/system/node")).expect("it is there");
    let topology = read(&root, "0-15");
    assert_eq!((topology.packages.value.len(), topology.cache_domains()), (16, sets(&["0-15"])));
    assert_eq!(topology.caches.source, "assumed: one cache for all");
}

/// A last level that each core has to itself, as where a virtual machine lists only the L1 and L2, says nothing of what
/// cores share.
#[test]
fn caches_of_single_cores_are_not_the_last_level() {
    let root = two_sockets();
    for cpu in 0..16 {
        let folder = root.path().join(format!("sys/devices/system/cpu/cpu{cpu}/cache/index1"));
        std::fs::remove_dir_all(folder).expect("it is there");
    }
    let topology = read(&root, "0-15");
    assert_eq!(topology.cache_domains(), sets(&["0-3,8-11", "4-7,12-15"]));
    assert!(topology.caches.is_assumed(), "{}", topology.caches.source);
}

#[test]
fn reads_an_intel_hybrid() {
    let root = machine(&[
        ("sys/devices/system/cpu/online", "0-7"),
        ("sys/devices/cpu_core/cpus", "0-3"),
        ("sys/devices/cpu_atom/cpus", "4-7"),
    ]);
    for (cpu, siblings) in ["0-1", "0-1", "2-3", "2-3", "4", "5", "6", "7"].iter().enumerate() {
        // The name that kernels before 5.3 use.
        let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        write(root.path(), &file, siblings);
    }
    let topology = read(&root, "0-7");
    assert_eq!(topology.kinds.value, sets(&["0-3", "4-7"]));
    assert_eq!(topology.cores.value, sets(&["0-1", "2-3", "4", "5", "6", "7"]));
    assert_eq!(topology.recommended_threads().threads, 6);
    // Siblings are one core, and a kind of which none may be used is none.
    for (mask, fastest) in
        [("0-7", Some(2)), ("1,3-5", Some(2)), ("0-1,7", Some(1)), ("4-7", None), ("0-3", None)]
    {
        assert_eq!(read(&root, mask).fastest_cores(), fastest, "{mask}");
    }
    // The fastest come first whatever their numbers.
    write(root.path(), "sys/devices/cpu_core/cpus", "4-6");
    write(root.path(), "sys/devices/cpu_atom/cpus", "0-2");
    assert_eq!(read(&root, "0-7").kinds.value, sets(&["4-6", "0-2", "3", "7"]));
}

#[test]
fn orders_kinds_by_capacity() {
    let root = machine(&[("sys/devices/system/cpu/online", "0-5")]);
    for (cpu, capacity) in [446, 446, 446, 446, 1024, 871].iter().enumerate() {
        write(root.path(), &format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity"), &capacity.to_string());
    }
    assert_eq!(read(&root, "0-5").kinds.value, sets(&["4", "5", "0-3"]));
    std::fs::remove_file(root.path().join("sys/devices/system/cpu/cpu0/cpu_capacity")).expect("it is there");
    assert_eq!(read(&root, "0-5").kinds.value, sets(&["4", "5", "1-3", "0"]));
}

#[test]
fn without_files_it_uses_the_systems_counts() {
    let known = Known { affinity: None, logical: 8, physical: 4 };
    let topology = Topology::read(machine(&[]).path(), &known);
    assert_eq!(topology.online.value, set("0-7"));
    assert_eq!(topology.allowed.value, set("0-7"));
    assert_eq!(topology.cores.value.len(), 4);
    assert_eq!((topology.packages.value.len(), topology.nodes.value.len()), (1, 1));
    assert!(topology.nodes.source.starts_with("assumed") && topology.nodes.is_assumed());
    assert!(topology.cores.is_assumed(), "which CPUs are siblings is a guess");
    assert_eq!(topology.recommended_threads().threads, 4);
    let nothing = Known { affinity: Some(CpuSet::default()), logical: 0, physical: 0 };
    assert_eq!(Topology::read(machine(&[]).path(), &nothing).recommended_threads().threads, 1);
}

/// A core has two threads or one on hybrid processors (16 cores with 24 threads), four on others; a count of cores that
/// are not all among the CPUs, or of none, says nothing about siblings.
#[test]
fn without_files_there_are_as_many_cores_as_the_system_counts() {
    let sizes = |logical, physical| -> Vec<usize> {
        let known = Known { affinity: None, logical, physical };
        let topology = Topology::read(machine(&[]).path(), &known);
        assert_partitions(&topology);
        topology.cores.value.iter().map(CpuSet::count).collect()
    };
    assert_eq!(sizes(24, 16), [[2; 8], [1; 8]].concat());
    assert_eq!(sizes(16, 4), [4; 4]);
    assert_eq!(sizes(6, 6), [1; 6]);
    assert_eq!(sizes(7, 3), [3, 2, 2]);
    for physical in [0, 5, 64] {
        assert_eq!(sizes(4, physical), [1; 4], "{physical}");
    }
    let known = Known { affinity: None, logical: 24, physical: 16 };
    assert_eq!(Topology::read(machine(&[]).path(), &known).recommended_threads().threads, 16);
}

/// A container may be shown the first four CPUs whichever of the machine's it has.
#[test]
fn a_file_without_the_masks_cpus_is_wrong() {
    for mask in ["8-11", "2-5", "15"] {
        let root = two_sockets();
        write(root.path(), "sys/devices/system/cpu/online", "0-3\n");
        let topology = read(&root, mask);
        assert_eq!((&topology.online.value, &topology.allowed.value), (&set(mask), &set(mask)));
        assert!(topology.online.source.contains("affinity"), "{}", topology.online.source);
        assert_partitions(&topology);
    }
    let topology = read(&two_sockets(), "8-11");
    assert_eq!((topology.online.value, topology.allowed.value), (set("0-15"), set("8-11")));
}

#[test]
fn without_files_the_affinity_mask_says_which_cpus_there_are() {
    let known = Known { affinity: Some(set("4,6")), logical: 2, physical: 2 };
    let topology = Topology::read(machine(&[]).path(), &known);
    assert_eq!(topology.online.value, set("4,6"));
    assert_eq!(topology.allowed.value, set("4,6"));
}

/// Every group list of a topology is a partition of the online CPUs, or the callers' sums are wrong.
fn assert_partitions(topology: &Topology) {
    for fact in [&topology.cores, &topology.packages, &topology.caches, &topology.nodes, &topology.kinds] {
        let mut all: Vec<usize> = fact.value.iter().flat_map(CpuSet::iter).collect();
        all.sort_unstable();
        assert_eq!(all, topology.online.value.iter().collect::<Vec<_>>(), "{}", fact.source);
        assert!(fact.value.iter().all(|group| !group.is_empty()), "{}", fact.source);
    }
}

#[test]
fn garbled_files_do_no_harm() {
    let lists =
        ["", "x", "0-", "5-2", "0-99999999999", "9", "0-3", "2-5", "\u{0}\u{1}", "-1", "1,2,3,", "8191"];
    for online in lists {
        for list in lists {
            let root = machine(&[("sys/devices/system/cpu/online", online)]);
            for cpu in 0..4 {
                // Each CPU tells another story.
                let list = if cpu % 2 == 0 { list } else { "1-2" };
                for file in
                    ["topology/core_cpus_list", "topology/package_cpus_list", "cache/index0/shared_cpu_list"]
                {
                    write(root.path(), &format!("sys/devices/system/cpu/cpu{cpu}/{file}"), list);
                }
                write(root.path(), &format!("sys/devices/system/cpu/cpu{cpu}/cache/index0/level"), "2");
                write(root.path(), &format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity"), list);
            }
            write(root.path(), "sys/devices/system/node/online", list);
            write(root.path(), "sys/devices/system/node/node0/cpulist", list);
            write(root.path(), "sys/devices/cpu_atom/cpus", list);
            let topology = read(&root, "0-3");
            assert_partitions(&topology);
            assert!(!topology.allowed.value.is_empty());
            assert!((1..=topology.online.value.count()).contains(&topology.recommended_threads().threads));
        }
    }
}

#[test]
fn a_cpu_missing_from_the_files_stands_alone_and_is_reported() {
    let root = two_sockets();
    write(root.path(), "sys/devices/system/cpu/cpu5/topology/core_cpus_list", "garbage");
    write(root.path(), "sys/devices/system/cpu/cpu13/topology/core_cpus_list", "garbage");
    let cores = read(&root, "0-15").cores;
    assert_eq!(cores.value.len(), 9);
    assert!(cores.source.ends_with("; 2 CPUs are not in it"), "{}", cores.source);
}

#[test]
fn this_machine_agrees_with_num_cpus() {
    let topology = Topology::detect();
    assert_partitions(&topology);
    assert!(topology.recommended_threads().threads <= num_cpus::get());
    if cfg!(target_os = "linux") && topology.quota.is_none() {
        assert_eq!(topology.allowed.value.count(), num_cpus::get());
    }
    let text = topology.to_string();
    assert_eq!(text.lines().count(), 8, "{text}");
    assert!(text.lines().all(|line| line.starts_with(char::is_alphabetic)), "{text}");
}
