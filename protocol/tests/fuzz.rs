//! Malformed input: whatever comes in, in whatever order, a session neither panics nor hangs.
//!
//! Lines are real commands, damaged; between them the scripted brain speaks, ends its search, or dies. Every
//! case also checks what must hold in any order of things: one move for each search, whole lines only, no
//! search left behind. `PROPTEST_CASES=80000` sends about a million lines to each protocol.

use crate::common::{Script, ScriptedBrain, identity};
use proptest::prelude::*;
use protocol::session::{Dialect, Input, Session, run};

const UCI: &str = "\
uci
debug on
isready
setoption name Hash value 64
setoption name Threads value 2
setoption name MultiPV value 3
setoption name Move Overhead value 20
setoption name Clear Hash
setoption name UCI_Chess960 value true
setoption name UCI_ShowWDL value true
setoption name Scheme value ybw
register later
ucinewgame
position startpos
position startpos moves e2e4 e7e5 g1f3
position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8
position fen 1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1 moves f1h1
position fen 7k/5Q2/8/8/8/8/8/K7 b - - 0 1
go
go infinite
go depth 5
go ponder wtime 1000 btime 1000 winc 10 binc 10 movestogo 5
go nodes 1000 mate 3 movetime 50 searchmoves e2e4 d2d4
stop
ponderhit
d
eval
flip
help
compiler
license";

const XBOARD: &str = "\
xboard
protover 2
accepted debug
rejected sigint
new
variant fischerandom
variant normal
random
force
go
playother
white
black
level 40 5 0
level 0 0:30 0.3
st 0.01
sd 7
nps 1000
time 1000
otim 1000
e2e4
usermove e7e5
usermove g1f3
usermove Nc6
O-O
@@@@
?
ping 1
draw
result 1-0 {White mates}
setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
setboard 1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1
setboard 8/8/8/8/8/8/8/8 w - - 0 1
setboard 7k/5Q2/8/8/8/8/8/K7 b - - 0 1
edit
#
c
Ke1
ke8
xe4
.
hint
bk
undo
remove
hard
easy
post
nopost
analyze
exit
name X
rating 1 2
pause
resume
memory 68
cores 3
egtpath syzygy /a b
option MultiPV=2
option Resign=1
option ClearHash
exclude e2e4
include all
exclude all
include e2e4";

/// What happens next.
#[derive(Clone, Debug)]
enum Act {
    Send(String),
    /// The brain reports a line that begins with this legal move of its position.
    Report(u8, i16),
    Finish,
    Die,
}

/// One damage to a line.
#[derive(Clone, Debug)]
enum Damage {
    Cut(prop::sample::Index),
    Insert(prop::sample::Index, char),
    Replace(prop::sample::Index, char),
    Append(String),
    Double,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Damage::Cut),
        (any::<prop::sample::Index>(), any::<char>()).prop_map(|(at, c)| Damage::Insert(at, c)),
        (any::<prop::sample::Index>(), "[ -~]")
            .prop_map(|(at, c)| Damage::Replace(at, c.chars().next().unwrap())),
        "[ -~]{0,12}".prop_map(Damage::Append),
        Just(Damage::Double),
    ]
}

fn damaged(line: &str, damages: &[Damage]) -> String {
    let mut line: Vec<char> = line.chars().collect();
    for damage in damages {
        match damage {
            Damage::Cut(at) => line.truncate(at.index(line.len() + 1)),
            Damage::Insert(at, c) => line.insert(at.index(line.len() + 1), *c),
            Damage::Replace(at, c) if !line.is_empty() => {
                let at = at.index(line.len());
                line[at] = *c;
            }
            Damage::Replace(..) => {}
            Damage::Append(text) => line.extend(text.chars()),
            Damage::Double => line.extend_from_within(..),
        }
    }
    line.into_iter().filter(|&c| c != '\n').collect()
}

fn acts(corpus: &'static str) -> impl Strategy<Value = Vec<Act>> {
    let lines: Vec<&str> = corpus.lines().collect();
    let line = prop::sample::select(lines);
    let whole = line.clone().prop_map(|line| Act::Send(line.into()));
    let broken = (line, prop::collection::vec(damage(), 1..4))
        .prop_map(|(line, damages)| Act::Send(damaged(line, &damages)));
    let act = prop_oneof![
        6 => whole,
        4 => broken,
        2 => any::<(u8, i16)>().prop_map(|(which, score)| Act::Report(which, score)),
        2 => Just(Act::Finish),
        1 => Just(Act::Die),
    ];
    prop::collection::vec(act, 1..40)
}

/// Plays the acts and checks what must always hold.
fn survive(dialect: Dialect, acts: Vec<Act>) -> Result<(), TestCaseError> {
    let script = Script::default();
    let mut brain = ScriptedBrain(script.clone());
    let mut output = script.output();
    let mut session = Session::new(identity(), Some(dialect), &mut output, &mut brain);
    for act in acts {
        let flow = match act {
            Act::Send(line) => {
                // Only these words end a session.
                if line.split_whitespace().any(|word| word == "quit") {
                    continue;
                }
                session.input(Input::Line(line))
            }
            Act::Report(which, score) => {
                script.report_any(which.into(), score.into());
                session.pump()
            }
            Act::Finish => {
                script.finish();
                session.pump()
            }
            Act::Die => {
                script.die();
                session.pump()
            }
        };
        prop_assert!(flow.is_continue() && session.pump().is_continue());
    }
    drop(session);
    prop_assert!(!script.busy(), "a search was left behind");
    one_move_per_search(&script.output().text())
}

/// A move leaves only while a search runs that may play one, and ends it; UCI begins no search before that.
fn one_move_per_search(transcript: &str) -> Result<(), TestCaseError> {
    let mut search = None;
    for line in transcript.lines() {
        if line.starts_with("= go ") {
            search = Some(line);
        } else if line.starts_with("< move ") {
            let asked = search.take();
            prop_assert!(asked.is_some_and(|go| !go.contains("infinite")), "{}:\n{}", line, transcript);
        } else if line.starts_with("< bestmove ") && line != "< bestmove (none)" {
            prop_assert!(search.take().is_some(), "{}:\n{}", line, transcript);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn uci_survives_damaged_commands(acts in acts(UCI)) {
        survive(Dialect::Uci, acts)?;
    }

    #[test]
    fn xboard_survives_damaged_commands(acts in acts(XBOARD)) {
        survive(Dialect::Xboard, acts)?;
    }

    /// A client that speaks the other protocol in the middle of a session.
    #[test]
    fn either_survives_the_other(uci in acts(UCI), xboard in acts(XBOARD)) {
        survive(Dialect::Uci, xboard)?;
        survive(Dialect::Xboard, uci)?;
    }

    #[test]
    fn bytes_that_mean_nothing_end_with_their_stream(bytes in prop::collection::vec(any::<u8>(), 0..4000)) {
        for head in ["", "uci\n", "xboard\n"] {
            let mut input = head.as_bytes().to_vec();
            input.extend_from_slice(&bytes);
            let mut output = Vec::new();
            run(&identity(), None, std::io::Cursor::new(input), &mut output, &mut ScriptedBrain(Script::default()), &mut |_| ());
            prop_assert!(output.is_empty() || output.ends_with(b"\n"));
        }
    }
}
