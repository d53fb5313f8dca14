//! Games as fastchess and cutechess-cli write them: the same tags in the same order, comments and lines.

use std::io::{self, Write};

use chess::text::fill;
use chess::{Game, Position};

use super::{
    Event, Fields, Notation, Style, date_time, numbers, opening, printable, tag_line, time_controls,
};
use crate::adjudicate::Manner;
use crate::frontend::reasons::reason;
use crate::record::{Ending, GameRecord, MoveRecord};

/// A mate stands in a record as this much less its distance in moves.
const MATE: i32 = 100_000;
/// The longest line of moves.
const WIDTH: usize = 80;
/// The longest mate in a record.
const LONGEST_MATE: i32 = 1_000;

/// A game, with the empty line that follows it.
pub(super) fn game(event: &Event, game: &GameRecord) -> String {
    let style = &event.style;
    let fastchess = style.manner == Manner::Fastchess;
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| text.push_str(&tag_line(name, value));
    let or_unknown = |text: &str| if text.is_empty() { "?".to_owned() } else { text.to_owned() };
    tag("Event", &or_unknown(&event.name));
    tag("Site", &or_unknown(&event.site));
    tag("Date", &date_time(game.started_ms).0);
    tag("Round", &game.round.to_string());
    tag("White", &event.players[game.white]);
    tag("Black", &event.players[game.black]);
    tag("Result", game.result.text());
    let tags = if fastchess { fastchess_tags(event, game) } else { cutechess_tags(event, game) };
    tags.into_iter().for_each(|(name, value)| tag(name, &value));
    text.push('\n');
    write_moves(&mut text, style, game);
    text.push('\n');
    text
}

/// The start position as the runner writes it.
fn start_fen(manner: Manner, game: &GameRecord) -> Option<String> {
    let position = Position::from_fen(game.fen.as_deref()?).ok()?;
    Some(match manner {
        Manner::Fastchess if game.chess960 => position.shredder_fen(),
        _ => position.fen(),
    })
}

