//! What the machine is: processor, caches, memory, system.
//!
//! A node rate without its machine is no number. Of the instruction sets only those are named that this
//! binary was *compiled* to use anywhere; code that asks the processor when it runs, as the network does,
//! says itself what it uses.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::memory::Memory;
use crate::topology::Topology;
use crate::tree;

const CPU: &str = "sys/devices/system/cpu";

/// A description of this machine for reports. Its `Display` is one line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name as it gives it, such as "AMD EPYC"; `None` if the system does not say.
    pub model: Option<String>,
    /// The architecture the binary was compiled for, such as "x86_64".
    pub arch: String,
    /// Instruction sets beyond the architecture's baseline that the compiler was told to use.
    pub compiled_for: Vec<String>,
    /// The logical CPUs this process may use at once: see [`Topology::usable`].
    pub cpus: usize,
    /// The logical CPUs that are switched on.
    pub threads: usize,
    /// The physical cores they belong to.
    pub cores: usize,
    /// How many kinds of core there are; here and below 0 in files from before it was kept.
    #[serde(default)]
    pub kinds: usize,
    /// The processor packages (sockets).
    #[serde(default)]
    pub packages: usize,
    /// The memory (NUMA) nodes.
    #[serde(default)]
    pub nodes: usize,
    /// The caches of the first CPU that is switched on, such as "L1d 32 KiB"; empty if the system does not say.
    pub caches: Vec<String>,
    /// Memory this process may use, in bytes; `None` if the system does not say.
    pub memory: Option<u64>,
    /// The system and its kernel, such as "Linux 6.1.0 (Debian GNU/Linux 12)".
    pub system: String,
    /// The frequency governor of that CPU, such as "performance"; `None` in most virtual machines.
    pub governor: Option<String>,
    /// Who gets huge pages: "always", "madvise" (those who ask) or "never"; `None` if the system does not
    /// say.
    pub huge_pages: Option<String>,
}

impl Machine {
    /// This machine. What cannot be read is left out.
    pub fn detect() -> Self {
        Self::read(Path::new("/"), &Topology::detect(), Memory::detect())
    }

    fn read(root: &Path, topology: &Topology, memory: Option<Memory>) -> Self {
        // CPU 0 may be switched off, or another container's.
        let first = format!("{CPU}/cpu{}", topology.online.value.lowest().unwrap_or(0));
        Self {
            model: model(root),
            arch: std::env::consts::ARCH.to_owned(),
            compiled_for: compiled_for(),
            cpus: topology.usable(),
            threads: topology.online.value.count(),
            cores: topology.cores.value.len(),
            kinds: topology.kinds.value.len(),
            packages: topology.packages.value.len(),
            nodes: topology.nodes.value.len(),
            caches: caches(root, &first),
            memory: memory.map(|memory| memory.total),
            system: system(root),
            governor: tree::text(root, format!("{first}/cpufreq/scaling_governor")),
            huge_pages: huge_pages(root),
        }
    }

    /// The processor's name, also where the system does not say it.
    pub fn processor(&self) -> &str {
        self.model.as_deref().unwrap_or("unknown processor")
    }

    /// Cores and threads, such as "4 cores, 8 threads, 2 usable"; and what makes cores differ, such as "2 packages".
    pub fn size(&self) -> String {
        let mut text = counted(self.cores, "core") + ", " + &counted(self.threads, "thread");
        if self.cpus != self.threads {
            text += &format!(", {} usable", self.cpus);
        }
        for (count, what) in
            [(self.kinds, "kinds of core"), (self.packages, "packages"), (self.nodes, "memory nodes")]
        {
            if count > 1 {
                text += &format!(", {count} {what}");
            }
        }
        text
    }

    /// The memory, such as "15.6 GiB".
    pub fn memory_text(&self) -> Option<String> {
        self.memory.map(|bytes| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64))
    }
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.processor(), self.arch)?;
        for name in &self.compiled_for {
            write!(f, " {name}")?;
        }
        write!(f, "), {}", self.size())?;
        if !self.caches.is_empty() {
            write!(f, ", {}", self.caches.join(" "))?;
        }
        if let Some(memory) = self.memory_text() {
            write!(f, ", {memory} memory")?;
        }
        write!(f, ", {}", self.system)?;
        if let Some(governor) = &self.governor {
            write!(f, ", governor {governor}")?;
        }
        if let Some(rule) = &self.huge_pages {
            write!(f, ", huge pages {rule}")?;
        }
        Ok(())
    }
}

/// Of the instruction sets that matter to a chess engine, those the compiler was told to use anywhere it
/// likes.
pub fn compiled_for() -> Vec<String> {
    macro_rules! compiled {
        ($($name:tt)*) => { [$(($name, cfg!(target_feature = $name))),*] };
    }
    let known =
        compiled!("popcnt" "bmi1" "bmi2" "avx2" "avx512f" "avx512bw" "avx512vnni" "dotprod" "i8mm" "sve");
    known.iter().filter(|(_, used)| *used).map(|(name, _)| (*name).to_owned()).collect()
}

