//! Games as PGN text, as lines of EPD and as a log of moves.

mod runners;
pub(crate) mod spelling;
mod style;
pub(crate) mod variant;
pub(crate) mod words;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;

use chess::text::{PGN_WIDTH, fill};
use sys::provenance::YEAR_10000;

use crate::adjudicate::Manner;
use crate::boards::Running;
use crate::eco;
use crate::identity::Identity;
use crate::record::{GameRecord, MoveRecord};

pub use runners::write_final_position;
pub use style::{Fields, Notation, Style};

/// What a PGN header says of the tournament and not of the game, and how games are written.
#[derive(Debug, Clone, Default)]
pub struct Event {
    /// The event's name.
    pub name: String,
    /// Where it takes place; unknown if empty.
    pub site: String,
    /// What the players' engines call themselves, and who wrote them, by the number that games have for them;
    /// nothing if unknown.
    pub engines: Vec<Vec<Identity>>,
    /// How games are written.
    pub style: Style,
    /// The players' names.
    pub players: Vec<String>,
    /// The players' limits in words (`8+0.08`).
    pub limits: Vec<String>,
    /// The players' programs, by the number that games have for them ([`GameRecord::engines`]); none if
    /// unknown.
    pub programs: Vec<Vec<String>>,
}

/// Writes a game. Comments after the moves hold `evaluation/depth time nodes`, as cutechess writes them,
/// `book` after the moves of the opening, and the reason of the result after the last.
///
/// # Errors
/// Those of the output.
pub fn write_game(out: &mut impl Write, event: &Event, game: &GameRecord) -> io::Result<()> {
    match event.style.manner {
        Manner::House => write_house(out, event, game),
        Manner::Fastchess | Manner::Cutechess => out.write_all(runners::game(event, game).as_bytes()),
    }
}

fn write_house(out: &mut impl Write, event: &Event, game: &GameRecord) -> io::Result<()> {
    let (date, time) = date_time(game.started_ms);
    let mut tag = |name: &str, value: &str| write_tag(out, name, value);
    tag("Event", &event.name)?;
    tag("Site", if event.site.is_empty() { "?" } else { &event.site })?;
    tag("Date", &date)?;
    tag("Round", &format!("{}.{}", game.round, game.id + 1))?;
    tag("White", &event.players[game.white])?;
    tag("Black", &event.players[game.black])?;
    tag("Result", game.result.text())?;
    tag("UTCTime", &time)?;
    if game.chess960 {
        tag("Variant", "Chess960")?;
    }
    if let Some(fen) = &game.fen {
        tag("SetUp", "1")?;
        tag("FEN", fen)?;
    }
    tag("PlyCount", &game.moves.len().to_string())?;
    if let Some(named) = opening(game) {
        tag("ECO", named.code)?;
        tag("Opening", named.name)?;
    }
    let stamp = |ms: u64| {
        let (date, time) = date_time(ms);
        format!("{}T{time}Z", date.replace('.', "-"))
    };
    tag("GameStartTime", &stamp(game.started_ms))?;
    tag("GameEndTime", &stamp(game.end_ms()))?;
    for (name, limits) in time_controls(&event.limits[game.white], &event.limits[game.black]) {
        tag(name, limits)?;
    }
    let programs = event.programs.get(game.engines);
    for (name, player) in [("EngineWhite", game.white), ("EngineBlack", game.black)] {
        let engine = event.engines.get(game.engines).and_then(|engines| engines.get(player));
        for (what, text) in [
            ("Name", engine.and_then(|engine| engine.name.as_ref())),
            ("Author", engine.and_then(|engine| engine.author.as_ref())),
        ] {
            if let Some(text) = text {
                tag(&format!("{name}{what}"), text)?;
            }
        }
    }
    for (name, player) in [("WhiteProgram", game.white), ("BlackProgram", game.black)] {
        // A journal may not know it.
        if let Some(program) =
            programs.and_then(|programs| programs.get(player)).filter(|line| !line.is_empty())
        {
            tag(name, program)?;
        }
    }
    tag("Termination", game.ending.pgn_termination())?;
    tag("Ending", &game.ending.to_string())?;
    writeln!(out)?;
    write_moves(out, &event.style.fields, game)?;
    writeln!(out)
}

