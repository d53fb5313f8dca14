//! The messages between ranks, and how they are written. Entries of the table and work are bytes, the rest is JSON:
//! it is rare, and readable when something goes wrong.

use chess::{Move, Position};
use engine::iterate::ThreadResult;
use engine::root::{Root, RootMove};
use engine::worker::{Line, Task};
use serde::{Deserialize, Serialize};
use smp::pool::link::Elsewhere;
use thinking::report::{Bound, Limits};
use thinking::score::Score;

/// Changes whenever messages of different builds could not be read by each other.
const FORMAT: u32 = 1;

/// A program as it introduces itself. All ranks of a cluster must be the same in all but the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The machine; filled in by [`crate::member::Member::join`].
    pub host: String,
    /// Version and commit.
    pub version: String,
    /// Mark of the network that is part of the program.
    pub network: String,
    /// The command and its options, without those that may differ between machines.
    pub options: Vec<String>,
}

impl Identity {
    /// What is different at another rank, in words: what that one has, and what this one has.
    pub(crate) fn difference(&self, other: &Identity) -> Option<String> {
        if self.version != other.version {
            return Some(format!("version {} instead of {}", other.version, self.version));
        }
        if self.network != other.network {
            return Some(format!("network {} instead of {}", other.network, self.network));
        }
        let most = self.options.len().max(other.options.len());
        let word = |of: &Identity, at: usize| of.options.get(at).map_or("nothing", String::as_str).to_owned();
        let at = (0..most).find(|&at| self.options.get(at) != other.options.get(at))?;
        Some(format!("`{}` instead of `{}` among its options", word(other, at), word(self, at)))
    }
}

/// A search for every rank to join in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Go {
    /// Its number, from 1.
    pub search: u64,
    fen: String,
    earlier: Vec<u64>,
    depth: Option<u32>,
    nodes: Option<u64>,
    search_moves: Vec<u16>,
    exact: bool,
    pub multipv: usize,
    /// Mark of the network that evaluates, none for the hand-crafted evaluation.
    pub network: Option<u32>,
}

impl Go {
    pub(crate) fn new(
        search: u64,
        task: &Task,
        limits: &Limits,
        multipv: usize,
        network: Option<u32>,
    ) -> Self {
        let position = &task.position;
        Go {
            search,
            fen: if position.is_chess960() { position.shredder_fen() } else { position.fen() },
            earlier: task.earlier.to_vec(),
            depth: limits.depth,
            nodes: limits.nodes,
            search_moves: limits.search_moves.iter().map(|mv| mv.bits()).collect(),
            exact: limits.exact,
            multipv,
            network,
        }
    }

    /// The position, if it is one.
    pub(crate) fn task(&self) -> Option<Task> {
        let position = Position::from_fen(&self.fen).ok()?;
        Some(Task { position, earlier: self.earlier.clone().into() })
    }

    /// Neither time nor the end of its iterations ends the search of a rank other than 0, only that rank's word.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            infinite: true,
            search_moves: self.search_moves.iter().filter_map(|&bits| Move::from_bits(bits)).collect(),
            exact: self.exact,
            ..Limits::default()
        }
    }
}

/// A root move and its results, as they are sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SentMove(u16, Score, u8, Score, u64, usize, Vec<u16>);

/// What a thread knows of the root, as it is sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SentResult {
    depth: i32,
    moves: Vec<SentMove>,
}

impl From<&ThreadResult> for SentResult {
    fn from(result: &ThreadResult) -> Self {
        let bound = |bound| match bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        let sent = |mv: &RootMove| {
            let line = mv.line.iter().map(|mv| mv.bits()).collect();
            SentMove(mv.mv.bits(), mv.score, bound(mv.bound), mv.previous, mv.nodes, mv.seldepth, line)
        };
        SentResult { depth: result.depth, moves: result.root.moves.iter().map(sent).collect() }
    }
}

