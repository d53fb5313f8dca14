//! The limits of a container or a service: Linux control groups, versions 1 and 2.
//!
//! A process belongs to a group in a tree of groups, and the tightest limit on the way from its own group to
//! the root binds; of memory also the one that leaves least, since a group's use is that of all groups in it.
//! `/proc/self/cgroup` names the group; inside a container that name may mean a place that is not visible, so
//! every ancestor that exists is asked, down to the top of the mounted tree, which then is the container itself.

use std::path::{Component, Path, PathBuf};

use crate::tree;

const MOUNT: &str = "sys/fs/cgroup";

/// A limit and the file (relative to the root) it was read from.
pub(crate) struct Limit<T> {
    pub value: T,
    pub file: PathBuf,
}

/// The tightest CPU quota (of equal ones the innermost), in CPUs: 1.5 means 150 ms of CPU time in every 100 ms, over
/// all threads. `None`: no quota.
pub(crate) fn cpu_quota(root: &Path) -> Option<Limit<f64>> {
    let groups = groups(root, "cpu");
    let quotas = groups.iter().filter_map(|group| quota_of(root, group));
    quotas.min_by(|one, other| one.value.total_cmp(&other.value))
}

/// What a single group may use, if it has a quota.
fn quota_of(root: &Path, group: &Path) -> Option<Limit<f64>> {
    let (quota, period, file) = match tree::text(root, group.join("cpu.max")) {
        Some(text) => {
            let (quota, period) = text.split_once(' ')?;
            (quota.parse::<f64>().ok()?, period.parse::<f64>().ok()?, group.join("cpu.max"))
        }
        None => (
            tree::value(root, group.join("cpu.cfs_quota_us"))?,
            tree::value(root, group.join("cpu.cfs_period_us"))?,
            group.join("cpu.cfs_quota_us"),
        ),
    };
    // Version 1 writes -1 for "no quota", version 2 writes "max", which is no number.
    (quota > 0.0 && period > 0.0).then(|| Limit { value: quota / period, file })
}

/// What the groups leave of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryLimit {
    /// Bytes that may be used at all.
    pub limit: u64,
    /// Bytes that may still be used: in one of the groups, not always that of the limit, others may have used more.
    pub room: u64,
}

/// The tightest memory limit (of equal ones the innermost), and the least room in any group. `None`: no limit
/// (version 1 writes a huge number then, which the caller must cap).
pub(crate) fn memory_limit(root: &Path) -> Option<Limit<MemoryLimit>> {
    let limits: Vec<_> = groups(root, "memory").iter().filter_map(|group| memory_of(root, group)).collect();
    let room = limits.iter().map(|limit| limit.value.room).min()?;
    let least = limits.into_iter().min_by_key(|limit| limit.value.limit)?;
    Some(Limit { value: MemoryLimit { room, ..least.value }, ..least })
}

/// What a single group leaves, if it has a limit.
fn memory_of(root: &Path, group: &Path) -> Option<Limit<MemoryLimit>> {
    let (limit, usage) = if tree::text(root, group.join("memory.max")).is_some() {
        ("memory.max", "memory.current")
    } else {
        ("memory.limit_in_bytes", "memory.usage_in_bytes")
    };
    let file = group.join(limit);
    let limit: u64 = tree::value(root, &file)?;
    let usage: u64 = tree::value(root, group.join(usage)).unwrap_or(0);
    // Cached file contents count as used, but make room when memory is asked for. Version 1 counts those of the
    // groups in this one, whose use is part of its own, under another name.
    let stat = tree::text(root, group.join("memory.stat")).unwrap_or_default();
    let counted =
        |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let droppable = counted("total_inactive_file ").or_else(|| counted("inactive_file ")).unwrap_or_default();
    let room = limit.saturating_sub(usage.saturating_sub(droppable));
    Some(Limit { value: MemoryLimit { limit, room }, file })
}

