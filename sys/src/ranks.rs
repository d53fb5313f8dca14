//! Whether this process is one of several that a launcher of MPI programs has started.

use crate::affinity::CpuSet;
use crate::topology::Topology;
use std::ffi::OsString;
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

/// Variables with the number of this process among those of its machine: Open MPI, MPICH and its relatives, Slurm.
/// Slurm comes last: in a batch script its own number is that of the script.
const LOCAL: [&str; 3] = ["OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"];

/// Variables with the number of a process that a launcher has started, be it the only one. Not Slurm's own, which are
/// those of a batch script as well.
const NUMBERS: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];

/// The variable by which Open MPI (version 4) says that it has bound a process that it has started.
const BOUND: &str = "OMPI_MCA_orte_bound_at_launch";

/// Beginnings of the names of variables by which a launcher speaks to its processes.
const PREFIXES: [&str; 6] = ["OMPI_", "PMIX_", "PMI_", "ORTE_", "SLURM_PROCID", "SLURM_STEP"];
/// What a user allows every `mpirun` begins like this.
const ALLOWED: &str = "OMPI_ALLOW_RUN_AS_ROOT";

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

/// A program that is started must not take itself for one of these processes. Where this process is none of them, the
/// program gets the user's settings of MPI as they are.
pub fn forget(command: &mut Command) {
    let names: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).collect();
    for name in forgotten(&names, &|name| std::env::var(name).ok()) {
        command.env_remove(name);
    }
}

/// Those of these variables by which a launcher speaks to this process.
fn forgotten<'n>(names: &'n [OsString], variable: &dyn Fn(&str) -> Option<String>) -> Vec<&'n OsString> {
    let is_numbered = NUMBERS.iter().any(|number| variable(number).is_some());
    if !is_numbered && launched_by(variable).is_none() {
        return Vec::new();
    }
    let speaks = |name: &&OsString| {
        let name = name.to_string_lossy();
        PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !name.starts_with(ALLOWED)
    };
    names.iter().filter(speaks).collect()
}

/// Where the threads of this process are to run, in the order of their numbers: [`Topology::thread_places`], beginning
/// behind those of the processes before it on this machine, which have `threads` threads each as well. Never empty.
pub fn thread_places(threads: usize) -> Vec<CpuSet> {
    let local = local(&|name| std::env::var(name).ok());
    behind(Topology::detect().thread_places(), local.saturating_mul(threads))
}

/// Is this process the first of its machine among those that were started together? So is one that was started alone,
/// and each of them where their launcher does not number them by machine.
pub fn is_first_here() -> bool {
    local(&|name| std::env::var(name).ok()) == 0
}

/// Does the launcher say that it has bound this process to some of the machine's processors?
pub fn is_bound() -> bool {
    std::env::var_os(BOUND).is_some()
}

/// The number of this process among those of its machine, from 0; 0 for one that is not one of several.
fn local(variable: &dyn Fn(&str) -> Option<String>) -> usize {
    let number = || LOCAL.iter().find_map(|name| variable(name)?.parse().ok());
    launched_by(variable).and_then(|_| number()).unwrap_or(0)
}

/// The same places, so many of which are taken and come last.
fn behind<P>(mut places: Vec<P>, taken: usize) -> Vec<P> {
    let first = taken.checked_rem(places.len()).unwrap_or(0);
    places.rotate_left(first);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An environment of these variables.
    fn environment(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    fn among(variables: &[(&str, &str)]) -> Option<(usize, usize)> {
        launched_by(&environment(variables)).map(|launched| (launched.rank, launched.ranks))
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

    #[test]
    fn a_program_forgets_the_launcher_and_not_its_user() {
        let own = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_btl", "PATH"];
        let forgets = |more: &[(&str, &str)]| {
            let variables = [&own.map(|name| (name, "1"))[..], more].concat();
            let names: Vec<OsString> = variables.iter().map(|(name, _)| OsString::from(name)).collect();
            let forgotten = forgotten(&names, &environment(&variables)).into_iter();
            forgotten.map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(forgets(&[]), [""; 0]);
        for rank in NUMBERS {
            assert_eq!(forgets(&[(rank, "0")]), ["OMPI_MCA_btl", rank], "the only one, or the first");
        }
        let [number, next] = ["0", "1"].map(|number| ("SLURM_PROCID", number));
        let (job, step) = (("SLURM_NTASKS", "4"), ("SLURM_STEP_NUM_TASKS", "4"));
        for script in [&[number][..], &[number, job], &[number, ("SLURM_STEP_NUM_TASKS", "1")]] {
            assert_eq!(forgets(script), [""; 0], "a batch script");
        }
        assert_eq!(forgets(&[next, job]), ["OMPI_MCA_btl", "SLURM_PROCID"]);
        assert_eq!(forgets(&[number, step]), ["OMPI_MCA_btl", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"]);
        // `mpirun` in a batch script.
        let within = forgets(&[number, job, ("OMPI_COMM_WORLD_RANK", "0")]);
        assert_eq!(within, ["OMPI_MCA_btl", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"]);
    }

    #[test]
    fn processes_of_one_machine_have_places_of_their_own() {
        let [size, rank] = [("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "3")];
        let second = |name| (name, "1");
        assert_eq!(local(&environment(&[size, rank])), 0);
        for name in LOCAL {
            assert_eq!(local(&environment(&[size, rank, second(name)])), 1);
            assert_eq!(local(&environment(&[second(name)])), 0, "an engine that one of them has started");
        }
        let both = [("PMI_SIZE", "4"), ("PMI_RANK", "1"), ("SLURM_LOCALID", "0"), ("MPI_LOCALRANKID", "1")];
        assert_eq!(local(&environment(&both)), 1);
        for (taken, places) in [(0, [0, 1, 2]), (2, [2, 0, 1]), (3, [0, 1, 2]), (7, [1, 2, 0])] {
            assert_eq!(behind(vec![0, 1, 2], taken), places);
        }
        assert_eq!(behind(Vec::<usize>::new(), 2), []);
    }
}