impl SentResult {
    /// The part of a result that has a vote in the election of the move.
    pub(crate) fn vote(result: &ThreadResult) -> Self {
        let mut vote = Self::from(result);
        vote.moves.truncate(1);
        vote
    }

    /// The result, if it is one on this position.
    pub(crate) fn result(&self, position: &Position) -> Option<ThreadResult> {
        let read = |sent: &SentMove| {
            let SentMove(mv, score, bound, previous, nodes, seldepth, line) = sent;
            let bound = match bound {
                1 => Bound::Upper,
                2 => Bound::Lower,
                3 => Bound::Exact,
                _ => return None,
            };
            let mv = Move::from_bits(*mv).filter(|&mv| position.is_legal(mv))?;
            let line: Option<Vec<Move>> = line.iter().map(|&bits| Move::from_bits(bits)).collect();
            let line = Line::try_from(line?.as_slice()).ok()?;
            let (score, previous, nodes, seldepth) = (*score, *previous, *nodes, *seldepth);
            Some(RootMove { mv, score, bound, previous, nodes, seldepth, line })
        };
        let moves: Option<Vec<RootMove>> = self.moves.iter().map(read).collect();
        Some(ThreadResult { depth: self.depth, root: Root { moves: moves?, first: 0 } })
    }
}

/// What a rank has exchanged in a search, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Nodes that the rank has searched.
    pub nodes: u64,
    /// Positions that its tablebase knew.
    pub tablebase_hits: u64,
    /// Entries sent, each counted once for every rank it went to.
    pub sent: u64,
    /// Entries not sent for want of room.
    pub dropped: u64,
    /// Entries received.
    pub received: u64,
    /// Entries received that the search then found in the table.
    pub probed: u64,
    /// Entries received that ended a node.
    pub cut: u64,
    /// Bytes of all messages sent.
    pub bytes: u64,
    /// The least depth of an entry worth sending, at the end, in plies.
    pub least_depth: i32,
}

/// What ranks say to each other beside entries and work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Talk {
    /// The sender runs this program.
    Hello { format: u32, identity: Identity },
    /// Every rank is here and runs the same; the hosts by rank.
    Welcome(Vec<String>),
    /// The ranks do not fit together.
    Refused(String),
    /// The sender is alive, and has done this in the search.
    Beat { search: u64, nodes: u64, tablebase_hits: u64 },
    /// An order of the program's own to all.
    Order(String),
    /// Join in this search.
    Go(Go),
    /// An iteration is finished.
    Result { search: u64, result: SentResult },
    /// The search is over.
    Halt { search: u64 },
    /// What the sender's threads think at the end.
    Results { search: u64, results: Vec<SentResult>, tally: Tally },
    /// The sender cannot go on.
    Trouble(String),
    /// Everything is done.
    Quit,
    /// The sender's last word.
    Bye,
}

impl Talk {
    pub(crate) fn hello(identity: Identity) -> Self {
        Talk::Hello { format: FORMAT, identity }
    }

    pub(crate) fn beat(search: u64, done: Elsewhere) -> Self {
        Talk::Beat { search, nodes: done.nodes, tablebase_hits: done.tablebase_hits }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    Talk(Talk),
    /// Keys and packed entries of the table, found in this search.
    Entries {
        search: u64,
        entries: Vec<(u64, u64)>,
    },
    /// Something to compute.
    Request {
        number: u64,
        body: Vec<u8>,
    },
    /// What came out.
    Response {
        number: u64,
        body: Vec<u8>,
    },
}

const TALK: u8 = 0;
const ENTRIES: u8 = 1;
const REQUEST: u8 = 2;
const RESPONSE: u8 = 3;

impl Message {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let numbered =
            |kind: u8, number: &u64, body: &[u8]| [&[kind], &number.to_le_bytes()[..], body].concat();
        match self {
            Message::Talk(talk) => {
                let mut bytes = vec![TALK];
                serde_json::to_writer(&mut bytes, talk).expect("numbers, texts and lists are JSON");
                bytes
            }
            Message::Entries { search, entries } => {
                let words = entries.iter().flat_map(|&(key, data)| [key, data]);
                numbered(ENTRIES, search, &words.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
            }
            Message::Request { number, body } => numbered(REQUEST, number, body),
            Message::Response { number, body } => numbered(RESPONSE, number, body),
        }
    }

