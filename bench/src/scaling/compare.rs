//! Two results side by side: this one's speed-ups over another's, team by team.
//!
//! Teams meet by scheme and threads whatever their clocks, so that a simulated study may be held against a real one.
//! Only positions that both have searched count, and they are resampled together: what makes a position easy to search
//! in parallel is the same in both and must not widen the interval. Repeats are drawn in each by itself.
//!
//! A speed-up belongs to the depth at which it was measured: results of different depths are not compared. What else the
//! two do not share is named, since it may be what is to be compared, or a mistake.

use super::plan::{ALONE, ClockKind, Cluster, Goal, Team};
use super::result::{Searched, Study};
use super::rows::Factors;
use super::stats::{self, mean};
use serde::Serialize;
use smp::schemes::Scheme;
use sys::provenance::Program;

/// One team in both results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The scheme.
    #[serde(with = "super::sample::by_name")]
    pub scheme: Scheme,
    /// Its threads, of each machine.
    pub threads: usize,
    /// Its machines.
    pub machines: usize,
    /// This result's clock.
    pub clock: ClockKind,
    /// The other result's clock.
    pub against: ClockKind,
    /// This result's speed-up over the common positions.
    pub speedup: f64,
    /// The other's.
    pub speedup_against: f64,
    /// The first over the second.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ratio_low: f64,
    /// Its 95 % interval.
    pub ratio_high: f64,
    /// Node overhead ratio: (1 + overhead) of this over that of the other.
    pub work_ratio: f64,
    /// Positions in common.
    pub positions: usize,
}

/// A setting that the two results do not share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its name.
    pub what: String,
    /// This result's.
    pub this: String,
    /// The other's.
    pub other: String,
}

/// Two results side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Every team that both have.
    pub rows: Vec<Compared>,
    /// What they do not share.
    pub differences: Vec<Difference>,
}

/// Why two results cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    /// One ended its searches otherwise than the other.
    #[error(
        "searches ended {this} in this result and {other} in the other: their speed-ups cannot be compared"
    )]
    Goals {
        /// How this one's ended.
        this: String,
        /// How the other's did.
        other: String,
    },
    /// Positions were searched to different depths.
    #[error(
        "{count} of the common positions have another depth in the other result, among them {id} ({this} plies, {other} in \
         the other): search both to the same --depth or --depths"
    )]
    Depths {
        /// How many.
        count: usize,
        /// The first.
        id: String,
        /// Its depth in this result.
        this: u32,
        /// Its depth in the other.
        other: u32,
    },
    /// Nothing to compare.
    #[error("the two results have no scheme, number of threads and position in common")]
    Nothing,
}

/// Every team that both have, but for one thread alone, and what the two results do not share.
///
/// # Errors
/// When they have nothing in common, or were searched to different depths.
pub fn compare(new: &Study, old: &Study) -> Result<Comparison, Incomparable> {
    let teams: Vec<Team> = new.rows.iter().map(|row| row.team()).filter(|&team| team != ALONE).collect();
    check(new.setting.goal, &new.searched, &teams, old)?;
    let rows: Vec<Compared> = teams.into_iter().filter_map(|team| compare_team(new, old, team)).collect();
    if rows.is_empty() {
        return Err(Incomparable::Nothing);
    }
    Ok(Comparison { rows, differences: differences(new, old) })
}