fn write_tag(out: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    out.write_all(tag_line(name, value).as_bytes())
}

/// The line of a tag, whatever its value holds.
fn tag_line(name: &str, value: &str) -> String {
    let value = printable(value).replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{name} \"{value}\"]\n")
}

/// A text with blanks for line breaks, tabs and other control characters: PGN has none of them in tags and
/// comments, and engines choose their names themselves.
fn printable(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Writes a game that is being played, as far as it has come.
///
/// # Errors
/// Those of the output.
pub fn write_running(out: &mut impl Write, event: &Event, game: &Running) -> io::Result<()> {
    let begin = &game.begin;
    let (date, time) = date_time(begin.started_ms);
    let [white, black] = &game.names;
    let mut tag = |name: &str, value: &str| write_tag(out, name, value);
    tag("Event", &event.name)?;
    tag("Site", if event.site.is_empty() { "?" } else { &event.site })?;
    tag("Date", &date)?;
    tag("Round", &format!("{}.{}", begin.round, game.game))?;
    tag("White", white)?;
    tag("Black", black)?;
    tag("Result", "*")?;
    tag("UTCTime", &time)?;
    if begin.chess960 {
        tag("Variant", "Chess960")?;
    }
    if let Some(fen) = &begin.fen {
        tag("SetUp", "1")?;
        tag("FEN", fen)?;
    }
    let [white, black] = begin.players.map(|player| event.limits.get(player).map_or("?", String::as_str));
    for (name, limits) in time_controls(white, black) {
        tag(name, limits)?;
    }
    writeln!(out)?;
    let mut words = words(&game.moves, begin.fen.as_deref(), &event.style.fields, None);
    words.push("*".to_owned());
    writeln!(out, "{}", fill(words, PGN_WIDTH))
}

/// The tags of both players' limits: one where they are the same.
fn time_controls<'a>(white: &'a str, black: &'a str) -> Vec<(&'static str, &'a str)> {
    if white == black {
        vec![("TimeControl", white)]
    } else {
        vec![("WhiteTimeControl", white), ("BlackTimeControl", black)]
    }
}

/// The opening that a game from the usual start position has.
fn opening(game: &GameRecord) -> Option<eco::Named> {
    let usual = game.fen.is_none() && !game.chess960;
    usual.then(|| eco::opening(game.moves.iter().map(|mv| mv.san.as_str()))).flatten()
}

fn write_moves(out: &mut impl Write, fields: &Fields, game: &GameRecord) -> io::Result<()> {
    let mut words = words(&game.moves, game.fen.as_deref(), fields, Some(&game.reason));
    if game.moves.is_empty() {
        words.extend(braced(&game.reason));
    }
    words.push(game.result.text().to_owned());
    out.write_all(fill(words, PGN_WIDTH).as_bytes())
}

/// Moves with their numbers and comments, in words; the last comment ends with `end`.
fn words(moves: &[MoveRecord], fen: Option<&str>, fields: &Fields, end: Option<&str>) -> Vec<String> {
    let (number, white) = first_move(fen);
    let mut words = Vec::new();
    let last = moves.len().saturating_sub(1);
    for ((index, mv), number) in moves.iter().enumerate().zip(numbers(number, white)) {
        words.extend(number);
        words.push(mv.san.clone());
        let comment = comment(mv, fields);
        words.extend(match end.filter(|_| index == last) {
            Some(end) => braced(&format!("{comment}; {end}")),
            None => braced(&comment),
        });
    }
    words
}

/// What stands before each move from that of this number and colour on: `12.` before White's, `12...` before the first
/// if it is Black's, and nothing before others.
pub(crate) fn numbers(first: u32, white: bool) -> impl Iterator<Item = Option<String>> {
    (u32::from(!white)..).enumerate().map(move |(index, ply)| {
        let number = first.saturating_add(ply / 2);
        match index {
            _ if ply % 2 == 0 => Some(format!("{number}.")),
            0 => Some(format!("{number}...")),
            _ => None,
        }
    })
}

