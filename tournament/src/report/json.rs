//! A report as a JSON document.

use serde_json::{Value, json};

use super::Report;
use crate::archive::Kind;
use crate::stats::ratings::Field;
use crate::summary::{
    by_seed_json, counts, crosstable_json, match_json, number, player_json, sprt_json, word,
};
use crate::survey::{EngineStatistics, Phase, PhaseSums};

/// The version of the document.
const SCHEMA: u32 = 1;

impl Report<'_> {
    /// The report as one JSON document. Names that the document of a tournament has, too, mean the same here.
    #[must_use]
    pub fn json(&self) -> Value {
        let (survey, standings) = (self.survey, &self.survey.standings);
        let (field, count) = (self.field(), self.players().len());
        let moves: u64 = (0..count).map(|player| survey.engine(player).all().moves).sum();
        let players: Vec<Value> =
            standings.ranking().into_iter().map(|player| self.player(&field, player)).collect();
        let mut document = json!({
            "schema": SCHEMA, "event": self.event, "verdict": self.headline(&field),
            "files": self.files_json(),
            "players": players, "names": self.players(),
            "winner": standings.winner().map(|winner| &self.players()[winner]),
            "by_seed": by_seed_json(standings, self.players()),
            "games": standings.games(), "scheduled": self.scheduled,
            "moves": moves, "plies": survey.plies(),
            "no_interval": field.no_interval.map(|reason| reason.to_string()),
            "llr": self.test().map(|(_, llr, _)| number(llr)),
            "endings": counts(standings.endings().iter()),
            "white": standings.white(),
            "crosstable": crosstable_json(standings, count),
            "meetings": self.meetings(),
            "openings": self.openings_json(),
            "forfeits": survey.forfeits().iter().map(|forfeit| json!({
                "game": forfeit.game, "ending": forfeit.ending, "reason": forfeit.reason,
            })).collect::<Value>(),
            "runs": self.tournaments.iter().flat_map(|t| &t.runs).collect::<Vec<_>>(),
            "notes": self.notes,
            "provenance": self.provenance,
        });
        if let Some((rule, _, verdict)) = self.test() {
            document["sprt"] = sprt_json(standings, rule, word(verdict));
        }
        if let Some(result) = match_json(standings, count) {
            document["match"] = result;
        }
        let pairs: Vec<Value> = survey
            .pairs()
            .map(|pair| {
                json!({
                    "players": pair.players.map(|player| &self.players()[player]),
                    "points": pair.points, "opening": survey.openings.list()[pair.opening].name,
                })
            })
            .collect();
        if !pairs.is_empty() {
            document["pairs"] = pairs.into();
        }
        document
    }

    fn files_json(&self) -> Value {
        self.files
            .iter()
            .map(|file| {
                let kind = if file.kind == Kind::Journal { "journal" } else { "pgn" };
                json!({
                    "path": file.path.display().to_string(), "kind": kind, "games": file.games,
                    "left_out": file.left_out, "bad": file.bad, "torn": file.torn,
                })
            })
            .collect()
    }

    fn player(&self, field: &Field, player: usize) -> Value {
        let mut value = player_json(&self.players()[player], &self.survey.standings, field, player);
        let engine = self.survey.engine(player);
        value["anchor"] = self.anchors.get(player).copied().flatten().into();
        value["engine"] = engine_json(engine);
        value
    }

    fn meetings(&self) -> Value {
        let (players, standings) = (self.players(), &self.survey.standings);
        let mut meetings = Vec::new();
        for a in 0..players.len() {
            for b in standings.opponents(a).filter(|&b| b > a) {
                let results = standings.between(a, b);
                let speed = self.survey.speed(a, b);
                let ends = speed.and_then(|speed| speed.interval());
                meetings.push(json!({
                    "first": players[a], "second": players[b], "results": results,
                    "speed": speed.map(|speed| number(speed.value())),
                    "speed_low": ends.map(|ends| number(ends.0)), "speed_high": ends.map(|ends| number(ends.1)),
                    "speed_games": speed.map(|speed| speed.count),
                }));
            }
        }
        meetings.into()
    }

    fn openings_json(&self) -> Value {
        let opening = |opening: &crate::survey::Opening| {
            json!({
                "name": opening.name, "games": opening.white.games(), "white": opening.white,
                "plies": number(opening.mean_plies()), "remark": opening.remark(),
            })
        };
        self.survey.openings.list().iter().map(opening).collect()
    }
}

fn engine_json(engine: &EngineStatistics) -> Value {
    let sums = |sums: &PhaseSums| {
        let whole = |value: Option<f64>| value.map(number);
        json!({
            "moves": sums.moves, "time_ms": whole(sums.time_ms()), "depth": whole(sums.mean_depth()),
            "nodes": whole(sums.mean_nodes()), "nps": whole(sums.nps()),
        })
    };
    let mut value = sums(&engine.all());
    let phases = Phase::ALL.into_iter().zip(&engine.phases);
    value["phases"] = phases
        .map(|(phase, part)| (phase.name().to_owned(), sums(part)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    value["longest_ms"] = engine.longest_ms.into();
    value["cpus"] = engine.processors().map(number).into();
    value["closest_shave"] = engine
        .shave
        .map_or(Value::Null, |shave| json!({"ms": shave.ms, "game": shave.game, "ply": shave.ply}));
    value
}
