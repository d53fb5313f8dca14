//! The messages between ranks, and how they are written. Entries of the table, results of iterations and work
//! are bytes, the rest is JSON: it is rare, and readable when something goes wrong.

use chess::{Move, Position};
use engine::iterate::ThreadResult;
use engine::root::{Root, RootMove};
use engine::worker::Task;
use serde::{Deserialize, Serialize};
use smp::pool::link::Elsewhere;
use std::sync::Arc;
use thinking::report::{Bound, Limits};
use thinking::score::{INFINITE, MAX_PLY, Score};

/// Changes whenever messages of different builds could not be read by each other.
const FORMAT: u32 = 5;

/// Most moves of a line that is sent.
const LINE: usize = 64;
/// Nodes of a root move are sent in parts of all nodes, so many.
const WHOLE: u16 = u16::MAX;

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
    pub fn difference(&self, other: &Identity) -> Option<String> {
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
pub struct Go {
    /// Its number, from 1.
    pub search: u64,
    fen: String,
    earlier: Vec<u64>,
    depth: Option<u32>,
    nodes: Option<u64>,
    search_moves: Vec<u16>,
    exact: bool,
    /// Lines wanted, from 1.
    pub multipv: usize,
    /// Mark of the network that evaluates, none for the hand-crafted evaluation.
    pub network: Option<u64>,
    /// Are entries of the table exchanged?
    pub entries: bool,
    /// May a rank that has tablebases ask them? Not where rank 0 does without.
    pub tablebase: bool,
}

impl Go {
    /// The search with this number, of which the ranks exchange no entries and in which they ask no tablebases.
    pub fn new(search: u64, task: &Task, limits: &Limits, multipv: usize, network: Option<u64>) -> Self {
        let position = &task.position;
        Go {
            search,
            fen: if position.is_chess960() { position.shredder_fen() } else { position.fen() },
            earlier: task.earlier.to_vec(),
            depth: limits.depth,
            // On the opponent's time those that stand for time are no limit, and then rank 0 ends the search.
            nodes: limits.nodes.into_iter().chain(limits.time_in_nodes.filter(|_| !limits.ponder)).min(),
            search_moves: limits.search_moves.iter().map(|mv| mv.bits()).collect(),
            exact: limits.exact,
            multipv,
            network,
            entries: false,
            tablebase: false,
        }
    }

    /// The position, if it is one.
    pub fn task(&self) -> Option<Task> {
        let position = Position::from_fen(&self.fen).ok()?;
        Some(Task { position, earlier: self.earlier.clone().into() })
    }

    /// Neither time nor the end of its iterations ends the search of a rank other than 0, only that rank's word.
    pub fn limits(&self) -> Limits {
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

/// A root move, as it is sent: its share of the nodes, and what was found if it was better than those before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SentMove(u16, u16, Option<Found>);

/// A root move's score, bound, longest line looked at, and line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Found(i16, u8, u8, Vec<u16>);

/// What a thread knows of the root, as it is sent. Scores of the iteration before are left out: the next one
/// forgets them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SentResult {
    /// The last iteration that was finished.
    pub depth: u8,
    /// The iteration that the scores are of.
    root_depth: u8,
    /// Changes of the best move in it.
    changes: u8,
    /// Nodes spent on all root moves.
    nodes: u64,
    moves: Vec<SentMove>,
}

impl From<&ThreadResult> for SentResult {
    fn from(result: &ThreadResult) -> Self {
        let nodes = result.root.moves.iter().map(|mv| mv.nodes).sum();
        let found = |mv: &RootMove| {
            let bound = match mv.bound {
                Bound::Upper => 1,
                Bound::Lower => 2,
                Bound::Exact => 3,
            };
            let line = mv.line.iter().take(LINE).map(|mv| mv.bits()).collect();
            Found(mv.score as i16, bound, mv.seldepth.min(255) as u8, line)
        };
        let sent = |mv: &RootMove| {
            let share = (u128::from(mv.nodes) * u128::from(WHOLE)).checked_div(u128::from(nodes));
            let found = (mv.score > -INFINITE).then(|| found(mv));
            SentMove(mv.mv.bits(), share.unwrap_or(0) as u16, found)
        };
        let moves = result.root.moves.iter().map(sent).collect();
        let numbers = [result.depth, result.root.depth, result.root.changes];
        let [depth, root_depth, changes] = numbers.map(|number| number.clamp(0, 255) as u8);
        SentResult { depth, root_depth, changes, nodes, moves }
    }
}

impl SentResult {
    /// The part of a result that has a vote in the election of the move.
    pub fn vote(result: &ThreadResult) -> Self {
        let mut vote = Self::from(result);
        vote.moves.truncate(1);
        vote
    }

    /// The result, if it is one on this position.
    pub fn result(&self, position: &Position) -> Option<ThreadResult> {
        let read = |sent: &SentMove| {
            let SentMove(mv, share, found) = sent;
            let mv = Move::from_bits(*mv).filter(|&mv| position.is_legal(mv))?;
            let nodes = (u128::from(self.nodes) * u128::from(*share) / u128::from(WHOLE)) as u64;
            let Some(Found(score, bound, seldepth, line)) = found else {
                let (score, bound, line) = (-INFINITE, Bound::Upper, [mv].into());
                return Some(RootMove { mv, score, bound, previous: score, nodes, seldepth: 0, line });
            };
            let bound = match bound {
                1 => Bound::Upper,
                2 => Bound::Lower,
                3 => Bound::Exact,
                _ => return None,
            };
            let line: Option<Arc<[Move]>> = line.iter().map(|&bits| Move::from_bits(bits)).collect();
            let line = line.filter(|line| line.len() <= MAX_PLY)?;
            let (score, seldepth) = (Score::from(*score), usize::from(*seldepth));
            Some(RootMove { mv, score, bound, previous: score, nodes, seldepth, line })
        };
        let moves: Option<Vec<RootMove>> = self.moves.iter().map(read).collect();
        let [depth, changes] = [self.root_depth, self.changes].map(i32::from);
        let root = Root { moves: moves?, depth, changes, ..Root::default() };
        Some(ThreadResult { depth: self.depth.into(), root })
    }

    /// Both depths, changes, nodes, and each move: itself, its share, the bound (0: nothing was found), and if
    /// something was, score, longest line, length of the line, line.
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.depth, self.root_depth, self.changes]);
        bytes.extend(self.nodes.to_le_bytes());
        for SentMove(mv, share, found) in &self.moves {
            bytes.extend([mv, share].into_iter().flat_map(|word| word.to_le_bytes()));
            let Some(Found(score, bound, seldepth, line)) = found else {
                bytes.push(0);
                continue;
            };
            bytes.push(*bound);
            bytes.extend(score.to_le_bytes());
            bytes.extend([*seldepth, line.len() as u8]);
            bytes.extend(line.iter().flat_map(|mv| mv.to_le_bytes()));
        }
    }

    /// `None` for bytes that are not a result.
    fn read(mut bytes: &[u8]) -> Option<Self> {
        let [depth, root_depth, changes] = take(&mut bytes)?;
        let nodes = u64::from_le_bytes(take(&mut bytes)?);
        let mut moves = Vec::new();
        while !bytes.is_empty() {
            let [mv, share] = [take(&mut bytes)?, take(&mut bytes)?].map(u16::from_le_bytes);
            let [bound] = take(&mut bytes)?;
            let found = if bound == 0 { None } else { Some(Found::read(bound, &mut bytes)?) };
            moves.push(SentMove(mv, share, found));
        }
        Some(SentResult { depth, root_depth, changes, nodes, moves })
    }
}

