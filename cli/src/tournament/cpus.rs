//! Which CPUs a tournament's games use: agreed with the other tournaments on this machine, and never more
//! than there are unless that is wanted.

use ::tournament::cores::cost;
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
        let allowed = &machine.allowed.value;
        let usable = match &self.cores {
            None => allowed.clone(),
            Some(list) => {
                ensure!(!list.is_empty(), "--cores names no CPU");
                let missing = list.difference(allowed);
                ensure!(
                    missing.is_empty(),
                    "--cores {list}: this process may not use {missing}, only {allowed}"
                );
                list.clone()
            }
        };
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
            return Ok(Cpus { list: (0..budget).collect(), bind: false, _claim: None });
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

    /// Claims CPUs for so many games at once between any two of these players. `force`: more games than the
    /// machine has CPUs for are played all the same, with a word about it.
    pub fn claim_for(&self, games: usize, players: &[Player], force: bool) -> anyhow::Result<Cpus> {
        let pairs =
            players.iter().enumerate().flat_map(|(i, a)| players[i + 1..].iter().map(move |b| cost(a, b)));
        let budget = games * pairs.max().unwrap_or(1);
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
            return Ok(Cpus { list: (0..budget).collect(), bind: false, _claim: None });
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

/// Claims CPUs for games that do not depend on having them alone, so that tournaments with clocks keep away from them.
/// `None` where that cannot be; the games are played all the same.
pub fn claim_shared(count: usize) -> Option<Claim> {
    let machine = Topology::detect();
    let (cores, usable) = (&machine.cores.value, &machine.allowed.value);
    claim(&common_folder(), cores, usable, Wanted::Exactly(count), true).ok()
}
