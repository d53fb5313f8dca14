//! Which CPUs a tournament's games use: agreed with the other tournaments on this machine, and never more
//! than there are unless that is wanted.

use ::tournament::cores::dearest;
use ::tournament::schedule::Schedule;
use ::tournament::spec::Player;
use anyhow::ensure;
use sys::affinity::CpuSet;
use sys::claim::{Claim, Wanted, claim, common_folder};
use sys::topology::Topology;

/// Which CPUs games may use.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct CpuOptions {
    /// CPUs that games may use together [default: all that are free]
    #[arg(long, value_name = "CPUS")]
    budget: Option<usize>,
    /// Use these CPUs only, as in 0-3,8 [default: all this process may use, one of each physical core first]
    #[arg(long, value_name = "LIST")]
    cores: Option<CpuSet>,
    /// Do not bind engines to the CPUs of their game
    #[arg(long)]
    no_affinity: bool,
    /// Play all the same on CPUs that another tournament uses, or with a --budget of more CPUs than there
    /// are; clocks then measure the load of the machine as well
    #[arg(long)]
    oversubscribe: bool,
}

/// The CPUs of a tournament.
pub struct Cpus {
    /// One for each that games may use, the best first.
    pub list: Vec<usize>,
    /// Whether engines are bound to them.
    pub bind: bool,
    /// Held until the tournament is over.
    _claim: Option<Claim>,
}

impl CpuOptions {
    /// Claims the CPUs. Where no player has a clock, nothing depends on how fast a CPU is, and they are
    /// shared if need be.
    pub fn claim(&self, players: &[Player]) -> anyhow::Result<Cpus> {
        let machine = Topology::detect();
        self.check_cores(&machine.allowed.value)?;
        let usable = self.cores.clone().unwrap_or_else(|| machine.allowed.value.clone());
        ensure!(self.budget != Some(0), "--budget 0: a game takes at least one CPU");
        // A control group's quota may grant less time than the CPUs that are seen.
        let quota = machine.quota.as_ref().map_or(usize::MAX, |quota| (quota.value as usize).max(1));
        let there = usable.count().min(quota);
        if let Some(budget) = self.budget.filter(|&budget| budget > there) {
            ensure!(
                self.oversubscribe,
                "--budget {budget}: there {} for games here; more games at once than CPUs lose on time \
                 (--oversubscribe plays them all the same)",
                if there == 1 { "is 1 CPU".to_owned() } else { format!("are {there} CPUs") }
            );
            return Ok(self.crowded(budget, &machine));
        }
        let timed = timed(players);
        let wanted = self.budget.map_or(Wanted::UpTo(there), Wanted::Exactly);
        let share = self.oversubscribe || !timed;
        let bind = !self.no_affinity && sys::affinity::current().is_ok();
        let claimed = claim(&common_folder(), &machine.cores.value, &usable, wanted, share);
        match claimed {
            Ok(claim) => {
                self.check(&claim, &usable)?;
                Ok(Cpus { list: claim.cpus.clone(), bind, _claim: Some(claim) })
            }
            Err(error) => {
                let folder = common_folder();
                eprintln!(
                    "firstborn: cannot see which CPUs other tournaments use ({}: {error})",
                    folder.display()
                );
                let mut list = sys::claim::in_order(&machine.cores.value, &usable, &CpuSet::default());
                list.truncate(self.budget.unwrap_or(there));
                Ok(Cpus { list, bind, _claim: None })
            }
        }
    }

    /// Whether this process may use the CPUs that were named.
    fn check_cores(&self, allowed: &CpuSet) -> anyhow::Result<()> {
        let Some(list) = &self.cores else { return Ok(()) };
        ensure!(!list.is_empty(), "--cores names no CPU");
        let missing = list.difference(allowed);
        ensure!(missing.is_empty(), "--cores {list}: this process may not use {missing}, only {allowed}");
        Ok(())
    }

    /// More places than there are CPUs. Engines are bound only to keep them on CPUs that were named, each of which is
    /// then several places' and this tournament's in the eyes of others.
    fn crowded(&self, budget: usize, machine: &Topology) -> Cpus {
        let Some(cores) = &self.cores else {
            return Cpus { list: (0..budget).collect(), bind: false, _claim: None };
        };
        let order = sys::claim::in_order(&machine.cores.value, cores, &CpuSet::default());
        let wanted = Wanted::Exactly(order.len());
        let claim = claim(&common_folder(), &machine.cores.value, cores, wanted, true).ok();
        let bind = !self.no_affinity && sys::affinity::current().is_ok();
        Cpus { list: order.into_iter().cycle().take(budget).collect(), bind, _claim: claim }
    }