/// Whether a study of these positions by these teams can be held against another one: worth knowing before it is
/// made.
///
/// # Errors
/// When searches end otherwise, or at different depths, or nothing is in common.
pub fn check(goal: Goal, searched: &[Searched], teams: &[Team], old: &Study) -> Result<(), Incomparable> {
    if goal != old.setting.goal {
        return Err(Incomparable::Goals { this: ended(goal), other: ended(old.setting.goal) });
    }
    let common = searched.iter().filter(|searched| fen(old, &searched.id) == Some(&searched.fen));
    let mut depths = common.filter_map(|searched| {
        let other = old.searched.iter().find(|other| other.id == searched.id)?.depth?;
        searched.depth.filter(|&this| this != other).map(|this| (searched.id.clone(), this, other))
    });
    if let Some((id, this, other)) = depths.next() {
        return Err(Incomparable::Depths { count: 1 + depths.count(), id, this, other });
    }
    let same = |id: &&str| searched.iter().any(|own| own.id == *id && fen(old, id) == Some(&own.fen));
    let is_shared = |team: &Team| *team != ALONE && old.pairs(*team).positions.iter().any(same);
    if teams.iter().any(is_shared) { Ok(()) } else { Err(Incomparable::Nothing) }
}

fn ended(goal: Goal) -> String {
    match goal {
        Goal::Depth => "at a depth".to_owned(),
        Goal::Milliseconds(ms) => format!("after {ms} ms"),
    }
}

/// Every setting that bears on the figures and is not the same in both.
fn differences(new: &Study, old: &Study) -> Vec<Difference> {
    let of = |name: &str, this: String, other: String| {
        (this != other).then(|| Difference { what: name.to_owned(), this, other })
    };
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let (this, other) = (&new.setting, &old.setting);
    let program = |study: &Study| study.setting.provenance.as_ref().map(|made| made.program.clone());
    let [new_program, old_program] = [program(new), program(old)];
    let commit = |program: &Option<Program>| program.as_ref().and_then(|program| program.commit.clone());
    let network = |program: &Option<Program>| program.as_ref().map(|program| program.network.clone());
    let mut found = vec![
        of("version", this.version.clone(), other.version.clone()),
        of("commit", known(commit(&new_program)), known(commit(&old_program))),
        of("network", known(network(&new_program)), known(network(&old_program))),
        of(
            "bench signature",
            known(this.signature.map(|nodes| nodes.to_string())),
            known(other.signature.map(|nodes| nodes.to_string())),
        ),
        of("clock", this.clock.to_string(), other.clock.to_string()),
        of("table", format!("{} MiB", this.hash), format!("{} MiB", other.hash)),
        of("positions left out", listed(&new.left_out), listed(&old.left_out)),
        of("positions not in the other", strangers(new, old), strangers(old, new)),
        of("repeats", repeats(new), repeats(old)),
    ];
    if this.clock == other.clock {
        let network = |cluster: Option<Cluster>| cluster.map(|cluster| cluster.network.to_string());
        let exchange = |cluster: Option<Cluster>| cluster.map(|cluster| yes(cluster.exchange));
        let none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
        found.extend([
            of("network between machines", none(network(this.cluster)), none(network(other.cluster))),
            of("table entries exchanged", none(exchange(this.cluster)), none(exchange(other.cluster))),
            of("costs of the clock", known(this.costs.clone()), known(other.costs.clone())),
            of("seed", this.seed.to_string(), other.seed.to_string()),
            of("other cores kept busy", yes(this.load), yes(other.load)),
        ]);
    }
    if (this.clock, other.clock) == (ClockKind::Real, ClockKind::Real) {
        found.push(of("machine", this.machine.clone(), other.machine.clone()));
    }
    found.into_iter().flatten().collect()
}

fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn listed(ids: &[String]) -> String {
    if ids.is_empty() { "none".to_owned() } else { ids.join(", ") }
}

fn strangers(study: &Study, other: &Study) -> String {
    let strange = study.searched.iter().filter(|searched| fen(other, &searched.id) != Some(&searched.fen));
    listed(&strange.map(|searched| searched.id.clone()).collect::<Vec<_>>())
}

fn repeats(study: &Study) -> String {
    study.rows.iter().map(|row| row.repeats).max().unwrap_or(0).to_string()
}

