//! Which CPUs a tournament's games use: agreed with the other tournaments on this machine, and never more
//! than there are unless that is wanted.

use ::tournament::cores::dearest;
use ::tournament::schedule::Schedule;
use ::tournament::spec::Player;
use anyhow::{Context, ensure};
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
        self.claim_by(players, "--budget")
    }

    /// The same; `by`: the option by which games take fewer CPUs.
    fn claim_by(&self, players: &[Player], by: &str) -> anyhow::Result<Cpus> {
        let machine = Topology::detect();
        self.check_cores(&machine.allowed.value)?;
        let usable = self.usable(&machine);
        ensure!(self.budget != Some(0), "--budget 0: a game takes at least one CPU");
        let there = there(&usable, &machine);
        if let Some(budget) = self.budget.filter(|&budget| budget > there) {
            ensure!(
                self.oversubscribe,
                "--budget {budget}: there {} for games here; more games at once than CPUs lose on time \
                 (--oversubscribe plays them all the same)",
                are(there)
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
                self.check(&claim, &usable, by)?;
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

    /// The CPUs that games may use.
    fn usable(&self, machine: &Topology) -> CpuSet {
        self.cores.clone().unwrap_or_else(|| machine.allowed.value.clone())
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

    /// Claims CPUs for so many games at once, as another runner's `-concurrency` says, between any two of
    /// these players that may meet. More games than the machine has CPUs for are played all the same if they
    /// have no clocks, or by `force`, with a word about it.
    pub fn claim_for(
        &self,
        games: usize,
        players: &[Player],
        schedule: &Schedule,
        force: bool,
    ) -> anyhow::Result<Cpus> {
        if self.budget.is_some() {
            return self.claim(players);
        }
        let each = dearest(players, schedule);
        let budget = games.checked_mul(each).filter(|&budget| budget <= MOST_PLACES).with_context(|| {
            format!("-concurrency {games}: no machine has room for so many games at once")
        })?;
        let wanted = Self { budget: Some(budget), ..self.clone() };
        let machine = Topology::detect();
        let there = there(&wanted.usable(&machine), &machine);
        if budget <= there {
            return wanted.claim_by(players, "-concurrency");
        }
        wanted.check_cores(&machine.allowed.value)?;
        if timed(players) {
            let are = are(there);
            ensure!(
                force || self.oversubscribe,
                "-concurrency {games}: games here take {budget} CPUs (each {each}) and there {are}; more than \
                 there are lose on time (a smaller -concurrency, or -force-concurrency to play them all the same)"
            );
            eprintln!(
                "firstborn: games here take {budget} CPUs and there {are}: clocks measure the load of the \
                 machine as well"
            );
        }
        Ok(wanted.crowded(budget, &machine))
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
    fn check(&self, claim: &Claim, usable: &CpuSet, by: &str) -> anyhow::Result<()> {
        let (got, taken) = (claim.cpus.len(), &claim.taken);
        let enough = got >= self.budget.unwrap_or(1);
        ensure!(
            enough,
            "other tournaments on this machine use CPU {taken} of {usable}: wait for them, give other --cores \
             or a smaller {by}, or --oversubscribe to share"
        );
        let own: CpuSet = claim.cpus.iter().copied().collect();
        if !claim.shared.is_empty() {
            eprintln!("firstborn: CPU {} is shared with another tournament", claim.shared);
        } else if self.budget.is_none() && !taken.is_empty() {
            eprintln!("firstborn: other tournaments use CPU {taken}; this one plays on CPU {own}");
        }
        Ok(())
    }
}

/// Most CPUs that games may be said to take, whatever there is.
const MOST_PLACES: usize = 1 << 16;

/// How many CPUs there are for games. A control group's quota may grant less time than the CPUs that are seen.
fn there(usable: &CpuSet, machine: &Topology) -> usize {
    let quota = machine.quota.as_ref().map_or(usize::MAX, |quota| (quota.value as usize).max(1));
    usable.count().min(quota)
}

fn are(cpus: usize) -> String {
    if cpus == 1 { "is 1 CPU".to_owned() } else { format!("are {cpus} CPUs") }
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
    use ::tournament::schedule::Format;
    use ::tournament::spec::{Settings, players};

    /// What another runner's command line does not have is not named in what is said about it, and games that no clock
    /// measures are played, however many there are.
    #[test]
    fn what_is_refused_is_named_by_its_own_flag() {
        let schedule = Schedule::new(Format::RoundRobin, 2, 1, false);
        let line = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            Settings::from_words("engine", &words).unwrap()
        };
        let field = |limit: &str| {
            let lines = ["A", "B"].map(|name| line(&format!("cmd=/bin/sh name={name} threads=2")));
            players(&lines, &[line(limit)]).unwrap()
        };
        let claim_of = |games, limit: &str, force| {
            CpuOptions::default()
                .claim_for(games, &field(limit), &schedule, force)
                .map(|cpus| cpus.list.len())
        };
        let claim = |limit: &str, force| claim_of(10_000, limit, force);
        let error = claim("tc=1", false).unwrap_err().to_string();
        assert!(error.starts_with("-concurrency 10000: games here take 20000 CPUs (each 2)"), "{error}");
        assert!(error.contains("-force-concurrency") && !error.contains("--"), "{error}");
        assert_eq!(claim("tc=1", true).unwrap(), 20_000);
        assert_eq!(claim("nodes=100", false).unwrap(), 20_000);
        for games in [1_000_000_000_000, usize::MAX] {
            assert!(claim_of(games, "nodes=100", true).is_err(), "{games}");
        }
        let mut taken = Claim::default();
        taken.taken = [0].into_iter().collect();
        let short = CpuOptions { budget: Some(1), ..CpuOptions::default() };
        let error = short.check(&taken, &CpuSet::default(), "-concurrency").unwrap_err().to_string();
        assert!(error.contains("smaller -concurrency,"), "{error}");
    }

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