    /// Claims CPUs for so many games at once between any two of these players that may meet. `force`: more games
    /// than the machine has CPUs for are played all the same, with a word about it.
    pub fn claim_for(
        &self,
        games: usize,
        players: &[Player],
        schedule: &Schedule,
        force: bool,
    ) -> anyhow::Result<Cpus> {
        let budget = games * dearest(players, schedule);
        let wanted = Self { budget: self.budget.or(Some(budget)), ..self.clone() };
        let machine = Topology::detect();
        let usable = wanted.cores.as_ref().unwrap_or(&machine.allowed.value).count();
        let there =
            usable.min(machine.quota.as_ref().map_or(usize::MAX, |quota| (quota.value as usize).max(1)));
        if budget > there && self.budget.is_none() && force {
            if timed(players) {
                eprintln!(
                    "firstborn: games here take {budget} CPUs and there are {there}: clocks measure the load of the machine \
                     as well"
                );
            }
            wanted.check_cores(&machine.allowed.value)?;
            return Ok(wanted.crowded(budget, &machine));
        }
        wanted.claim(players)
    }

    /// The same on these CPUs only.
    pub fn on(&self, cores: CpuSet) -> Self {
        Self { cores: Some(cores), ..self.clone() }
    }

    /// The same, sharing CPUs with other tournaments if need be.
    pub fn shared(&self) -> Self {
        Self { oversubscribe: true, ..self.clone() }
    }

    /// Whether the claim will do; says what others use.
    fn check(&self, claim: &Claim, usable: &CpuSet) -> anyhow::Result<()> {
        let (got, taken) = (claim.cpus.len(), &claim.taken);
        let enough = got >= self.budget.unwrap_or(1);
        let advice = "wait for them, give other --cores or a smaller --budget, or --oversubscribe to share";
        ensure!(enough, "other tournaments on this machine use CPU {taken} of {usable}: {advice}");
        let own: CpuSet = claim.cpus.iter().copied().collect();
        if !claim.shared.is_empty() {
            eprintln!("firstborn: CPU {} is shared with another tournament", claim.shared);
        } else if self.budget.is_none() && !taken.is_empty() {
            eprintln!("firstborn: other tournaments use CPU {taken}; this one plays on CPU {own}");
        }
        Ok(())
    }
}

/// Whether anything depends on how fast a CPU is.
fn timed(players: &[Player]) -> bool {
    players.iter().any(|player| player.limits.clock.is_some() || player.limits.move_time.is_some())
}

/// Claims CPUs for games that no option places, so that tournaments with clocks keep away from them. Games without
/// clocks share CPUs if need be, and are played even where nothing can be claimed.
///
/// # Errors
/// Games with clocks find fewer CPUs free than they want.
pub fn claim_unplaced(count: usize, players: &[Player]) -> anyhow::Result<Option<Claim>> {
    let machine = Topology::detect();
    let (cores, usable) = (&machine.cores.value, &machine.allowed.value);
    let timed = timed(players);
    let claim = claim(&common_folder(), cores, usable, Wanted::Exactly(count), !timed).ok();
    if let Some(claim) = claim.as_ref().filter(|_| timed) {
        let wanted = count.min(usable.count());
        ensure!(
            claim.cpus.len() >= wanted,
            "tournaments on this machine use CPU {} of {usable}, and games with clocks take {wanted} of their \
             own: wait for them, or play fewer at a time",
            claim.taken
        );
    }
    Ok(claim)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More games than CPUs stay on the CPUs that were named.
    #[test]
    fn a_crowd_stays_on_the_named_cpus() {
        let machine = Topology::detect();
        let first = machine.allowed.value.iter().next().expect("this runs on some CPU");
        let only: CpuSet = [first].into_iter().collect();
        let options = CpuOptions { oversubscribe: true, ..CpuOptions::default() }.on(only);
        let cpus = options.crowded(3, &machine);
        assert_eq!(cpus.list, [first; 3]);
        assert_eq!(cpus.bind, sys::affinity::current().is_ok());
        let anywhere = CpuOptions::default().crowded(3, &machine);
        assert_eq!((anywhere.list.len(), anywhere.bind), (3, false));
    }
}