fn compare_team(new: &Study, old: &Study, team: Team) -> Option<Compared> {
    let (pairs, others) = (new.pairs(team), old.pairs(team));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for (id, factors) in pairs.positions.iter().zip(&pairs.factors) {
        // By name and by what stands on the board: two files may call different positions 1.
        let same = |other: &str| other == *id && fen(new, id) == fen(old, id);
        if let Some(place) = others.positions.iter().position(|other| same(other)) {
            ours.push(factors.clone());
            theirs.push(others.factors[place].clone());
        }
    }
    if ours.is_empty() {
        return None;
    }
    let logs = |groups: &[Vec<Factors>], factor: fn(&Factors) -> f64| -> Vec<Vec<f64>> {
        groups.iter().map(|group| group.iter().map(factor).collect()).collect()
    };
    let speedups = (logs(&ours, |f| f.speedup), logs(&theirs, |f| f.speedup));
    let (speedup, speedup_against) = (mean(&speedups.0).exp(), mean(&speedups.1).exp());
    let ratio = stats::difference(&speedups.0, &speedups.1, new.setting.seed).map(f64::exp);
    let work_ratio = (mean(&logs(&ours, |f| f.work)) - mean(&logs(&theirs, |f| f.work))).exp();
    Some(Compared {
        scheme: team.scheme,
        threads: team.threads,
        machines: team.machines,
        clock: new.setting.clock,
        against: old.setting.clock,
        speedup,
        speedup_against,
        ratio: speedup / speedup_against,
        ratio_low: ratio.low,
        ratio_high: ratio.high,
        work_ratio,
        positions: ours.len(),
    })
}