/// The caches that serve the CPU with this folder, those of instructions left out.
fn caches(root: &Path, cpu: &str) -> Vec<String> {
    let cache = |index: usize| {
        let fact = |name: &str| tree::text(root, format!("{cpu}/cache/index{index}/{name}"));
        let (level, kind, size) = (fact("level")?, fact("type")?, fact("size")?);
        let letter = match kind.as_str() {
            "Instruction" => return None,
            "Data" => "d",
            _ => "",
        };
        let kibibytes: u64 = size.strip_suffix('K')?.parse().ok()?;
        let size = match kibibytes {
            whole if whole >= 1024 && whole.is_multiple_of(1024) => format!("{} MiB", whole / 1024),
            other => format!("{other} KiB"),
        };
        Some(format!("L{level}{letter} {size}"))
    };
    (0..8).filter_map(cache).collect()
}

fn system(root: &Path) -> String {
    let kernel = tree::text(root, "proc/sys/kernel/osrelease");
    let name = tree::text(root, "etc/os-release").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
        Some(line.trim_matches('"').to_owned())
    });
    let mut text = match std::env::consts::OS {
        "linux" => "Linux".to_owned(),
        other => other.to_owned(),
    };
    text.extend(kernel.map(|kernel| format!(" {kernel}")));
    text.extend(name.map(|name| format!(" ({name})")));
    text
}

/// x86 kernels name the processor in every block of `cpuinfo`; ARM kernels name the board in the device tree, or, as on
/// servers, give numbers only.
fn model(root: &Path) -> Option<String> {
    let board = || tree::text(root, "proc/device-tree/model");
    let name = tree::field(root, "proc/cpuinfo", "model name").or_else(board).or_else(|| arm_cores(root))?;
    let name = name.trim_end_matches('\0').split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

/// The cores by the numbers that ARM kernels have in every block of `cpuinfo`, each kind once.
fn arm_cores(root: &Path) -> Option<String> {
    let text = tree::text(root, "proc/cpuinfo")?;
    let number = |value: &str| u32::from_str_radix(value.trim().strip_prefix("0x")?, 16).ok();
    let mut names: Vec<String> = Vec::new();
    let mut implementer = None;
    for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
        match key.trim() {
            "CPU implementer" => implementer = number(value),
            "CPU part" => {
                let name = implementer.zip(number(value)).map(arm_core);
                names.extend(name.filter(|name| !names.contains(name)));
            }
            _ => {}
        }
    }
    (!names.is_empty()).then(|| names.join(" + "))
}

/// The name of a core by the number of its implementer and by the number that this one has given it (Arm's Main ID
/// Register; Linux, arch/arm64/include/asm/cputype.h).
fn arm_core((implementer, part): (u32, u32)) -> String {
    let maker = match implementer {
        0x41 => "Arm",
        0x48 => "HiSilicon",
        0x61 => "Apple",
        0xc0 => "Ampere",
        _ => return format!("ARM implementer {implementer:#x}, part {part:#x}"),
    };
    let core = match (implementer, part) {
        (0x41, 0xd03) => "Cortex-A53",
        (0x41, 0xd08) => "Cortex-A72",
        (0x41, 0xd0b) => "Cortex-A76",
        (0x41, 0xd0c) => "Neoverse N1",
        (0x41, 0xd40) => "Neoverse V1",
        (0x41, 0xd49) => "Neoverse N2",
        (0x41, 0xd4f) => "Neoverse V2",
        _ => return format!("{maker}, part {part:#x}"),
    };
    format!("{maker} {core}")
}