impl Found {
    fn read(bound: u8, bytes: &mut &[u8]) -> Option<Self> {
        let score = i16::from_le_bytes(take(bytes)?);
        let [seldepth, length] = take(bytes)?;
        let line: Option<Vec<u16>> = (0..length).map(|_| take(bytes).map(u16::from_le_bytes)).collect();
        Some(Found(score, bound, seldepth, line?))
    }
}

/// The next bytes.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

/// What a rank has exchanged in a search, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Threads that searched; none of a rank that did not join in before the end, or whose results came too late.
    pub threads: u64,
    /// Nodes that the rank has searched.
    pub nodes: u64,
    /// Positions that its tablebase knew.
    pub tablebase_hits: u64,
    /// Entries sent, each counted once for every rank it went to.
    pub sent: u64,
    /// Entries for which there was no room, each counted once for every rank it did not go to.
    pub dropped: u64,
    /// Entries received.
    pub received: u64,
    /// Entries received that the search then found in the table.
    pub probed: u64,
    /// Entries received that ended a node.
    pub cut: u64,
    /// Results of iterations sent, each counted once for every rank it went to.
    pub results_sent: u64,
    /// Results of iterations received.
    pub results_received: u64,
    /// Results received that were deeper than all that this rank knew: it went on from them.
    pub results_used: u64,
    /// Bytes of all messages sent.
    pub bytes: u64,
    /// The least depth of an entry worth sending, at the end, in plies.
    pub least_depth: i32,
}

