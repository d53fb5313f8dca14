//! Every command and reply survives being written and read back.

use proptest::prelude::*;
use protocol::option::{OptionKind, OptionSpec};
use protocol::{uci, xboard};
use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::time::Duration;
use thinking::report::Bound;
use thinking::score::Reported;
use thinking::score::Wdl;

fn round_trip<T>(value: &T) -> Result<(), TestCaseError>
where
    T: FromStr + Display + PartialEq + Debug,
    T::Err: Debug,
{
    let text = value.to_string();
    let read = text.parse::<T>().map_err(|error| TestCaseError::fail(format!("{text:?}: {error:?}")))?;
    prop_assert_eq!(&read, value, "{:?}", text);
    Ok(())
}

fn word() -> impl Strategy<Value = String> {
    "[A-Za-z][A-Za-z0-9_./-]{0,9}".prop_filter("words with a meaning of their own", |word| {
        !["name", "value", "type", "default", "var", "moves", "startpos", "fen", "all"]
            .contains(&word.as_str())
    })
}

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..4).prop_map(|words| words.join(" "))
}

fn mv() -> impl Strategy<Value = String> {
    "([a-h][1-8][a-h][1-8][qrbn]?|O-O|O-O-O)"
}

fn moves() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(mv(), 0..6)
}

fn number() -> impl Strategy<Value = Option<i64>> {
    prop::option::of(any::<i64>())
}

fn go() -> impl Strategy<Value = uci::command::Go> {
    let clocks = (number(), number(), number(), number(), number());
    let limits = (number(), number(), number(), number(), number());
    (clocks, limits, any::<bool>(), any::<bool>(), moves()).prop_map(
        |(
            (wtime, btime, winc, binc, movestogo),
            (depth, nodes, mate, movetime, perft),
            ponder,
            infinite,
            searchmoves,
        )| {
            uci::command::Go {
                ponder,
                wtime,
                btime,
                winc,
                binc,
                movestogo,
                depth,
                nodes,
                mate,
                movetime,
                infinite,
                perft,
                searchmoves,
                faults: Vec::new(),
            }
        },
    )
}

fn uci_command() -> impl Strategy<Value = uci::command::Command> {
    use uci::command::{Command, HELPERS};
    prop_oneof![
        prop::sample::select(vec![
            Command::Uci,
            Command::IsReady,
            Command::Register,
            Command::NewGame,
            Command::Stop,
            Command::PonderHit,
            Command::Quit,
            Command::Debug(true),
            Command::Debug(false),
        ]),
        prop::sample::select(HELPERS.to_vec()).prop_map(|(helper, _)| Command::Helper(helper)),
        (words(), prop::option::of(words())).prop_map(|(name, value)| Command::SetOption { name, value }),
        (prop::option::of(words()), moves()).prop_map(|(fen, moves)| Command::Position { fen, moves }),
        go().prop_map(Command::Go),
    ]
}

fn spec() -> impl Strategy<Value = OptionSpec> {
    let kind = prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        (any::<i64>(), any::<i64>(), any::<i64>()).prop_map(|(default, min, max)| OptionKind::Spin {
            default,
            min,
            max
        }),
        prop::collection::vec(word(), 1..5)
            .prop_map(|values| OptionKind::Combo { default: values[0].clone(), values }),
        words().prop_map(|default| OptionKind::Text { default }),
        Just(OptionKind::Text { default: String::new() }),
        Just(OptionKind::Button),
    ];
    (words(), kind).prop_map(|(name, kind)| OptionSpec::new(&name, kind))
}

fn score() -> impl Strategy<Value = Reported> {
    prop_oneof![(-31_000..31_000).prop_map(Reported::Centipawns), (-123..=123).prop_map(Reported::Mate),]
}

fn bound() -> impl Strategy<Value = Bound> {
    prop::sample::select(vec![Bound::Exact, Bound::Lower, Bound::Upper])
}

fn uci_reply() -> impl Strategy<Value = uci::reply::Reply> {
    use uci::reply::{Line, Reply};
    let wdl = prop::option::of((any::<u32>(), any::<u32>(), any::<u32>()));
    let wdl = wdl.prop_map(|wdl| wdl.map(|(win, draw, loss)| Wdl { win, draw, loss }));
    let line = (any::<(u32, u32, u32)>(), any::<(u64, u64, u64, u64)>(), (score(), bound(), wdl), moves());
    let line = line.prop_map(
        |((depth, seldepth, hashfull), (nodes, nps, tbhits, time), (score, bound, wdl), pv)| {
            let multipv = (depth % 9) as usize;
            Line { depth, seldepth, multipv, score, bound, wdl, nodes, nps, hashfull, tbhits, time, pv }
        },
    );
    prop_oneof![
        words().prop_map(Reply::Name),
        words().prop_map(Reply::Author),
        spec().prop_map(Reply::Option),
        Just(Reply::UciOk),
        Just(Reply::ReadyOk),
        (mv(), prop::option::of(mv()))
            .prop_map(|(best, ponder)| Reply::BestMove { best: Some(best), ponder }),
        Just(Reply::BestMove { best: None, ponder: None }),
        line.prop_map(Reply::Line),
        (any::<u32>(), mv(), any::<usize>()).prop_map(|(depth, current, number)| Reply::CurrentMove {
            depth,
            current,
            number
        }),
        words().prop_map(Reply::Text),
    ]
}

