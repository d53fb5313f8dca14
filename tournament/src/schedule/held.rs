//! Finished games held against the plan: a game that the plan does not have so was not played in it.

use std::collections::HashMap;

use serde_json::Value;

use super::plans::{PLAN, RunnerPlan};
use super::{Colours, Edition, Format, Next, Pairing, PlanRules, Policy, Schedule, check_games};

/// What a journal says of a game, as far as a plan decides it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// Its number.
    pub id: usize,
    /// Its pair of games.
    pub encounter: usize,
    /// White and Black.
    pub players: [usize; 2],
    /// Its round and its opening, where the reader knows them.
    pub place: Option<(usize, usize)>,
    /// White's points.
    pub points: f64,
}

impl Held {
    /// What is wrong with it as this game of the plan.
    fn fault(&self, plan: &Pairing) -> Option<String> {
        let number = self.id + 1;
        let says = |what: &str, theirs: usize, ours: usize| {
            format!("has {what} {theirs} in game {number}, where the plan has {ours}")
        };
        let planned = [plan.white, plan.black];
        let (round, opening) = self.place.unwrap_or((plan.round, plan.opening));
        if self.players != planned {
            let [white, black] = self.players.map(|player| player + 1);
            let [first, second] = planned.map(|player| player + 1);
            return Some(format!(
                "is game {number} of player {white} against player {black}, where the plan has \
                 {first} against {second}"
            ));
        }
        if self.encounter != plan.encounter {
            return Some(says("encounter", self.encounter, plan.encounter));
        }
        if round != plan.round {
            return Some(says("round", round, plan.round));
        }
        (opening != plan.opening).then(|| says("opening", opening, plan.opening))
    }
}

impl Schedule {
    /// The schedule of the tournament that a journal describes, with so many rounds; another runner's plan has its
    /// own. `None` where that does not say enough (it is a collection, or older than such plans are kept), or has
    /// more games than a tournament may have.
    #[must_use]
    pub fn described(description: &Value, rounds: Option<u64>) -> Option<Self> {
        let of = |key: &str| description.get(key).cloned();
        let players = description["players"].as_array()?.len();
        if of("merged").is_some() || players < 2 {
            return None;
        }
        if of(PLAN).is_some() {
            return RunnerPlan::described(description).map(|plan| plan.schedule());
        }
        let format: Format = serde_json::from_value(of("format")?).ok()?;
        let single = description["single"].as_bool()?;
        let rounds = usize::try_from(rounds?).ok().filter(|rounds| *rounds <= 1_000_000)?;
        if format.check(players).is_err() {
            return None;
        }
        check_games(format.meetings(players), rounds, if single { 1 } else { 2 }).ok()?;
        let policy = of("policy").map_or(Ok(Policy::default()), serde_json::from_value).ok()?;
        let colours = of("colours").map_or(Ok(Colours::default()), serde_json::from_value).ok()?;
        let edition = Edition::of(description)?;
        Some(Self::with(format, players, rounds, single, PlanRules { policy, colours, edition }))
    }

