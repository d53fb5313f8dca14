//! Which CPUs a tournament's games use: agreed with the other tournaments on this machine, and never more
//! than there are unless that is wanted.

use ::tournament::cores::dearest;
use ::tournament::schedule::Schedule;
use ::tournament::spec::Player;
use anyhow::{Context, ensure};
use std::io;
use std::path::{Path, PathBuf};
use sys::affinity::CpuSet;
use sys::claim::{Claim, Shape, Wanted, claim, common_folder, folder_of_limit, in_order};
use sys::topology::Topology;

/// Which CPUs games may use.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct CpuOptions {
    /// CPUs that games may use together [default: all that are free]
    #[arg(long, value_name = "CPUS")]
    budget: Option<usize>,
    /// Use these CPUs only, as in 0-3,8 [default: all this process may use, one of each physical core first,
    /// the fastest cores before others]
    #[arg(long, value_name = "LIST")]
    cores: Option<CpuSet>,
    /// Do not bind engines to the CPUs of their game
    #[arg(long)]
    no_affinity: bool,
    /// Play all the same on CPUs that another tournament uses, or with a --budget of more CPUs than there
    /// are; clocks then measure the load of the machine as well
    #[arg(long)]
    oversubscribe: bool,
    /// Where tournaments agree on CPUs; none for the folder that all on this machine have in common
    #[arg(skip)]
    pub folder: Option<PathBuf>,
}

/// The CPUs of a tournament.
pub struct Cpus {
    /// One for each that games may use, the best first.
    pub list: Vec<usize>,
    /// Whether engines are bound to them.
    pub bind: bool,
    /// Held until the tournament is over.
    _held: Held,
}

/// What others are kept from until this is dropped.
#[derive(Default)]
pub struct Held {
    /// CPUs.
    cpus: Option<Claim>,
    /// Time of as many CPUs, where a quota limits it.
    time: Option<Claim>,
}

/// The machine, and where its programs agree.
struct Ground {
    machine: Topology,
    folder: PathBuf,
}

impl Ground {
    /// This machine, for a command that is about to play on it; `folder`: where its programs agree, if not in the
    /// folder that all of them have in common.
    fn find(folder: Option<&Path>) -> Self {
        // Locks and pipes on a machine with many CPUs are more files than are granted unasked. Where no more are
        // granted, these may do.
        let _ = sys::files::allow_all();
        let folder = folder.map_or_else(common_folder, Path::to_path_buf);
        Self { machine: Topology::detect(), folder }
    }

    /// As many CPUs' time as a control group's quota grants, in whole CPUs and at least one. Nothing where there is no
    /// quota, or none that is less than the time of all CPUs of the machine.
    fn granted(&self) -> Option<usize> {
        let quota = self.machine.quota.as_ref()?;
        let whole = (quota.value as usize).max(1);
        (whole < self.machine.online.value.count()).then_some(whole)
    }

    /// How many CPUs there are for games. A quota may grant less time than the CPUs that are seen.
    fn there(&self, usable: &CpuSet) -> usize {
        usable.count().min(self.granted().unwrap_or(usize::MAX))
    }

    /// Says that a quota grants less than the time of one CPU, where there are clocks.
    fn tell_of_less_than_a_cpu(&self, clocks: bool) {
        if let Some(quota) = self.machine.quota.as_ref().filter(|quota| clocks && quota.value < 1.0) {
            eprintln!(
                "firstborn: the quota of this control group is {:.2} CPUs ({}): even a single engine is \
                 stopped for a part of every period, while its clock runs",
                quota.value, quota.source
            );
        }
    }