type Tags = Vec<(&'static str, String)>;

fn fastchess_tags(event: &Event, game: &GameRecord) -> Tags {
    let (style, mut tags) = (&event.style, Tags::new());
    if !style.minimal {
        let engines = event.engines.get(game.engines);
        let engine = |player: usize| engines.and_then(|engines| engines.get(player));
        let name = |player| engine(player).and_then(|engine| engine.name.clone()).unwrap_or_default();
        let author = |player| engine(player).and_then(|engine| engine.author.clone()).unwrap_or_default();
        let told = [
            ("EngineWhiteName", name(game.white)),
            ("EngineWhiteAuthor", author(game.white)),
            ("EngineBlackName", name(game.black)),
            ("EngineBlackAuthor", author(game.black)),
        ];
        // What an engine does not say of itself has no tag.
        tags.extend(told.into_iter().filter(|(_, value)| !value.is_empty()));
    }
    if let Some(fen) = start_fen(style.manner, game) {
        tags.push(("SetUp", "1".to_owned()));
        tags.push(("FEN", fen));
    }
    if game.chess960 {
        tags.push(("Variant", "Chess960".to_owned()));
    }
    if style.minimal {
        return tags;
    }
    let stamp = |ms: u64| {
        let (date, time) = date_time(ms);
        format!("{}T{time} +0000", date.replace('.', "-"))
    };
    tags.push(("GameDuration", duration(game.wall_ms)));
    tags.push(("GameStartTime", stamp(game.started_ms)));
    tags.push(("GameEndTime", stamp(game.end_ms())));
    let unwritten = usize::from(game.ending == Ending::IllegalMove);
    tags.push(("PlyCount", (game.moves.len() + unwritten).to_string()));
    tags.push(("Termination", termination(game.ending).to_owned()));
    let controls = time_controls(&event.limits[game.white], &event.limits[game.black]);
    tags.extend(controls.into_iter().map(|(name, limits)| (name, limits.to_owned())));
    if let Some(named) = opening(game) {
        tags.push(("ECO", named.code.to_owned()));
        tags.push(("Opening", named.name.to_owned()));
    }
    tags
}

/// In alphabetical order, as cutechess-cli has them.
fn cutechess_tags(event: &Event, game: &GameRecord) -> Tags {
    let (style, mut tags) = (&event.style, Tags::new());
    if let Some(fen) = start_fen(style.manner, game) {
        tags.push(("FEN", fen));
        tags.push(("SetUp", "1".to_owned()));
    }
    if game.chess960 {
        tags.push(("Variant", "fischerandom".to_owned()));
    }
    if style.minimal {
        return tags;
    }
    let stamp = |ms: u64| {
        let (date, time) = date_time(ms);
        format!("{}T{time}.{:03} UTC", date.replace('.', "-"), ms % 1000)
    };
    tags.push(("GameDuration", duration(game.wall_ms)));
    tags.push(("GameStartTime", stamp(game.started_ms)));
    tags.push(("GameEndTime", stamp(game.end_ms())));
    tags.push(("PlyCount", game.moves.len().to_string()));
    let termination = match game.ending {
        Ending::Stall => "stalled connection",
        other => termination(other),
    };
    if termination != "normal" {
        tags.push(("Termination", termination.to_owned()));
    }
    let controls = time_controls(&event.limits[game.white], &event.limits[game.black]);
    // Limits of nodes and depth are not written, but tell the players' time controls apart.
    let clock = |limits: &str| limits.split(' ').next().unwrap_or_default().to_owned();
    tags.extend(controls.into_iter().map(|(name, limits)| (name, clock(limits))));
    if let Some(named) = opening(game) {
        tags.push(("ECO", named.code.to_owned()));
        tags.push(("Opening", named.name.to_owned()));
    }
    tags.sort_by_key(|(name, _)| *name);
    tags
}

/// The value of the tag `Termination`.
fn termination(ending: Ending) -> &'static str {
    match ending {
        Ending::IllegalMove => "illegal move",
        other => match other.pgn_termination() {
            "rules infraction" => "illegal move",
            word => word,
        },
    }
}

fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn write_moves(text: &mut String, style: &Style, record: &GameRecord) {
    let fen = record.fen.as_deref();
    let start = fen.and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_else(Position::startpos);
    let fastchess = style.manner == Manner::Fastchess;
    let mut game = Game::new(start.clone());
    let first = if fastchess { start.fullmove_number() } else { 1 };
    let numbers = numbers(first, start.side_to_move() == chess::Color::White);
    let mut words = Vec::with_capacity(record.moves.len() + 1);
    for ((index, mv), number) in record.moves.iter().enumerate().zip(numbers) {
        let position = game.position();
        let before = number.map_or_else(String::new, |number| number + " ");
        let spelt = spell(position, mv, style.notation);
        let last = index + 1 == record.moves.len();
        let comment = if style.minimal { String::new() } else { comment(style, mv, last.then_some(record)) };
        words.push(format!("{before}{spelt}{comment}"));
        let Ok(played) = position.parse_san(&mv.san) else { break };
        if game.play(played).is_err() {
            break;
        }
    }
    if record.moves.is_empty() && !style.minimal {
        let reason = printable(&reason(style.manner, record, true)).replace(['{', '}'], "'");
        words.push(format!("{{{reason}}}"));
    }
    words.push(record.result.text().to_owned());
    text.push_str(&fill(words, WIDTH));
}

fn spell(position: &Position, mv: &MoveRecord, notation: Notation) -> String {
    match notation {
        Notation::San => mv.san.clone(),
        Notation::Uci => mv.uci.clone(),
        Notation::Lan => lan(position, &mv.san).unwrap_or_else(|| mv.san.clone()),
    }
}