/// What ranks say to each other beside entries, results of iterations and work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Talk {
    /// The sender runs this program.
    Hello {
        /// How its messages are written: [`Message::introduction`] reads no other format.
        format: u32,
        /// What it is.
        identity: Identity,
    },
    /// Every rank is here and runs the same; the hosts by rank.
    Welcome(Vec<String>),
    /// The ranks do not fit together.
    Refused(String),
    /// The sender is alive, and has done this in the search.
    Beat {
        /// The search's number.
        search: u64,
        /// Nodes searched.
        nodes: u64,
        /// Positions that its tablebase knew.
        tablebase_hits: u64,
    },
    /// An order of the program's own to all.
    Order(String),
    /// Join in this search.
    Go(Go),
    /// The search is over.
    Halt {
        /// The search's number.
        search: u64,
    },
    /// What the sender's threads think at the end.
    Results {
        /// The search's number.
        search: u64,
        /// One of each thread.
        results: Vec<SentResult>,
        /// What the rank has counted.
        tally: Tally,
    },
    /// The sender cannot go on.
    Trouble(String),
    /// Everything is done.
    Quit,
    /// The sender's last word.
    Bye,
}

impl Talk {
    /// The first word of a rank.
    pub fn hello(identity: Identity) -> Self {
        Talk::Hello { format: FORMAT, identity }
    }