/// The choice in force is the one in brackets: `always [madvise] never`.
fn huge_pages(root: &Path) -> Option<String> {
    let choices = tree::text(root, "sys/kernel/mm/transparent_hugepage/enabled")?;
    let (_, rest) = choices.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::CpuSet;
    use crate::topology::Fact;
    use crate::tree::fake::{machine, write};

    /// Four threads on two cores, behind two CPUs that are switched off, and a quota: the shape is the topology's
    /// affair.
    fn topology() -> Topology {
        let mut topology = Topology::detect();
        topology.online.value = "2-5".parse().expect("it is well formed");
        topology.allowed.value = topology.online.value.clone();
        topology.quota = Some(Fact { value: 3.7, source: String::new() });
        topology.cores.value = ["2-3", "4-5"].map(|core| core.parse().expect("it is well formed")).to_vec();
        for whole in [&mut topology.kinds, &mut topology.packages, &mut topology.nodes] {
            whole.value = vec![topology.online.value.clone()];
        }
        topology
    }

    fn read(root: &Path) -> Machine {
        Machine::read(root, &topology(), Memory::read(root))
    }

    #[test]
    fn reads_a_machine() {
        let root = machine(&[
            ("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast  CPU @ 3 GHz\n\nprocessor\t: 1\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
        ]);
        for (index, level, kind, size) in
            [(0, "1", "Data", "48K"), (1, "1", "Instruction", "32K"), (2, "2", "Unified", "2048K")]
        {
            let cache = format!("{CPU}/cpu2/cache/index{index}");
            write(root.path(), &format!("{cache}/level"), level);
            write(root.path(), &format!("{cache}/type"), kind);
            write(root.path(), &format!("{cache}/size"), size);
        }
        write(root.path(), "proc/meminfo", "MemTotal:       16777216 kB\n");
        write(root.path(), "proc/sys/kernel/osrelease", "6.1.0-9\n");
        write(root.path(), "etc/os-release", "ID=x\nPRETTY_NAME=\"Some System 12\"\n");
        let machine = read(root.path());
        assert_eq!(machine.model.as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!(machine.governor.as_deref(), Some("powersave"));
        assert_eq!(machine.huge_pages.as_deref(), Some("madvise"));
        let line = machine.to_string();
        let facts = "2 cores, 4 threads, 3 usable, L1d 48 KiB L2 2 MiB, 16.0 GiB memory, ";
        assert!(line.starts_with("Fast CPU @ 3 GHz (") && line.contains(facts), "{line}");
        assert!(line.ends_with("6.1.0-9 (Some System 12), governor powersave, huge pages madvise"), "{line}");
        assert!(!line.contains('\n'));
    }

    #[test]
    fn reads_the_name_of_a_board() {
        let root = machine(&[("proc/cpuinfo", "processor : 0\n"), ("proc/device-tree/model", "Pi 5\0")]);
        assert_eq!(model(root.path()).as_deref(), Some("Pi 5"));
    }

    /// Cores that are not alike or far from each other make a machine on which threads gain less.
    #[test]
    fn tells_of_kinds_of_core_packages_and_memory_nodes() {
        let root = machine(&[("proc/cpuinfo", "model name : X\n")]);
        let cores = topology().cores.value;
        let line = |change: fn(&mut Topology, Vec<CpuSet>)| {
            let mut topology = topology();
            change(&mut topology, cores.clone());
            Machine::read(root.path(), &topology, None).to_string()
        };
        let alike = line(|_, _| ());
        assert!(alike.contains("2 cores, 4 threads, 3 usable, ") && !alike.contains("packages"), "{alike}");
        let hybrid = line(|topology, cores| topology.kinds.value = cores);
        assert!(hybrid.contains("4 threads, 3 usable, 2 kinds of core, "), "{hybrid}");
        let sockets = line(|topology, cores| {
            topology.packages.value.clone_from(&cores);
            topology.nodes.value = cores;
        });
        assert!(sockets.contains("4 threads, 3 usable, 2 packages, 2 memory nodes, "), "{sockets}");
    }

    /// As Linux writes them: a server by Ampere, a board with cores of two kinds, and cores that have no name here.
    #[test]
    fn arm_cores_have_names_by_their_numbers() {
        let block = |implementer: &str, part: &str| {
            format!(
                "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: {implementer}\n\
                 CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: {part}\nCPU revision\t: 1\n\n"
            )
        };
        type Cores = &'static [(&'static str, &'static str)];
        let machines: [(Cores, Option<&str>); 7] = [
            (&[("0x41", "0xd0c"), ("0x41", "0xd0c")], Some("Arm Neoverse N1")),
            (&[("0x41", "0xd4f")], Some("Arm Neoverse V2")),
            (&[("0x41", "0xd03"), ("0x41", "0xd08")], Some("Arm Cortex-A53 + Arm Cortex-A72")),
            (&[("0xc0", "0xac3")], Some("Ampere, part 0xac3")),
            (&[("0x41", "0xfff")], Some("Arm, part 0xfff")),
            (&[("0x99", "0x001")], Some("ARM implementer 0x99, part 0x1")),
            (&[("many", "0xd0c"), ("0x41", "")], None),
        ];
        for (cores, wanted) in machines {
            let text: String = cores.iter().map(|&(implementer, part)| block(implementer, part)).collect();
            let root = machine(&[("proc/cpuinfo", text.as_str())]);
            assert_eq!(model(root.path()).as_deref(), wanted, "{cores:?}");
        }
    }

    #[test]
    fn leaves_out_what_it_cannot_read() {
        let root = machine(&[
            ("proc/cpuinfo", "model name :\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "madvise]["),
        ]);
        write(root.path(), &format!("{CPU}/cpu2/cache/index0/size"), "many");
        let machine = read(root.path());
        assert_eq!((&machine.model, &machine.governor, &machine.huge_pages), (&None, &None, &None));
        assert_eq!((&machine.caches, machine.memory), (&Vec::new(), None));
        assert!(machine.to_string().starts_with("unknown processor ("), "{machine}");
    }

    /// What the compiler may use anywhere this processor must have, or the test could not run.
    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn names_only_instructions_that_the_processor_has() {
        let flags = tree::field(Path::new("/"), "proc/cpuinfo", "flags").expect("x86 kernels list them");
        let flags: Vec<&str> = flags.split_whitespace().collect();
        for name in compiled_for() {
            let name = if name == "avx512vnni" { "avx512_vnni" } else { &name };
            assert!(flags.contains(&name), "{name}");
        }
    }
}