/// A move with its whole start square; castling as in SAN.
fn lan(position: &Position, san: &str) -> Option<String> {
    let mv = position.parse_san(san).ok()?;
    if mv.is_castling() {
        return Some(san.to_owned());
    }
    let piece = san.chars().next().filter(char::is_ascii_uppercase).map(String::from).unwrap_or_default();
    let takes = if position.is_capture(mv) { "x" } else { "" };
    let end = san.find(['=', '+', '#']).map_or("", |at| &san[at..]);
    Some(format!("{piece}{}{takes}{}{end}", mv.from(), mv.to()))
}

/// The comment behind a move, with a blank before it; behind the last one with the reason of the game's end.
fn comment(style: &Style, mv: &MoveRecord, ended: Option<&GameRecord>) -> String {
    let fastchess = style.manner == Manner::Fastchess;
    let mut parts = vec![match mv.ms {
        None => "book".to_owned(),
        Some(ms) if fastchess => {
            let score = mv.score.map_or_else(|| "0.00".to_owned(), evaluation);
            format!("{score}/{} {:.3}s", mv.depth.unwrap_or(0), ms as f64 / 1000.0)
        }
        Some(ms) => match mv.score {
            Some(score) => {
                format!("{}/{} {}", evaluation(score), mv.depth.unwrap_or(0), cutechess_time(ms))
            }
            None => cutechess_time(ms),
        },
    }];
    if fastchess && mv.ms.is_some() {
        parts.extend(fastchess_fields(&style.fields, mv));
    }
    parts.extend(ended.map(|game| reason(style.manner, game, true)));
    let text = printable(&parts.join(", ")).replace(['{', '}'], "'");
    format!(" {{{text}}}")
}

/// All fields that are wanted; what is not known counts as zero.
fn fastchess_fields(fields: &Fields, mv: &MoveRecord) -> Vec<String> {
    let said = mv.said.as_deref().cloned().unwrap_or_default();
    let seconds = |ms: i64| format!("{:.3}s", ms as f64 / 1000.0);
    let latency = mv.ms.unwrap_or(0) as i64 - mv.reported_ms.unwrap_or(0) as i64;
    let left = mv.clock_ms.unwrap_or(0) as i64;
    [
        (fields.time_left, format!("tl={}", seconds(left))),
        (fields.latency, format!("latency={}", seconds(latency))),
        (fields.nodes, format!("n={}", mv.nodes.unwrap_or(0))),
        (fields.seldepth, format!("sd={}", said.seldepth.unwrap_or(0))),
        (fields.nps, format!("nps={}", said.nps.unwrap_or(0))),
        (fields.hashfull, format!("hashfull={}", said.hashfull.unwrap_or(0))),
        (fields.tb_hits, format!("tbhits={}", said.tb_hits.unwrap_or(0))),
        (fields.pv, format!("pv=\"{}\"", said.pv)),
        (fields.line && said.line.is_some(), format!("line=\"{}\"", said.line.unwrap_or_default())),
    ]
    .into_iter()
    .filter_map(|(wanted, text)| wanted.then_some(text))
    .collect()
}

/// With a sign unless it is zero; a mate by its distance in plies.
fn evaluation(score: i32) -> String {
    let size = score.unsigned_abs() as i32;
    let sign = if score > 0 { '+' } else { '-' };
    match size {
        0 => "0.00".to_owned(),
        _ if (MATE - LONGEST_MATE..=MATE).contains(&size) => {
            let moves = MATE - size;
            let plies = if score > 0 { (2 * moves - 1).max(0) } else { 2 * moves };
            format!("{sign}M{plies}")
        }
        _ => format!("{sign}{:.2}", f64::from(size) / 100.0),
    }
}

/// Fewer decimals the longer it was.
fn cutechess_time(ms: u64) -> String {
    let seconds = ms as f64 / 1000.0;
    match ms {
        0 => "0s".to_owned(),
        1..100 => format!("{seconds:.3}s"),
        100..1_000 => format!("{seconds:.2}s"),
        1_000..10_000 => format!("{seconds:.1}s"),
        _ => format!("{seconds:.0}s"),
    }
}