    /// The first of these games that this plan, of which none is played yet, does not have so, and what is
    /// wrong with it. `whole`: whether they are all that were played; otherwise a Swiss or a knockout may
    /// lack the games that decide who meets later, and those that cannot be known are believed.
    #[must_use]
    pub fn fault(&self, games: &[Held], whole: bool) -> Option<(usize, String)> {
        let places: HashMap<usize, usize> =
            games.iter().enumerate().map(|(at, game)| (game.id, at)).collect();
        let results = |id: usize| places.get(&id).map(|&at| games[at].points);
        let mut plan = self.clone();
        let mut planned = vec![None; games.len()];
        let open = loop {
            match plan.next(&results) {
                Next::Game(pairing) => {
                    if let Some(&at) = places.get(&pairing.id) {
                        planned[at] = Some(pairing);
                    }
                }
                Next::Wait => break true,
                Next::Done => break false,
            }
        };
        let believed = open && !whole;
        let most = self.most();
        games.iter().zip(planned).enumerate().find_map(|(at, (game, pairing))| {
            let fault = match pairing {
                Some(pairing) => game.fault(&pairing),
                None if believed && game.id < most => None,
                None => Some(format!("is game {}, which the plan does not have", game.id.saturating_add(1))),
            };
            fault.map(|fault| (at, fault))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// All games of a plan, White winning each.
    fn games(plan: &Schedule) -> Vec<Held> {
        let (mut plan, mut games) = (plan.clone(), Vec::new());
        while let Next::Game(game) = plan.next(&|_| Some(1.0)) {
            let Pairing { id, encounter, round, opening, white, black } = game;
            games.push(Held {
                id,
                encounter,
                players: [white, black],
                place: Some((round, opening)),
                points: 1.0,
            });
        }
        games
    }

    #[test]
    fn games_are_those_of_the_plan() {
        for format in Format::ALL {
            let plan = Schedule::new(format, 4, 2, false);
            let mut all = games(&plan);
            assert!(all.len() >= 12, "{format:?}");
            assert_eq!(plan.fault(&all, true), None, "{format:?}");
            // In any order, and as far as they are played.
            all.truncate(7);
            all.reverse();
            assert_eq!(plan.fault(&all, true), None, "{format:?}");
            let wrong = |change: &dyn Fn(&mut Held)| {
                let mut games = all.clone();
                change(&mut games[2]);
                let (at, fault) = plan.fault(&games, true).unwrap();
                // Where the number is another one, later stages may not be known.
                assert!(at <= 2, "{format:?}: {at}: {fault}");
                fault
            };
            assert!(wrong(&|game| game.id += 1000).contains("which the plan does not have"));
            assert!(wrong(&|game| game.players.reverse()).contains("where the plan has"));
            assert!(wrong(&|game| game.encounter += 1).contains("has encounter"));
            assert!(wrong(&|game| game.place = Some((9, 0))).contains("has round 9"));
            assert!(wrong(&|game| game.place.as_mut().unwrap().1 += 5).contains("has opening"));
        }
    }

    /// The second stage of a Swiss alone is a part of a journal: nothing is known against it but its numbers.
    #[test]
    fn what_cannot_be_known_is_believed_of_a_part() {
        let plan = Schedule::new(Format::Swiss(2), 4, 1, false);
        let part = games(&plan)[4..].to_vec();
        assert_eq!(plan.fault(&part, false), None);
        assert!(plan.fault(&part, true).is_some());
        let beyond = [Held { id: 8, ..part[0] }];
        assert!(plan.fault(&beyond, false).is_some());
    }

    #[test]
    fn a_schedule_is_the_described_one() {
        let mut described = json!({"players": [{}, {}], "format": "round-robin", "single": false});
        let colours =
            |described: &Value| Schedule::described(described, Some(2)).map(|plan| games(&plan)[0].players);
        assert_eq!(colours(&described), Some([0, 1]));
        described["colours"] = json!({"no_swap": false, "reverse": true});
        assert_eq!(colours(&described), Some([1, 0]));
        described["merged"] = 2.into();
        assert_eq!(colours(&described), None);
        assert_eq!(colours(&json!({"players": [{}, {}], "runner": "Fastchess"})), None);
    }

    /// Another runner's plan is made again from what a journal says of it, and none is made that fits no field or
    /// no memory, whatever the journal says.
    #[test]
    fn a_runners_plan_is_the_described_one() {
        let fastchess = json!({"fastchess": {"players": 3, "seeds": 2, "rounds": 2, "games": 2, "no_swap": false,
            "reverse": false, "book": 5}});
        let cutechess = json!({"cutechess": {"format": {"gauntlet": 1}, "players": 3, "rounds": 2, "games": 2,
            "repeat": 2, "policy": "default", "no_swap": false, "reverse": true}});
        let colours = json!({"no_swap": false, "reverse": false});
        let knockout =
            json!({"knockout": {"order": [2, 0, 1], "games": 2, "policy": "round", "colours": colours}});
        let described = |plan: &Value| {
            let description = json!({"players": [{}, {}, {}], "single": false, "plan": plan});
            Schedule::described(&description, None)
        };
        let sides = |plan: &Value| -> Vec<[usize; 2]> {
            described(plan)
                .map(|plan| games(&plan))
                .unwrap_or_default()
                .iter()
                .map(|game| game.players)
                .collect()
        };
        assert_eq!(sides(&fastchess)[..6], [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]);
        assert_eq!(sides(&cutechess)[..4], [[1, 0], [0, 1], [2, 0], [0, 2]]);
        // The best seed has the bye.
        assert_eq!(sides(&knockout)[..2], [[0, 1], [1, 0]]);
        for plan in [&fastchess, &cutechess, &knockout] {
            let Some((kind, fields)) = plan.as_object().and_then(|plan| plan.iter().next()) else { continue };
            for (key, wrong) in [
                ("players", json!(4)),
                ("players", json!(u64::MAX)),
                ("rounds", json!(0)),
                ("rounds", json!(u64::MAX)),
                ("games", json!(0)),
                ("games", json!(u64::MAX)),
                ("order", json!([0, 1, 1])),
                ("order", json!([0, 1])),
                ("order", json!([0, 1, u64::MAX])),
            ] {
                if fields.get(key).is_some() {
                    let mut bad = plan.clone();
                    bad[kind][key] = wrong;
                    assert!(described(&bad).is_none(), "{bad}");
                }
            }
        }
        let mut none = fastchess.clone();
        (none["fastchess"]["seeds"], none["fastchess"]["rounds"]) = (json!(0), json!(u64::MAX));
        assert!(described(&none).is_none(), "no meetings, so many rounds");
    }
}