fn xboard_command() -> impl Strategy<Value = xboard::command::Command> {
    use xboard::command::{Command, Level};
    let filter = || prop::option::of(mv());
    let centiseconds = || (0u64..100_000_000).prop_map(|n| Duration::from_millis(n * 10));
    let level = (any::<u32>(), 0u64..100_000, centiseconds());
    let level = level.prop_map(|(moves, base, increment)| {
        Command::Level(Level { moves, base: Duration::from_secs(base), increment })
    });
    let plain = "xboard new quit random force go playother white black ? draw result edit hint bk undo \
                 remove hard easy post nopost analyze exit . pause resume";
    let plain: Vec<Command> = plain.split_whitespace().map(|word| word.parse().unwrap()).collect();
    prop_oneof![
        prop::sample::select(plain),
        Just(Command::Protover),
        word().prop_map(Command::Accepted),
        word().prop_map(Command::Variant),
        level,
        centiseconds().prop_map(Command::ExactTime),
        any::<u32>().prop_map(Command::Depth),
        any::<u64>().prop_map(Command::NodesPerSecond),
        any::<i64>().prop_map(Command::Time),
        mv().prop_map(Command::Move),
        any::<i64>().prop_map(Command::Ping),
        words().prop_map(Command::SetBoard),
        any::<usize>().prop_map(Command::Memory),
        any::<usize>().prop_map(Command::Cores),
        (word(), words()).prop_map(|(kind, path)| Command::TablePath { kind, path }),
        (words(), prop::option::of(words())).prop_map(|(name, value)| Command::Option { name, value }),
        filter().prop_map(Command::Exclude),
        filter().prop_map(Command::Include),
    ]
}

fn xboard_reply() -> impl Strategy<Value = xboard::reply::Reply> {
    use xboard::reply::{Line, Reply, Status};
    let line = (any::<(u32, u32)>(), any::<(u64, u64, u64, u64)>(), score(), bound(), moves());
    let line = line.prop_map(|((depth, seldepth), (time, nodes, nps, tbhits), score, bound, pv)| Line {
        depth,
        score,
        bound,
        time,
        nodes,
        seldepth,
        nps,
        tbhits,
        pv,
    });
    let status = (any::<(u64, u64, u32, usize, usize)>(), prop::option::of(mv()));
    let status = status.prop_map(|((time, nodes, depth, left, total), current)| Status {
        time,
        nodes,
        depth,
        left,
        total,
        current,
    });
    let result = prop::sample::select(vec!["1-0", "0-1", "1/2-1/2"]);
    prop_oneof![
        words().prop_map(Reply::Feature),
        mv().prop_map(Reply::Move),
        (words(), mv()).prop_map(|(reason, mv)| Reply::Illegal { reason, mv }),
        (words(), words()).prop_map(|(kind, command)| Reply::Error { kind, command }),
        (result, words()).prop_map(|(result, reason)| Reply::Result { result: result.into(), reason }),
        Just(Reply::OfferDraw),
        Just(Reply::Resign),
        words().prop_map(Reply::TellUserError),
        words().prop_map(Reply::Debug),
        mv().prop_map(Reply::Hint),
        line.prop_map(Reply::Line),
        status.prop_map(Reply::Status),
        any::<i64>().prop_map(Reply::Pong),
        prop::collection::vec((mv(), 0u32..=100), 0..4).prop_map(Reply::Book),
    ]
}

proptest! {
    #[test]
    fn uci_commands(command in uci_command()) {
        round_trip(&command)?;
    }

    #[test]
    fn uci_replies(reply in uci_reply()) {
        round_trip(&reply)?;
    }

    #[test]
    fn xboard_commands(command in xboard_command()) {
        round_trip(&command)?;
    }

    #[test]
    fn xboard_replies(reply in xboard_reply()) {
        round_trip(&reply)?;
    }

    /// What xboard's scanner takes for something else must not be in a line of thinking: no bracket, one tab,
    /// and the first word a bare number.
    #[test]
    fn xboard_lines_have_the_shape_its_scanner_wants(reply in xboard_reply()) {
        if let xboard::reply::Reply::Line(_) = reply {
            let text = reply.to_string();
            let brackets = ['(', ')', '\n'];
            prop_assert!(!text.contains(brackets));
            prop_assert_eq!(text.matches('\t').count(), 1);
            let numbers = text.split('\t').next().unwrap();
            prop_assert!(numbers.split(' ').all(|word| word.parse::<i64>().is_ok() || word.parse::<u64>().is_ok()));
        }
    }
}