/// Writes the last position of a game as a line of EPD: fastchess's with counters as operations, otherwise as
/// a whole FEN.
///
/// # Errors
/// Those of the output.
pub fn write_final_position(out: &mut impl Write, event: &Event, record: &GameRecord) -> io::Result<()> {
    let fen = record.fen.as_deref();
    let start = fen.and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_else(Position::startpos);
    let mut position = start;
    for mv in &record.moves {
        let Ok(mv) = position.parse_san(&mv.san) else { break };
        position = position.after(mv);
    }
    if event.style.manner != Manner::Fastchess {
        return writeln!(out, "{}", position.fen());
    }
    let fen = if record.chess960 { position.shredder_fen() } else { position.fen() };
    let fields: Vec<&str> = fen.split(' ').collect();
    let four = fields.get(..4).map(|four| four.join(" ")).unwrap_or_default();
    writeln!(out, "{four} hmvc {}; fmvn {};", position.halfmove_clock(), position.fullmove_number())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    /// As they stand in recorded games of both programs.
    #[test]
    fn numbers_are_written_as_the_runners_do() {
        for (score, written) in [
            (0, "0.00"),
            (-39, "-0.39"),
            (1_234, "+12.34"),
            (MATE - 1, "+M1"),
            (MATE - 2, "+M3"),
            (1 - MATE, "-M2"),
            (-MATE, "-M0"),
        ] {
            assert_eq!(evaluation(score), written);
        }
        let times = [0, 3, 99, 100, 190, 1_400, 12_345].map(cutechess_time);
        assert_eq!(times, ["0s", "0.003s", "0.099s", "0.10s", "0.19s", "1.4s", "12s"]);
    }

    /// fastchess writes no tag without a value.
    #[test]
    fn what_an_engine_does_not_say_of_itself_has_no_tag() {
        let engine = |name: Option<&str>, author: Option<&str>| Identity {
            name: name.map(str::to_owned),
            author: author.map(str::to_owned),
            ..Identity::default()
        };
        let engines = vec![engine(Some("White 1"), None), engine(Some(""), Some("An Author"))];
        let event = Event { limits: vec!["1+0".into(); 2], engines: vec![engines], ..Event::default() };
        let tags = fastchess_tags(&event, &crate::journal::tests::game(0));
        let told: Vec<String> = tags
            .into_iter()
            .filter(|(name, _)| name.starts_with("Engine"))
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        assert_eq!(told, ["EngineWhiteName White 1", "EngineBlackAuthor An Author"]);
    }

    /// Only cutechess-cli tells an engine that hangs from one that is gone.
    #[test]
    fn a_stall_is_called_as_the_runner_calls_it() {
        let event = Event { limits: vec!["1+0".into(); 2], ..Event::default() };
        let said =
            |tags: Tags| tags.into_iter().find(|(name, _)| *name == "Termination").map(|(_, word)| word);
        for (ending, fastchess, cutechess) in [
            (Ending::Stall, "abandoned", "stalled connection"),
            (Ending::Crash, "abandoned", "abandoned"),
            (Ending::IllegalMove, "illegal move", "illegal move"),
        ] {
            let game = GameRecord { ending, ..crate::journal::tests::game(0) };
            assert_eq!(said(fastchess_tags(&event, &game)).as_deref(), Some(fastchess));
            assert_eq!(said(cutechess_tags(&event, &game)).as_deref(), Some(cutechess));
        }
    }

    #[test]
    fn moves_in_long_algebraic_notation() {
        let spell = |fen: &str, san: &str| lan(&Position::from_fen(fen).unwrap(), san).unwrap();
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!((spell(start, "e4"), spell(start, "Nf3")), ("e2e4".into(), "Ng1f3".into()));
        let end = "1n2k3/P7/8/8/8/8/8/R3K3 w Q - 0 1";
        assert_eq!(spell(end, "axb8=Q+"), "a7xb8=Q+");
        assert_eq!(spell(end, "O-O-O"), "O-O-O");
    }
}