/// A comment in words.
fn braced(comment: &str) -> Vec<String> {
    let braced = format!("{{{}}}", printable(comment).replace(['{', '}'], "'"));
    braced.split_whitespace().map(str::to_owned).collect()
}

fn first_move(fen: Option<&str>) -> (u32, bool) {
    let mut fields = fen.unwrap_or_default().split(' ');
    let white = fields.nth(1) != Some("b");
    let number = fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
    (number, white)
}

fn comment(mv: &MoveRecord, fields: &Fields) -> String {
    let Some(us) = mv.time_us() else { return "book".to_owned() };
    let mut text = String::new();
    match mv.score {
        Some(score) => text.push_str(&evaluation(score)),
        None => text.push('?'),
    }
    let _ = write!(text, "/{} {:.3}s", mv.depth.unwrap_or(0), us as f64 / 1e6);
    if let Some(nodes) = mv.nodes {
        let _ = write!(text, " n={nodes}");
    }
    for (name, value) in fields.said(mv) {
        let _ = write!(text, " {name}={value}");
    }
    text
}

/// An evaluation in pawns. A mate within a thousand moves stands in a record as 100,000 less its distance
/// ([`client::info::Evaluation`]); whatever is below that is an evaluation like any other, however large.
pub(crate) fn evaluation(score: i32) -> String {
    match score.unsigned_abs() {
        distance @ 99_000..=100_000 => {
            let sign = if score > 0 { '+' } else { '-' };
            format!("{sign}M{}", 100_000 - distance)
        }
        _ => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

/// Writes the moves of a game as lines of JSON: game, ply, player, move, time, clock, evaluation, depth,
/// nodes.
///
/// # Errors
/// Those of the output.
pub fn write_moves_jsonl(out: &mut impl Write, event: &Event, game: &GameRecord) -> io::Result<()> {
    let (_, white_first) = first_move(game.fen.as_deref());
    for (index, mv) in game.moves.iter().enumerate() {
        let white = (index % 2 == 0) == white_first;
        let player = if white { game.white } else { game.black };
        let line = json!({
            "game": game.id, "ply": index + 1, "side": if white { "white" } else { "black" },
            "player": event.players[player], "san": mv.san, "uci": mv.uci, "book": mv.ms.is_none(),
            "ms": mv.ms, "clock_ms": mv.clock_ms, "score": mv.score, "depth": mv.depth, "nodes": mv.nodes,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// `YYYY.MM.DD` and `HH:MM:SS` of a Unix time in milliseconds; of one that does not fit, the last that does.
pub(crate) fn date_time(unix_ms: u64) -> (String, String) {
    let moment = UNIX_EPOCH + Duration::from_secs((unix_ms / 1000).min(YEAR_10000 - 1));
    let text = humantime::format_rfc3339_seconds(moment).to_string();
    let (date, time) = text.split_once('T').unwrap_or_default();
    (date.replace('-', "."), time.trim_end_matches('Z').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::game;
    use crate::record::{Ending, Said, Score};
    use crate::replay::replay;

    fn event() -> Event {
        Event {
            name: "A \"test\"".into(),
            players: vec!["Alpha".into(), "Beta".into()],
            limits: vec!["1+0.01".into(), "1+0.01".into()],
            programs: vec![vec!["Alpha 1; program a sha256 0123".into(), "Beta 2".into()]],
            ..Event::default()
        }
    }

    fn mv(san: &str, uci: &str, ms: Option<u64>, score: Option<i32>) -> MoveRecord {
        MoveRecord {
            ms,
            score,
            depth: Some(3),
            nodes: Some(9),
            ..MoveRecord::of_opening(san.into(), uci.into())
        }
    }

    #[test]
    fn dates_are_dates() {
        assert_eq!(date_time(0), ("1970.01.01".into(), "00:00:00".into()));
        // date -u -d @1709210096
        assert_eq!(date_time(1_709_210_096_000), ("2024.02.29".into(), "12:34:56".into()));
        // Of a damaged file.
        assert_eq!(date_time(u64::MAX), ("9999.12.31".into(), "23:59:59".into()));
    }

    /// The end is what the record has of it, or else follows from the beginning and the length. Each runner writes it
    /// in its own way.
    #[test]
    fn a_game_has_its_end() {
        // date -u -d @1709251196
        let (started_ms, wall_ms) = (1_709_251_196_000, 3_999);
        for (ended_ms, second) in [(None, "59"), (Some(1_709_251_197_999), "57")] {
            let record = GameRecord { started_ms, wall_ms, ended_ms, ..game(0) };
            for (manner, end) in [
                (Manner::House, format!("2024-02-29T23:59:{second}Z")),
                (Manner::Fastchess, format!("2024-02-29T23:59:{second} +0000")),
                (Manner::Cutechess, format!("2024-02-29T23:59:{second}.999 UTC")),
            ] {
                let style = Style { manner, ..Style::default() };
                let mut text = Vec::new();
                write_game(&mut text, &Event { style, ..event() }, &record).unwrap();
                let text = String::from_utf8(text).unwrap();
                assert!(text.contains(&format!("[GameEndTime \"{end}\"]")), "{text}");
            }
        }
    }

    /// A stranger reads what was written: pgn-reader for the text, shakmaty for the moves.
    #[test]
    fn what_is_written_can_be_read_and_replayed() {
        let mut record = game(0);
        record.fen = Some("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2".into());
        record.moves = vec![mv("Qh4#", "d8h4", Some(12), Some(99_999))];
        (record.result, record.ending) = (Score::Black, Ending::Checkmate);
        record.reason = "Black {mates}".into();
        let mut text = Vec::new();
        write_game(&mut text, &event(), &record).unwrap();
        let replayed = replay(&text[..]).unwrap();
        assert_eq!(replayed.len(), 1);
        assert_eq!(replayed[0].problems, Vec::<String>::new());
        assert_eq!((replayed[0].result.as_str(), replayed[0].players[0].as_str()), ("0-1", "Alpha"));
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("2... Qh4# {+M1/3 0.012s n=9; Black 'mates'} 0-1"), "{text}");
        assert!(text.lines().all(|line| line.len() <= PGN_WIDTH));
        assert!(
            text.contains("[WhiteProgram \"Alpha 1; program a sha256 0123\"]\n[BlackProgram \"Beta 2\"]"),
            "{text}"
        );
    }

    #[test]
    fn an_evaluation_out_of_range_is_not_a_mate() {
        for (score, written) in [
            (99_999, "+M1"),
            (-99_997, "-M3"),
            (100_000, "+M0"),
            (98_999, "+989.99"),
            (-99_000, "-M1000"),
            (150_000, "+1500.00"),
            (100_001, "+1000.01"),
            (-150_000, "-1500.00"),
            (i32::MAX, "+21474836.47"),
            (i32::MIN, "-21474836.48"),
            (0, "+0.00"),
            (-3, "-0.03"),
        ] {
            assert_eq!(evaluation(score), written);
        }
    }

    /// Every field is written where it is wanted, the text stays readable, and the opening has its name.
    #[test]
    fn fields_are_written_as_wanted() {
        let mut record = game(0);
        let said = Said {
            seldepth: Some(7),
            nps: Some(1000),
            hashfull: Some(5),
            tb_hits: Some(0),
            pv: "c7c5 g1f3".into(),
            line: Some("info string \"x\" {y}".into()),
        };
        record.moves = vec![
            mv("e4", "e2e4", None, None),
            MoveRecord {
                said: Some(Box::new(said)),
                clock_ms: Some(950),
                reported_ms: Some(10),
                told_ms: Some(12),
                ..mv("c5", "c7c5", Some(12), Some(-3))
            },
        ];
        let write = |fields: Fields| {
            let mut text = Vec::new();
            let style = Style { fields, ..Style::default() };
            write_game(&mut text, &Event { style, ..event() }, &record).unwrap();
            String::from_utf8(text).unwrap()
        };
        let all = write(Fields::all());
        let flat = all.replace('\n', " ");
        assert!(
            flat.contains(
                "{-0.03/3 0.012s n=9 sd=7 nps=1000 hashfull=5 tbhits=0 tl=0.950s latency=0.002s \
                 pv=\"c7c5 g1f3\" line=\"info string 'x' 'y'\"; "
            ),
            "{all}"
        );
        assert!(all.contains("[ECO \"B20\"]\n[Opening \"Sicilian defence\"]"), "{all}");
        assert_eq!(replay(all.as_bytes()).unwrap()[0].plies, 2);
        assert!(!write(Fields::default()).contains("sd="));
        assert_eq!("seldepth,pv".parse(), Ok(Fields { seldepth: true, pv: true, ..Fields::default() }));
        let refusal = "seldepth,x".parse::<Fields>().unwrap_err();
        assert!(refusal.contains("`x`"), "{refusal}");
        // Every field that the refusal names is one, and another than the rest.
        let (_, named) = refusal.split_once("there are ").unwrap();
        let fields: Vec<Fields> =
            named.replace(" and ", ", ").split(", ").map(|name| name.parse().unwrap()).collect();
        assert_eq!(fields.len(), 9);
        assert!((1..9).all(|at| !fields[..at].contains(&fields[at])), "{fields:?}");
    }

    /// Rounded down, a sum over many moves would be too small.
    #[test]
    fn times_are_rounded_to_the_nearest_millisecond() {
        for (us, written) in [(None, "0.012s"), (Some(499), "0.012s"), (Some(501), "0.013s")] {
            let record = MoveRecord { us, ..mv("e4", "e2e4", Some(12), Some(5)) };
            assert_eq!(comment(&record, &Fields::default()), format!("+0.05/3 {written} n=9"));
        }
    }

    /// In every runner's manner.
    #[test]
    fn each_side_has_the_time_control_of_its_player() {
        let limits = ["1+0.01", "2"].map(str::to_owned).to_vec();
        for manner in [Manner::House, Manner::Fastchess, Manner::Cutechess] {
            let style = Style { manner, ..Style::default() };
            let event = Event { limits: limits.clone(), style, ..event() };
            for (id, white, black) in [(0, "1+0.01", "2"), (1, "2", "1+0.01")] {
                let mut text = Vec::new();
                write_game(&mut text, &event, &game(id)).unwrap();
                let text = String::from_utf8(text).unwrap();
                for tag in [
                    format!("[White \"{}\"]\n", event.players[id]),
                    format!("[WhiteTimeControl \"{white}\"]\n"),
                    format!("[BlackTimeControl \"{black}\"]\n"),
                ] {
                    assert!(text.contains(&tag), "{manner:?}: {tag}{text}");
                }
            }
        }
    }

    /// The moves of a game as they are written in lines of JSON.
    fn json_lines(record: &GameRecord) -> Vec<serde_json::Value> {
        let mut text = Vec::new();
        write_moves_jsonl(&mut text, &event(), record).unwrap();
        String::from_utf8(text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// In the lines as in the sums over a player's moves.
    #[test]
    fn where_black_begins_the_first_move_is_of_black() {
        let mut record = game(0);
        record.fen = Some("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2".into());
        record.moves = vec![mv("d6", "d7d6", Some(7), None), mv("e4", "e2e4", Some(7), None)];
        let lines = json_lines(&record);
        let of = |line: &serde_json::Value| ["side", "player"].map(|key| line[key].clone());
        assert_eq!(lines.iter().map(of).collect::<Vec<_>>(), [["black", "Beta"], ["white", "Alpha"]]);
        assert_eq!(record.moves_by_player().map(|(player, _)| player).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn moves_as_json_lines() {
        let mut record = game(0);
        record.moves = vec![mv("e4", "e2e4", None, None), mv("e5", "e7e5", Some(7), Some(-3))];
        let lines = json_lines(&record);
        assert_eq!(lines[0]["book"], true);
        assert_eq!((lines[1]["player"].as_str(), lines[1]["ms"].as_u64()), (Some("Beta"), Some(7)));
    }
}