    /// `None` for bytes that no rank of this format writes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&kind, rest) = bytes.split_first()?;
        if kind == TALK {
            return serde_json::from_slice(rest).ok().map(Message::Talk);
        }
        let (number, body) =
            rest.split_first_chunk().map(|(number, body)| (u64::from_le_bytes(*number), body))?;
        match kind {
            ENTRIES => {
                let (words, rest) = body.as_chunks::<8>();
                let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
                let (pairs, odd) = words.as_chunks::<2>();
                let entries = pairs.iter().map(|&[key, data]| (key, data)).collect();
                (rest.is_empty() && odd.is_empty()).then_some(Message::Entries { search: number, entries })
            }
            REQUEST => Some(Message::Request { number, body: body.to_vec() }),
            RESPONSE => Some(Message::Response { number, body: body.to_vec() }),
            _ => None,
        }
    }

    /// The program that says hello, if it can be understood.
    pub(crate) fn introduction(&self) -> Option<Identity> {
        match self {
            Message::Talk(Talk::Hello { format: FORMAT, identity }) => Some(identity.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Game;

    fn identity(version: &str, options: &[&str]) -> Identity {
        let options = options.iter().map(|&word| word.to_owned()).collect();
        Identity { host: "here".into(), version: version.into(), network: "00c0ffee".into(), options }
    }

    #[test]
    fn what_is_written_is_read() {
        let task = Task::from(&Game::default());
        let limits = Limits {
            depth: Some(7),
            search_moves: vec![task.position.parse_uci("e2e4").unwrap()],
            ..Limits::default()
        };
        let result = ThreadResult { depth: 5, root: Root::new(&task.position, &[]) };
        let messages = [
            Message::Talk(Talk::hello(identity("1", &["suite"]))),
            Message::Talk(Talk::Go(Go::new(3, &task, &limits, 2, Some(9)))),
            Message::Talk(Talk::Result { search: 3, result: (&result).into() }),
            Message::Entries { search: 3, entries: vec![(1, 2), (u64::MAX, 4)] },
            Message::Request { number: 5, body: vec![1, 2, 3] },
            Message::Response { number: 6, body: Vec::new() },
        ];
        for message in messages {
            let bytes = message.to_bytes();
            assert_eq!(Message::from_bytes(&bytes), Some(message));
            for length in 0..bytes.len().min(9) {
                assert_eq!(Message::from_bytes(&bytes[..length]), None);
            }
        }
        assert_eq!(Message::from_bytes(&[ENTRIES; 30]), None);
    }

    #[test]
    fn a_result_of_another_position_is_none() {
        let [start, other] =
            ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]
                .map(|fen| Position::from_fen(fen).unwrap());
        let result = ThreadResult { depth: 5, root: Root::new(&start, &[]) };
        let sent = SentResult::from(&result);
        assert_eq!(sent.result(&start).unwrap().root.moves.len(), 20);
        assert!(sent.result(&other).is_none());
    }

    #[test]
    fn differences_are_named() {
        let own = identity("1", &["analyze", "--depth", "9"]);
        assert_eq!(own.difference(&own), None);
        assert_eq!(own.difference(&identity("2", &[])).unwrap(), "version 2 instead of 1");
        let words = own.difference(&identity("1", &["analyze", "--depth", "10"])).unwrap();
        assert_eq!(words, "`10` instead of `9` among its options");
        assert!(
            own.difference(&identity("1", &["analyze"])).unwrap().contains("`nothing` instead of `--depth`")
        );
    }
}
