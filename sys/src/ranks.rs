//! Whether this process is one of several that a launcher of MPI programs has started.

use std::process::Command;

/// One process among those that `mpirun` or `srun` has started together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Its number, from 0.
    pub rank: usize,
    /// How many there are, at least 2.
    pub ranks: usize,
    /// The variable that says so.
    pub variable: &'static str,
}

/// Variables with the number of processes and with the number of this one: Open MPI, MPICH and its relatives, Slurm.
/// A batch script of Slurm is no step and has neither of its last pair, or is number 0 of a step of one.
const PAIRS: [(&str, &str); 4] = [
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
    ("SLURM_NTASKS", "SLURM_PROCID"),
];

/// Beginnings of the names of variables by which a launcher speaks to its processes.
const PREFIXES: [&str; 6] = ["OMPI_", "PMIX_", "PMI_", "ORTE_", "SLURM_PROCID", "SLURM_STEP"];

/// Is this process one of several?
pub fn launched() -> Option<Launched> {
    launched_by(&|name| std::env::var(name).ok())
}

fn launched_by(variable: &dyn Fn(&str) -> Option<String>) -> Option<Launched> {
    let number = |name: &str| variable(name)?.parse::<usize>().ok();
    PAIRS.into_iter().find_map(|(size, rank)| {
        let (ranks, rank) = (number(size)?, number(rank)?);
        // The number of tasks of a whole job is set in its batch script as well, which is number 0.
        let in_step = size != "SLURM_NTASKS" || rank > 0;
        (ranks > 1 && in_step).then_some(Launched { rank, ranks, variable: size })
    })
}

/// A program that is started must not take itself for one of these processes.
pub fn forget(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if PREFIXES.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(variables: &[(&str, &str)]) -> Option<(usize, usize)> {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
        launched_by(&|name| find(name).map(|(_, value)| (*value).to_owned()))
            .map(|launched| (launched.rank, launched.ranks))
    }

    #[test]
    fn only_one_of_several_is_launched() {
        assert_eq!(among(&[]), None);
        assert_eq!(among(&[("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "3")]), Some((3, 4)));
        assert_eq!(among(&[("OMPI_COMM_WORLD_SIZE", "1"), ("OMPI_COMM_WORLD_RANK", "0")]), None);
        assert_eq!(among(&[("OMPI_COMM_WORLD_SIZE", "4")]), None);
        assert_eq!(among(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]), Some((0, 2)));
        assert_eq!(among(&[("SLURM_NTASKS", "4"), ("SLURM_PROCID", "0")]), None, "the batch script");
        assert_eq!(among(&[("SLURM_NTASKS", "4"), ("SLURM_PROCID", "1")]), Some((1, 4)));
        assert_eq!(among(&[("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_PROCID", "0")]), Some((0, 4)));
    }
}