fn fen<'s>(study: &'s Study, id: &str) -> Option<&'s str> {
    study.searched.iter().find(|searched| searched.id == id).map(|searched| searched.fen.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::fake::{Fake, study};
    use crate::scaling::fits::Amdahl;
    use std::collections::BTreeSet;
    use sys::provenance::Provenance;

    /// Its teams gain more, and search three times the nodes.
    #[test]
    fn a_better_engine_compares_as_better() {
        let fake = |serial_fraction| Fake { law: Amdahl { serial_fraction, error: None }, left: None };
        let (old, mut new) = (study(&mut fake(0.2)), study(&mut fake(0.1)));
        for sample in new.samples.iter_mut().filter(|sample| sample.team() != ALONE) {
            sample.nodes.iter_mut().for_each(|nodes| *nodes *= 3);
        }
        let compared = compare(&new, &old).expect("they are alike");
        assert_eq!((compared.rows.len(), compared.differences), (new.rows.len() - 1, Vec::new()));
        for row in &compared.rows {
            // Amdahl: (1 + 0.2 (n - 1)) / (1 + 0.1 (n - 1)); at two threads 1.2 / 1.1.
            let n = row.threads as f64 - 1.0;
            let wanted = (1.0 + 0.2 * n) / (1.0 + 0.1 * n);
            assert!((row.ratio / wanted - 1.0).abs() < 1e-3, "{row:?}");
            assert!(row.ratio_low < row.ratio + 1e-9 && row.ratio < row.ratio_high + 1e-9, "{row:?}");
            assert!((row.work_ratio - 3.0).abs() < 1e-3 && row.positions == 24, "{row:?}");
        }
    }

    #[test]
    fn positions_that_only_share_a_name_do_not_meet() {
        let mut fake = Fake { law: Amdahl { serial_fraction: 0.2, error: None }, left: None };
        let old = study(&mut fake);
        let mut new = old.clone();
        for searched in &mut new.searched {
            searched.fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".into();
        }
        assert_eq!(compare(&new, &old), Err(Incomparable::Nothing));
    }

    /// Known before anything is measured: of a plan's teams and positions one of each must be in the other result, and
    /// one thread alone is no team.
    #[test]
    fn a_plan_with_nothing_in_common_is_refused() {
        let old = plain();
        let ybw = |threads| Team::new(Scheme::Ybw, threads);
        let asked = |searched: &[Searched], teams: &[Team]| check(Goal::Depth, searched, teams, &old);
        assert_eq!(asked(&old.searched, &[ALONE, ybw(4), ybw(16)]), Ok(()));
        assert_eq!(asked(&old.searched[5..6], &[ybw(8)]), Ok(()));
        let lazy = Team::new(Scheme::Lazy, 4);
        let clusters = Team { machines: 2, ..ybw(4) };
        for strangers in [&[][..], &[ALONE], &[ALONE, ybw(1), ybw(16), lazy, clusters]] {
            assert_eq!(asked(&old.searched, strangers), Err(Incomparable::Nothing), "{strangers:?}");
        }
        let renamed = Searched { id: "x".into(), ..old.searched[0].clone() };
        let moved = Searched { fen: old.searched[1].fen.clone(), ..old.searched[0].clone() };
        for searched in [&[][..], &[renamed, moved]] {
            assert_eq!(asked(searched, &[ybw(4)]), Err(Incomparable::Nothing), "{searched:?}");
        }
    }

    fn plain() -> Study {
        study(&mut Fake { law: Amdahl { serial_fraction: 0.2, error: None }, left: None })
    }

    #[test]
    fn results_of_different_depths_are_not_compared() {
        let (old, mut new) = (plain(), plain());
        for searched in &mut new.searched[3..5] {
            searched.depth = searched.depth.map(|depth| depth + 2);
        }
        let refused = compare(&new, &old).expect_err("two depths differ");
        let (id, depth) = (&old.searched[3].id, old.searched[3].depth.expect("a fake study has depths"));
        assert_eq!(refused, Incomparable::Depths { count: 2, id: id.clone(), this: depth + 2, other: depth });
        new = plain();
        new.setting.goal = Goal::Milliseconds(50);
        assert!(matches!(compare(&new, &old), Err(Incomparable::Goals { .. })));
        let mut other = new.clone();
        other.setting.goal = Goal::Milliseconds(60);
        assert!(matches!(compare(&new, &other), Err(Incomparable::Goals { .. })));
    }

    #[test]
    fn what_two_results_do_not_share_is_named() {
        let old = plain();
        let named = |change: &dyn Fn(&mut Study)| -> Vec<String> {
            let mut new = plain();
            change(&mut new);
            let found = compare(&new, &old).expect("they have teams in common").differences;
            assert!(found.iter().all(|difference| difference.this != difference.other), "{found:?}");
            found.into_iter().map(|difference| difference.what).collect()
        };
        assert_eq!(named(&|_| ()), [""; 0]);
        assert_eq!(named(&|new| new.setting.hash = 2), ["table"]);
        assert_eq!(named(&|new| new.setting.version = "1".into()), ["version"]);
        assert_eq!(named(&|new| new.setting.signature = None), ["bench signature"]);
        assert_eq!(named(&|new| new.setting.costs = Some("node=1".into())), ["costs of the clock"]);
        assert_eq!(named(&|new| new.setting.seed = 2), ["seed"]);
        assert_eq!(named(&|new| new.setting.load = true), ["other cores kept busy"]);
        assert_eq!(named(&|new| new.setting.clock = ClockKind::Real), ["clock"]);
        assert_eq!(named(&|new| new.searched[0].id = "x".into()), ["positions not in the other"]);
        let with = |program: Program| {
            let made = Provenance { program, ..Provenance::default() };
            move |new: &mut Study| new.setting.provenance = Some(made.clone())
        };
        let commit = Program { commit: Some("a".into()), network: "unknown".into(), ..Program::default() };
        assert_eq!(named(&with(commit)), ["commit"]);
        let network = Program { network: "b".into(), ..Program::default() };
        assert_eq!(named(&with(network.clone())), ["network"]);
        // A cluster has another kind of network.
        let cluster = |new: &mut Study| new.setting.cluster = Some(Cluster::default());
        assert_eq!(named(&cluster), ["network between machines", "table entries exchanged"]);
        let both = named(&|new| {
            with(network.clone())(new);
            cluster(new);
        });
        assert_eq!(both.iter().collect::<BTreeSet<_>>().len(), both.len(), "{both:?}");
    }
}
