//! What the processor is and what this build uses of it: the line under every measurement.
//!
//! A node rate without its machine is no number. Reports therefore name the processor, the vector units that were
//! *detected* and those this binary was *compiled* to use (the compiler uses an instruction freely only when told that
//! every target machine has it), the frequency governor, and the system's rule for huge pages.

use std::fmt;
use std::path::Path;

use crate::tree;

/// The instruction sets of interest: bit counting and extraction for move generation, vectors for a network.
macro_rules! features {
    ($detect:path: $($name:tt)*) => {{
        use $detect as detect;
        vec![$(Feature { name: $name, detected: detect!($name), compiled: cfg!(target_feature = $name) }),*]
    }};
}

/// One instruction set extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name as `rustc -C target-feature` spells it.
    pub name: &'static str,
    /// Whether this processor, under this system, has it.
    pub detected: bool,
    /// Whether the compiler was told to use it anywhere it likes.
    pub compiled: bool,
}

/// `avx2` is used, `avx2 (unused)` is there but not compiled in, `no avx2` is missing.
impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.detected, self.compiled) {
            (true, true) => write!(f, "{}", self.name),
            (true, false) => write!(f, "{} (unused)", self.name),
            (false, _) => write!(f, "no {}", self.name),
        }
    }
}

/// The extensions that matter to a chess engine on this architecture; empty where there are none we know.
pub fn features() -> Vec<Feature> {
    #[cfg(target_arch = "x86_64")]
    return features!(std::arch::is_x86_feature_detected: "popcnt" "bmi1" "bmi2" "avx2" "avx512f" "avx512bw" "avx512vnni");
    #[cfg(target_arch = "aarch64")]
    return features!(std::arch::is_aarch64_feature_detected: "neon" "dotprod" "i8mm" "sve");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return Vec::new();
}

/// A description of this machine for reports. Its `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The processor's name as it gives it, such as "AMD EPYC"; `None` if the system does not say.
    pub model: Option<String>,
    /// The architecture the binary was compiled for, such as "x86_64".
    pub arch: &'static str,
    /// The system the binary was compiled for, such as "linux".
    pub os: &'static str,
    /// The logical CPUs this process may use: affinity and quota honoured.
    pub cpus: usize,
    /// See [`features`].
    pub features: Vec<Feature>,
    /// The frequency governor of the first CPU, such as "performance"; `None` in most virtual machines.
    pub governor: Option<String>,
    /// Who gets huge pages: "always", "madvise" (those who ask) or "never"; `None` if the system does not say.
    pub huge_pages: Option<String>,
}

impl Machine {
    /// This machine. What cannot be read is left out.
    pub fn detect() -> Self {
        Self::read(Path::new("/"))
    }

    fn read(root: &Path) -> Self {
        Self {
            model: model(root),
            arch: std::env::consts::ARCH,
            os: std::env::consts::OS,
            cpus: num_cpus::get(),
            features: features(),
            governor: tree::text(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            huge_pages: huge_pages(root),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_deref().unwrap_or("unknown processor");
        write!(f, "{model}, {} {}, {} CPUs", self.arch, self.os, self.cpus)?;
        for feature in &self.features {
            write!(f, ", {feature}")?;
        }
        if let Some(governor) = &self.governor {
            write!(f, ", governor {governor}")?;
        }
        if let Some(rule) = &self.huge_pages {
            write!(f, ", huge pages {rule}")?;
        }
        Ok(())
    }
}

/// x86 kernels name the processor in every block of `cpuinfo`; ARM kernels name the board in the device tree.
fn model(root: &Path) -> Option<String> {
    let board = || tree::text(root, "proc/device-tree/model");
    let name = tree::field(root, "proc/cpuinfo", "model name").or_else(board)?;
    let name = name.trim_end_matches('\0').split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
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
    use crate::tree::fake::machine;

    #[test]
    fn reads_a_machine() {
        let root = machine(&[
            ("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast  CPU @ 3 GHz\n\nprocessor\t: 1\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
        ]);
        let machine = Machine::read(root.path());
        assert_eq!(machine.model.as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!(machine.governor.as_deref(), Some("powersave"));
        assert_eq!(machine.huge_pages.as_deref(), Some("madvise"));
        let line = machine.to_string();
        assert!(
            line.starts_with("Fast CPU @ 3 GHz, ")
                && line.ends_with("governor powersave, huge pages madvise")
        );
        assert!(!line.contains('\n'));
    }

    #[test]
    fn reads_the_name_of_a_board() {
        let root = machine(&[("proc/cpuinfo", "processor : 0\n"), ("proc/device-tree/model", "Pi 5\0")]);
        assert_eq!(model(root.path()).as_deref(), Some("Pi 5"));
    }

    #[test]
    fn leaves_out_what_it_cannot_read() {
        let root = machine(&[
            ("proc/cpuinfo", "model name :\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "madvise]["),
        ]);
        let machine = Machine::read(root.path());
        assert_eq!((machine.model, machine.governor, machine.huge_pages), (None, None, None));
    }

    /// The kernel lists what it found in the same processor.
    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn detects_what_the_kernel_detects() {
        let flags = tree::field(Path::new("/"), "proc/cpuinfo", "flags").expect("x86 kernels list them");
        let flags: Vec<&str> = flags.split_whitespace().collect();
        for feature in features() {
            let name = if feature.name == "avx512vnni" { "avx512_vnni" } else { feature.name };
            assert_eq!(feature.detected, flags.contains(&name), "{name}");
            assert!(feature.detected || !feature.compiled, "this binary could not run here");
        }
    }
}