    fn shape(&self) -> Shape<'_> {
        Shape { cores: &self.machine.cores.value, kinds: &self.machine.kinds.value }
    }

    fn claim(&self, usable: &CpuSet, wanted: Wanted, share: bool) -> io::Result<Claim> {
        claim(&self.folder, self.shape(), usable, wanted, share)
    }

    /// Claims the time of so many CPUs out of what a quota grants: who is under one quota shares its time, whichever
    /// CPUs are used, be they as few as the quota or fewer. Nothing where none is granted, or the quota cannot be told
    /// from others.
    fn claim_time(&self, wanted: Wanted, share: bool) -> Option<Claim> {
        let (granted, quota) = (self.granted()?, self.machine.quota.as_ref()?);
        let folder = folder_of_limit(&self.folder, Path::new(&quota.source)).ok()?;
        claim(&folder, Shape::default(), &CpuSet::first(granted), wanted, share).ok()
    }
}

impl CpuOptions {
    /// Claims the CPUs. Where no player has a clock, nothing depends on how fast a CPU is, and they are
    /// shared if need be.
    pub fn claim(&self, players: &[Player]) -> anyhow::Result<Cpus> {
        self.claim_on(&Ground::find(self.folder.as_deref()), players, "--budget")
    }

    /// The same; `by`: the option by which games take fewer CPUs.
    fn claim_on(&self, ground: &Ground, players: &[Player], by: &str) -> anyhow::Result<Cpus> {
        self.check_cores(&ground.machine.allowed.value)?;
        let usable = self.usable(&ground.machine);
        ensure!(self.budget != Some(0), "--budget 0: a game takes at least one CPU");
        let clocks = timed(players);
        ground.tell_of_less_than_a_cpu(clocks);
        let there = ground.there(&usable);
        if let Some(budget) = self.budget.filter(|&budget| budget > there) {
            ensure!(
                self.oversubscribe,
                "--budget {budget}: there {} for games here; more games at once than CPUs lose on time \
                 (--oversubscribe plays them all the same)",
                are(there)
            );
            return Ok(self.crowded(budget, ground));
        }
        let wanted = self.budget.map_or(Wanted::UpTo(there), Wanted::Exactly);
        let share = self.oversubscribe || !clocks;
        // How many were asked for is the user's affair, also where others have the quota's time.
        let time = ground.claim_time(wanted, share || self.budget.is_some());
        let wanted = match &time {
            Some(time) if self.budget.is_none() => Wanted::UpTo(time.cpus.len()),
            _ => wanted,
        };
        ensure!(
            wanted != Wanted::UpTo(0),
            "other tournaments use the whole quota of this control group (CPUs: {}): wait for them, give a {by}, \
             or --oversubscribe to share",
            ground.granted().unwrap_or(there)
        );
        let bind = !self.no_affinity && sys::affinity::current().is_ok();
        match ground.claim(&usable, wanted, share) {
            Ok(claim) => {
                self.check(&claim, &usable, by)?;
                if clocks && time.as_ref().is_some_and(|time| !time.shared.is_empty()) {
                    eprintln!(
                        "firstborn: the time of this control group's quota is shared with another tournament"
                    );
                }
                Ok(Cpus { list: claim.cpus.clone(), bind, _held: Held { cpus: Some(claim), time } })
            }
            Err(error) => {
                eprintln!(
                    "firstborn: cannot see which CPUs other tournaments use ({}: {error})",
                    ground.folder.display()
                );
                let mut list = in_order(ground.shape(), &usable, &CpuSet::default());
                list.truncate(self.budget.unwrap_or(there));
                Ok(Cpus { list, bind, _held: Held::default() })
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

    /// More places than there are CPUs, or than a quota grants the time of. Each has a CPU of its own if there are
    /// enough; otherwise a CPU is several places'. In the eyes of others these CPUs are then this tournament's.
    /// Engines are bound only to keep them off other CPUs, if there may be any.
    fn crowded(&self, budget: usize, ground: &Ground) -> Cpus {
        let usable = self.usable(&ground.machine);
        let count = budget.min(usable.count());
        let wanted = Wanted::Exactly(count);
        let time = ground.claim_time(wanted, true);
        let cpus = ground.claim(&usable, wanted, true).ok();
        let order = match &cpus {
            Some(claim) => claim.cpus.clone(),
            None => in_order(ground.shape(), &usable, &CpuSet::default()),
        };
        let apart = self.cores.is_some() || count < usable.count();
        let bind = apart && !self.no_affinity && sys::affinity::current().is_ok();
        Cpus { list: order.into_iter().cycle().take(budget).collect(), bind, _held: Held { cpus, time } }
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
        self.claim_for_on(&Ground::find(self.folder.as_deref()), games, players, schedule, force)
    }

    fn claim_for_on(
        &self,
        ground: &Ground,
        games: usize,
        players: &[Player],
        schedule: &Schedule,
        force: bool,
    ) -> anyhow::Result<Cpus> {
        if self.budget.is_some() {
            return self.claim_on(ground, players, "--budget");
        }
        let each = dearest(players, schedule);
        let budget = games.checked_mul(each).filter(|&budget| budget <= MOST_PLACES).with_context(|| {
            format!("-concurrency {games}: no machine has room for so many games at once")
        })?;
        let wanted = Self { budget: Some(budget), ..self.clone() };
        let there = ground.there(&wanted.usable(&ground.machine));
        if budget <= there {
            return wanted.claim_on(ground, players, "-concurrency");
        }
        wanted.check_cores(&ground.machine.allowed.value)?;
        if timed(players) {
            let are = are(there);
            ensure!(
                force || self.oversubscribe,
                "-concurrency {games}: games here take {budget} CPUs (each {each}) and there {are}; more than \
                 there are lose on time (a smaller -concurrency, or -force-concurrency to play them all the same)"
            );
            ground.tell_of_less_than_a_cpu(true);
            eprintln!(
                "firstborn: games here take {budget} CPUs and there {are}: clocks measure the load of the \
                 machine as well"
            );
        }
        Ok(wanted.crowded(budget, ground))
    }

    /// The same on these CPUs only.
    pub fn on(&self, cores: CpuSet) -> Self {
        Self { cores: Some(cores), ..self.clone() }
    }

    /// The same, binding no engine, unless CPUs are named: only so are games kept on these.
    pub fn unbound(&self) -> Self {
        Self { no_affinity: self.no_affinity || self.cores.is_none(), ..self.clone() }
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
pub fn claim_unplaced(count: usize, players: &[Player]) -> anyhow::Result<Held> {
    unplaced_on(&Ground::find(None), count, timed(players))
}

fn unplaced_on(ground: &Ground, count: usize, timed: bool) -> anyhow::Result<Held> {
    let usable = &ground.machine.allowed.value;
    let there = ground.there(usable);
    ground.tell_of_less_than_a_cpu(timed);
    // More games than CPUs take no more time than these have.
    let wanted = count.min(there);
    let time = ground.claim_time(Wanted::Exactly(wanted), !timed);
    let held = Held { cpus: ground.claim(usable, Wanted::Exactly(count), !timed).ok(), time };
    if let Some(time) = held.time.as_ref().filter(|_| timed) {
        ensure!(
            time.cpus.len() >= wanted,
            "tournaments use {} of the quota of this control group (CPUs: {}), and games with clocks take \
             {wanted} of their own: wait for them, or play fewer at a time",
            time.taken.count(),
            ground.granted().unwrap_or(there)
        );
    }
    if let Some(claim) = held.cpus.as_ref().filter(|_| timed) {
        let wanted = count.min(usable.count());
        ensure!(
            claim.cpus.len() >= wanted,
            "tournaments on this machine use CPU {} of {usable}, and games with clocks take {wanted} of their \
             own: wait for them, or play fewer at a time",
            claim.taken
        );
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tournament::schedule::Format;
    use ::tournament::spec::{Settings, players};

    /// Two players of so many threads.
    fn two(threads: usize, limit: &str) -> Vec<Player> {
        let line = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            Settings::from_words("engine", &words).unwrap()
        };
        let lines = ["A", "B"].map(|name| line(&format!("cmd=/bin/sh name={name} threads={threads}")));
        players(&lines, &[line(limit)]).unwrap()
    }

    /// So many CPUs, each a core, as far as claims on them go.
    fn ground(folder: &Path, cpus: usize) -> Ground {
        let mut machine = Topology::detect();
        machine.online.value = CpuSet::first(cpus);
        machine.allowed.value = CpuSet::first(cpus);
        machine.cores.value = Vec::new();
        machine.kinds.value = Vec::new();
        machine.quota = None;
        Ground { machine, folder: folder.to_owned() }
    }

    /// The same 16 for all, under the quota, in CPUs, of a file that lies in this folder.
    #[cfg(unix)]
    fn limited(folder: &Path, name: &str, quota: f64) -> Ground {
        let file = folder.join(name);
        std::fs::write(&file, "").unwrap();
        let source = file.to_str().unwrap().to_owned();
        let mut ground = ground(&folder.join("cpus"), 16);
        ground.machine.quota = Some(sys::topology::Fact { value: quota, source });
        ground
    }

    /// How many places there are, or why there are none.
    fn places(claimed: &anyhow::Result<Cpus>) -> Result<usize, String> {
        claimed.as_ref().map(|cpus| cpus.list.len()).map_err(ToString::to_string)
    }

    /// How many places two players of so many threads get for so many games at once.
    fn claim_of(games: usize, threads: usize, limit: &str, force: bool) -> anyhow::Result<usize> {
        let folder = tempfile::tempdir().unwrap();
        let ground = Ground { machine: Topology::detect(), folder: folder.path().to_owned() };
        let field = two(threads, limit);
        let schedule = Schedule::new(Format::RoundRobin, 2, 1, false);
        let claimed = CpuOptions::default().claim_for_on(&ground, games, &field, &schedule, force);
        claimed.map(|cpus| cpus.list.len())
    }

    /// Other tournaments may want the other CPUs of this machine, where it has any.
    #[test]
    fn another_runners_games_take_no_more_cpus_than_they_need() {
        assert_eq!(claim_of(1, 1, "nodes=100", false).unwrap(), 1);
    }

    /// What another runner's command line does not have is not named in what is said about it, and games that no clock
    /// measures are played, however many there are.
    #[test]
    fn what_is_refused_is_named_by_its_own_flag() {
        let claim = |limit: &str, force| claim_of(10_000, 2, limit, force);
        let error = claim("tc=1", false).unwrap_err().to_string();
        assert!(error.starts_with("-concurrency 10000: games here take 20000 CPUs (each 2)"), "{error}");
        assert!(error.contains("-force-concurrency") && !error.contains("--"), "{error}");
        assert_eq!(claim("tc=1", true).unwrap(), 20_000);
        assert_eq!(claim("nodes=100", false).unwrap(), 20_000);
        for games in [1_000_000_000_000, usize::MAX] {
            assert!(claim_of(games, 2, "nodes=100", true).is_err(), "{games}");
        }
        let mut taken = Claim::default();
        taken.taken = [0].into_iter().collect();
        let short = CpuOptions { budget: Some(1), ..CpuOptions::default() };
        let error = short.check(&taken, &CpuSet::default(), "-concurrency").unwrap_err().to_string();
        assert!(error.contains("smaller -concurrency,"), "{error}");
    }

    /// Two big cores behind four little ones are the budget of two, and come first where more games play than there are
    /// CPUs.
    #[test]
    fn games_play_on_the_fastest_cores() {
        let folder = tempfile::tempdir().unwrap();
        let mut ground = ground(folder.path(), 6);
        ground.machine.kinds.value = ["4-5", "0-3"].map(|kind| kind.parse().unwrap()).to_vec();
        let claim = |budget, oversubscribe| {
            let options = CpuOptions { budget: Some(budget), oversubscribe, ..CpuOptions::default() };
            options.claim_on(&ground, &two(1, "tc=1"), "--budget").unwrap().list
        };
        assert_eq!(claim(2, false), [4, 5]);
        assert_eq!(claim(6, false), [4, 5, 0, 1, 2, 3]);
        assert_eq!(claim(8, true), [4, 5, 0, 1, 2, 3, 4, 5]);
    }

    /// More games than CPUs stay on the CPUs that were named.
    #[test]
    fn a_crowd_stays_on_the_named_cpus() {
        let folder = tempfile::tempdir().unwrap();
        let ground = ground(folder.path(), 2);
        let only: CpuSet = [1].into_iter().collect();
        let options = CpuOptions { oversubscribe: true, ..CpuOptions::default() }.on(only);
        let cpus = options.crowded(3, &ground);
        assert_eq!(cpus.list, [1; 3]);
        assert_eq!(cpus.bind, sys::affinity::current().is_ok());
        let anywhere = CpuOptions::default().crowded(3, &ground);
        assert_eq!((anywhere.list.len(), anywhere.bind), (3, false));
    }

    /// Those who play more games than there are CPUs play beside each other, and keep all with clocks away until the
    /// last of them has ended.
    #[test]
    fn a_crowd_is_seen_by_others() {
        let folder = tempfile::tempdir().unwrap();
        let ground = ground(folder.path(), 4);
        let crowd = |games: usize| {
            let options = CpuOptions { budget: Some(games), oversubscribe: true, ..CpuOptions::default() };
            options.claim_on(&ground, &two(1, "nodes=100"), "--budget").unwrap()
        };
        let timed = || places(&CpuOptions::default().claim_on(&ground, &two(1, "tc=1"), "--budget"));
        let (first, second) = (crowd(9), crowd(7));
        assert_eq!((first.list.len(), second.list.len()), (9, 7));
        let free = places(&CpuOptions::default().claim_on(&ground, &two(1, "nodes=100"), "--budget"));
        assert_eq!(free, Ok(4), "what has no clock is played beside them");
        for left in [Some(first), None] {
            let refused = timed().unwrap_err();
            assert!(refused.starts_with("other tournaments on this machine use CPU 0-3 of 0-3"), "{refused}");
            assert!(unplaced_on(&ground, 1, true).is_err());
            drop(left);
        }
        drop(second);
        assert_eq!(timed(), Ok(4));
    }

    /// A quota is shared by all under it, whichever CPUs they take, and by no others; what a user asks for is given.
    #[test]
    #[cfg(unix)]
    fn tournaments_share_a_quota_as_they_share_cpus() {
        let folder = tempfile::tempdir().unwrap();
        let [here, there] = ["one", "other"].map(|name| limited(folder.path(), name, 4.5));
        let claim = |ground: &Ground, budget: Option<usize>, limit: &str| {
            let options = CpuOptions { budget, ..CpuOptions::default() };
            options.claim_on(ground, &two(1, limit), "--budget")
        };
        let one = claim(&here, Some(1), "tc=1");
        let rest = claim(&here, None, "tc=1");
        assert_eq!((places(&one), places(&rest)), (Ok(1), Ok(3)));
        let refused = places(&claim(&here, None, "tc=1")).unwrap_err();
        assert!(refused.contains("the whole quota of this control group (CPUs: 4)"), "{refused}");
        assert!(unplaced_on(&here, 1, true).is_err());
        assert!(unplaced_on(&here, 1, false).is_ok());
        assert_eq!(places(&claim(&here, None, "nodes=100")), Ok(4));
        assert_eq!(places(&claim(&here, Some(2), "tc=1")), Ok(2));
        assert_eq!(places(&claim(&there, None, "tc=1")), Ok(4));
        drop(rest);
        assert_eq!(places(&claim(&here, None, "tc=1")), Ok(3));
    }

    /// Who uses as few CPUs as the quota grants, or fewer, shares it too: by `--cores`, or since it may use no others.
    #[test]
    #[cfg(unix)]
    fn a_quota_is_shared_whichever_cpus_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let here = limited(folder.path(), "quota", 4.0);
        let mut bound = limited(folder.path(), "quota", 4.0);
        bound.machine.allowed.value = (8..12).collect();
        let field = two(1, "tc=1");
        let on = |ground: &Ground, cores: CpuSet| {
            CpuOptions::default().on(cores).claim_on(ground, &field, "--budget")
        };
        let anywhere = |ground: &Ground| places(&CpuOptions::default().claim_on(ground, &field, "--budget"));
        let first = on(&here, CpuSet::first(3));
        assert_eq!(places(&first), Ok(3));
        assert_eq!(anywhere(&bound), Ok(1));
        let second = on(&here, (4..8).collect());
        assert_eq!(places(&second), Ok(1));
        let refused = anywhere(&bound).unwrap_err();
        assert!(refused.contains("the whole quota of this control group (CPUs: 4)"), "{refused}");
        assert!(unplaced_on(&bound, 1, true).is_err());
        drop((first, second));
        assert_eq!(anywhere(&bound), Ok(4));
        // As much time as all CPUs have is no limit.
        let wide = limited(folder.path(), "quota", 16.0);
        let lower = on(&wide, CpuSet::first(8));
        let upper = on(&wide, (8..16).collect());
        assert_eq!((places(&lower), places(&upper)), (Ok(8), Ok(8)));
    }

    /// Two tournaments of a CPU each have all time of a quota of two: with clocks a third does not play on the CPU of
    /// one of them until that has ended.
    #[test]
    #[cfg(unix)]
    fn a_third_tournament_finds_no_time_under_a_quota_of_two() {
        let folder = tempfile::tempdir().unwrap();
        let here = limited(folder.path(), "quota", 2.0);
        let budget = || {
            let options = CpuOptions { budget: Some(1), ..CpuOptions::default() };
            options.claim_on(&here, &two(1, "tc=1"), "--budget").unwrap()
        };
        let (first, second) = (budget(), budget());
        let own: CpuSet = first.list.iter().copied().collect();
        let third = |limit: &str| {
            let options = CpuOptions::default().on(own.clone());
            places(&options.claim_on(&here, &two(1, limit), "--budget"))
        };
        let refused = third("tc=1").unwrap_err();
        assert!(refused.contains("the whole quota of this control group (CPUs: 2)"), "{refused}");
        assert_eq!(third("nodes=100"), Ok(1));
        drop(first);
        assert_eq!(third("tc=1"), Ok(1));
        drop(second);
    }

    /// More games than a quota grants time for have all of that, and as many CPUs as they have places: other CPUs
    /// are free for those whom that quota does not bind.
    #[test]
    #[cfg(unix)]
    fn a_crowd_under_a_quota_leaves_cpus_to_others() {
        let folder = tempfile::tempdir().unwrap();
        let here = limited(folder.path(), "quota", 4.5);
        let outside = ground(&folder.path().join("cpus"), 16);
        let field = two(1, "tc=1");
        let timed = |ground: &Ground| places(&CpuOptions::default().claim_on(ground, &field, "--budget"));
        for cores in [None, Some(CpuSet::first(10))] {
            let options = CpuOptions { budget: Some(6), oversubscribe: true, cores, ..CpuOptions::default() };
            let crowd = options.claim_on(&here, &field, "--budget").unwrap();
            assert_eq!(crowd.list, [0, 1, 2, 3, 4, 5]);
            assert_eq!(crowd.bind, sys::affinity::current().is_ok(), "others have the rest");
            assert_eq!(timed(&outside), Ok(10));
            assert!(timed(&here).unwrap_err().contains("the whole quota"));
        }
        assert_eq!(timed(&here), Ok(4));
    }

    /// Says to the inner process that it is the one to test.
    #[cfg(unix)]
    const INNER: &str = "FIRSTBORN_TEST_INNER";

    /// What a test writes to standard error, which is that of a whole process: so it runs in a process of its own.
    /// Nothing inside that one.
    #[cfg(unix)]
    fn told_by(test: &str) -> Option<String> {
        if std::env::var_os(INNER).is_some() {
            return None;
        }
        let name = format!("tournament::cpus::tests::{test}");
        let mut inner = std::process::Command::new(std::env::current_exe().unwrap());
        let inner = inner.args(["--exact", name.as_str(), "--nocapture"]).env(INNER, "1").output().unwrap();
        let [result, told] =
            [inner.stdout, inner.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(inner.status.success() && result.contains("1 passed"), "{result}{told}");
        Some(told)
    }

    /// A clock runs on while its engine is stopped.
    #[test]
    #[cfg(unix)]
    fn who_plays_with_clocks_on_less_than_a_cpu_is_told() {
        if let Some(told) = told_by("who_plays_with_clocks_on_less_than_a_cpu_is_told") {
            assert_eq!(told.matches("the quota of this control group is 0.50 CPUs").count(), 3, "{told}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let here = limited(folder.path(), "quota", 0.5);
        for (limit, force) in [("tc=1", true), ("nodes=100", false)] {
            let field = two(1, limit);
            drop(CpuOptions::default().claim_on(&here, &field, "--budget").unwrap());
            let schedule = Schedule::new(Format::RoundRobin, 2, 1, false);
            drop(CpuOptions::default().claim_for_on(&here, 3, &field, &schedule, force).unwrap());
            drop(unplaced_on(&here, 1, timed(&field)).unwrap());
        }
        // A whole one does.
        let here = limited(folder.path(), "other", 1.0);
        drop(CpuOptions::default().claim_on(&here, &two(1, "tc=1"), "--budget").unwrap());
    }

    /// Two of these claims share time under clocks, and each is told so.
    #[test]
    #[cfg(unix)]
    fn who_shares_the_time_of_a_quota_with_clocks_is_told() {
        if let Some(told) = told_by("who_shares_the_time_of_a_quota_with_clocks_is_told") {
            let sentence = "the time of this control group's quota is shared with another tournament";
            assert_eq!(told.matches(sentence).count(), 2, "{told}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let here = limited(folder.path(), "quota", 3.0);
        let claim = |budget: Option<usize>, limit: &str| {
            let options = CpuOptions { budget, ..CpuOptions::default() };
            options.claim_on(&here, &two(1, limit), "--budget").unwrap()
        };
        let _first = claim(Some(2), "tc=1");
        // What is left is free; and where there are no clocks, it does not matter.
        drop(claim(Some(1), "tc=1"));
        drop(claim(Some(2), "nodes=100"));
        drop(claim(None, "nodes=100"));
        // These are the two.
        drop(claim(Some(2), "tc=1"));
        let (field, schedule) = (two(1, "tc=1"), Schedule::new(Format::RoundRobin, 2, 1, false));
        let games = CpuOptions::default().claim_for_on(&here, 3, &field, &schedule, false);
        assert_eq!(places(&games), Ok(3));
    }

    /// The limit is that of a whole process: so this is a process of its own, which a shell has given a low one.
    #[test]
    #[cfg(target_os = "linux")]
    fn who_claims_cpus_may_open_many_files() {
        use std::process::Command;
        if std::env::var_os(INNER).is_none() {
            let folder = tempfile::tempdir().unwrap();
            let name = "tournament::cpus::tests::who_claims_cpus_may_open_many_files";
            let script = format!("ulimit -S -n 64 && exec \"$0\" --exact {name}");
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(script).arg(std::env::current_exe().unwrap()).env(INNER, "1");
            let inner = shell.env(sys::claim::FOLDER_VARIABLE, folder.path()).output().unwrap();
            let told = String::from_utf8_lossy(&inner.stdout);
            assert!(inner.status.success() && told.contains("1 passed"), "{told}");
            return;
        }
        let limits = || {
            let text = std::fs::read_to_string("/proc/self/limits").unwrap();
            let line = text.lines().find(|line| line.starts_with("Max open files")).unwrap();
            let words: Vec<&str> = line.split_whitespace().collect();
            [words[3].to_owned(), words[4].to_owned()]
        };
        let [few, most] = limits();
        assert_eq!(few, "64");
        claim_unplaced(1, &two(1, "nodes=100")).unwrap();
        assert_eq!(limits(), [most.clone(), most]);
    }
}