/// The folders (relative to the root) that may limit this process by `controller`, innermost first.
fn groups(root: &Path, controller: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for line in tree::text(root, "proc/self/cgroup").unwrap_or_default().lines() {
        // "hierarchy:controllers:group", where version 2 has no controllers: "0::/user.slice".
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let mounts = match controllers {
            "" => vec![PathBuf::from(MOUNT), Path::new(MOUNT).join("unified")],
            list if list.split(',').any(|name| name == controller) => {
                vec![Path::new(MOUNT).join(list), Path::new(MOUNT).join(controller)]
            }
            _ => continue,
        };
        // A group outside the visible tree is written with "..": of such a name only the mounted top is
        // meaningful.
        let named = Path::new(group).components().filter(|part| *part != Component::RootDir);
        let inside = named.clone().all(|part| matches!(part, Component::Normal(_)));
        let group: PathBuf = if inside { named.collect() } else { PathBuf::new() };
        for mount in mounts {
            folders.extend(group.ancestors().map(|ancestor| mount.join(ancestor)));
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fake::{machine, write};

    fn quota(files: &[(&str, &str)]) -> Option<f64> {
        cpu_quota(machine(files).path()).map(|limit| limit.value)
    }

    #[test]
    fn reads_a_version_2_quota() {
        let own = ("proc/self/cgroup", "0::/pod/box\n");
        assert_eq!(quota(&[own, ("sys/fs/cgroup/pod/box/cpu.max", "150000 100000\n")]), Some(1.5));
        assert_eq!(quota(&[own, ("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n")]), None);
    }

    #[test]
    fn an_ancestor_may_be_tighter() {
        let files = [
            ("proc/self/cgroup", "0::/pod/box\n"),
            ("sys/fs/cgroup/pod/box/cpu.max", "400000 100000\n"),
            ("sys/fs/cgroup/pod/cpu.max", "200000 100000\n"),
        ];
        let root = machine(&files);
        let limit = cpu_quota(root.path()).expect("two groups set one");
        assert_eq!((limit.value, limit.file), (2.0, "sys/fs/cgroup/pod/cpu.max".into()));
    }

    #[test]
    fn a_container_sees_its_own_group_at_the_top() {
        for own in ["0::/\n", "0::/docker/0123\n", "0::/../../other\n"] {
            let files = [("proc/self/cgroup", own), ("sys/fs/cgroup/cpu.max", "50000 100000\n")];
            assert_eq!(quota(&files), Some(0.5), "{own}");
        }
    }

    #[test]
    fn reads_a_version_1_quota() {
        let own = ("proc/self/cgroup", "7:cpu,cpuacct:/box\n0::/\n");
        let period = ("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
        let quota_file = "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us";
        assert_eq!(quota(&[own, period, (quota_file, "300000\n")]), Some(3.0));
        assert_eq!(quota(&[own, period, (quota_file, "-1\n")]), None);
    }

    #[test]
    fn nonsense_is_no_limit() {
        let own = ("proc/self/cgroup", "0::/\n");
        for text in ["", "max", "a b", "100000", "100000 0", "0 100000", "-5 100000", "NaN 1", "1 \u{0}"] {
            assert_eq!(quota(&[own, ("sys/fs/cgroup/cpu.max", text)]), None, "{text:?}");
        }
        assert_eq!(quota(&[("proc/self/cgroup", "::::\nx\n\n9:cpu\n")]), None);
        assert_eq!(quota(&[]), None);
    }

    #[test]
    fn reads_memory_limits_of_both_versions() {
        let v2 = machine(&[
            ("proc/self/cgroup", "0::/box\n"),
            ("sys/fs/cgroup/box/memory.max", "1000000\n"),
            ("sys/fs/cgroup/box/memory.current", "700000\n"),
            ("sys/fs/cgroup/box/memory.stat", "anon 400000\ninactive_file 200000\n"),
        ]);
        let limit = memory_limit(v2.path()).expect("the group has one").value;
        assert_eq!((limit.limit, limit.room), (1_000_000, 500_000));
        let v1 = machine(&[
            ("proc/self/cgroup", "4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "6000\n"),
        ]);
        let limit = memory_limit(v1.path()).expect("the group has one").value;
        assert_eq!((limit.limit, limit.room), (5000, 0));
        // What may be dropped in the groups inside it is among the 6000.
        let file = "sys/fs/cgroup/memory/memory.stat";
        write(v1.path(), file, "cache 900\ninactive_file 100\ntotal_cache 3000\ntotal_inactive_file 2500\n");
        let limit = memory_limit(v1.path()).expect("the group has one").value;
        assert_eq!((limit.limit, limit.room), (5000, 1500));
        let unlimited = machine(&[("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/memory.max", "max\n")]);
        assert!(memory_limit(unlimited.path()).is_none());
    }
}