    /// A sign of life in this search, with what the rank has done in it.
    pub fn beat(search: u64, done: Elsewhere) -> Self {
        Talk::Beat { search, nodes: done.nodes, tablebase_hits: done.tablebase_hits }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A word between ranks.
    Talk(Talk),
    /// Entries of the table.
    Entries {
        /// The search that found them.
        search: u64,
        /// Keys and packed entries.
        entries: Vec<(u64, u64)>,
    },
    /// An iteration is finished.
    Result {
        /// The search's number.
        search: u64,
        /// What the thread knows of the root.
        result: SentResult,
    },
    /// Something to compute.
    Request {
        /// The request's number, for the answer.
        number: u64,
        /// What, in words of those who call.
        body: Vec<u8>,
    },
    /// What came out.
    Response {
        /// The number of the request.
        number: u64,
        /// The result, in words of those who call.
        body: Vec<u8>,
    },
}

const TALK: u8 = 0;
const ENTRIES: u8 = 1;
const REQUEST: u8 = 2;
const RESPONSE: u8 = 3;
const RESULT: u8 = 4;

impl Message {
    /// The message as it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
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
            Message::Result { search, result } => {
                let mut bytes = numbered(RESULT, search, &[]);
                result.write(&mut bytes);
                bytes
            }
            Message::Request { number, body } => numbered(REQUEST, number, body),
            Message::Response { number, body } => numbered(RESPONSE, number, body),
        }
    }

    /// `None` for bytes that no rank of this format writes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
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
            RESULT => SentResult::read(body).map(|result| Message::Result { search: number, result }),
            REQUEST => Some(Message::Request { number, body: body.to_vec() }),
            RESPONSE => Some(Message::Response { number, body: body.to_vec() }),
            _ => None,
        }
    }

    /// The program that says hello, if it can be understood.
    pub fn introduction(&self) -> Option<Identity> {
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
    use std::time::Duration;
    use thinking::score::mate_in;

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
        let result = (&finished(&task.position)).into();
        let messages = [
            Message::Talk(Talk::hello(identity("1", &["suite"]))),
            Message::Talk(Talk::Go(Go::new(3, &task, &limits, 2, Some(9)))),
            Message::Result { search: 3, result },
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
        assert_eq!(Message::from_bytes(&[RESULT; 30]), None);
    }

    /// A finished iteration: two moves have scores and lines, the others none.
    fn finished(position: &Position) -> ThreadResult {
        let mut root = Root::new(position, &[]);
        for (place, mv) in root.moves.iter_mut().enumerate() {
            mv.nodes = 1_000_000_000 * place as u64;
        }
        let [first, second] = ["e2e4 e7e5 g1f3", "d2d4"].map(|line| {
            let mut now = position.clone();
            let moves = line.split(' ').map(|word| {
                let mv = now.parse_uci(word).expect("a legal move");
                now.play(mv);
                mv
            });
            moves.collect::<Arc<[Move]>>()
        });
        for (line, score, bound) in [(second, -mate_in(7), Bound::Upper), (first, 31, Bound::Exact)] {
            let place = root.moves.iter().position(|mv| mv.mv == line[0]).expect("it is legal");
            let found = root.moves.remove(place);
            root.moves.insert(0, RootMove { score, previous: score, bound, seldepth: 30, line, ..found });
        }
        (root.depth, root.changes) = (18, 3);
        ThreadResult { depth: 17, root }
    }

    /// All that the next iteration needs arrives, in few bytes, and what is damaged on the way is refused.
    #[test]
    fn a_finished_iteration_arrives() {
        let position = Position::startpos();
        let result = finished(&position);
        let bytes = Message::Result { search: 3, result: (&result).into() }.to_bytes();
        assert!(bytes.len() < 160, "{} bytes for 20 moves", bytes.len());
        let Some(Message::Result { search: 3, result: sent }) = Message::from_bytes(&bytes) else {
            panic!("it is a result")
        };
        let arrived = sent.result(&position).expect("a result on this position");
        let numbers = [arrived.depth, arrived.root.depth, arrived.root.changes];
        assert_eq!((numbers, arrived.root.moves.len()), ([17, 18, 3], 20));
        for (arrived, mv) in arrived.root.moves.iter().zip(&result.root.moves) {
            let told = |mv: &RootMove| (mv.mv, mv.score, mv.previous, mv.seldepth, mv.line.clone());
            assert_eq!(told(arrived), told(mv));
            assert!(mv.score == -INFINITE || arrived.bound == mv.bound, "{mv:?}");
            assert!(mv.nodes.abs_diff(arrived.nodes) < 4_000_000, "of 190 billion in all: {mv:?}");
        }
        // A cut between two moves leaves a result on fewer of them.
        let cut = (0..bytes.len()).filter_map(|length| Message::from_bytes(&bytes[..length]));
        assert_eq!(cut.count(), 20);
        for (place, byte) in [(9 + 11 + 4, 9), (9 + 11, 0xff)] {
            let mut damaged = bytes.clone();
            damaged[place] = byte;
            let read = Message::from_bytes(&damaged);
            let taken =
                matches!(&read, Some(Message::Result { result, .. }) if result.result(&position).is_some());
            assert!(!taken, "byte {place}: {read:?}");
        }
    }

    /// Of the limits of rank 0, those of time are its own affair.
    #[test]
    fn all_ranks_search_the_same() {
        let position = Position::startpos();
        let search_moves = ["e2e4", "g1f3"].map(|mv| position.parse_uci(mv).unwrap()).to_vec();
        let task = Task { position, earlier: [11_u64, 22, 33].into() };
        let limits = Limits {
            depth: Some(7),
            nodes: Some(9_000),
            movetime: Some(Duration::from_secs(5)),
            search_moves,
            exact: true,
            ..Limits::default()
        };
        let bytes = Message::Talk(Talk::Go(Go::new(3, &task, &limits, 2, None))).to_bytes();
        let Some(Message::Talk(Talk::Go(go))) = Message::from_bytes(&bytes) else { panic!("it is a search") };
        assert_eq!(go.limits(), Limits { movetime: None, infinite: true, ..limits });
        let read = go.task().expect("a position");
        assert_eq!((read.position.fen(), read.earlier), (task.position.fen(), task.earlier));
    }

    /// Nodes that stand for time limit the other ranks as well, but not on the opponent's time.
    #[test]
    fn other_ranks_ponder_without_a_limit() {
        let task = Task::from(&Game::default());
        let limit = |ponder| {
            let limits = Limits { time_in_nodes: Some(700), ponder, ..Limits::default() };
            Go::new(3, &task, &limits, 1, None).limits().nodes
        };
        assert_eq!([false, true].map(limit), [Some(700), None]);
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
