//! How messages go from rank to rank: never blocking, bounded, counted.

/// Longest message, in bytes.
pub const LONGEST: usize = 1 << 20;
/// Most messages under way on the link from one rank to another.
pub const WINDOW: usize = 16;
/// Most bytes under way on a link, but for a single longer message.
pub const WINDOW_BYTES: usize = 256 << 10;

/// Why messages cannot be carried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The message is longer than [`LONGEST`].
    #[error("a message of {0} bytes, at most {LONGEST} are possible")]
    TooLong(usize),
    /// The transport does not work here.
    #[error("{0}")]
    Unusable(String),
}

/// One rank's end of all links. Messages of a link arrive in order and whole, or not at all once a rank is lost.
pub trait Transport {
    /// This rank's number, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn ranks(&self) -> usize;

    /// The name of the machine this rank runs on.
    fn host(&self) -> String;

    /// Takes a message for another rank and returns at once. `false`: so much is under way to it already that the
    /// message was not taken ([`WINDOW`], [`WINDOW_BYTES`]).
    ///
    /// # Errors
    /// When the message is too long.
    fn send(&mut self, to: usize, message: &[u8]) -> Result<bool, TransportError>;

    /// How many messages to another rank have not been confirmed yet.
    fn under_way(&mut self, to: usize) -> usize;

    /// The next message that has arrived, and its sender; `None` if there is none at present.
    fn receive(&mut self) -> Option<(usize, Vec<u8>)>;

    /// How many bytes of messages have been taken to be sent so far.
    fn sent_bytes(&self) -> u64;

    /// Ends every rank, this one included, after a failure. A transport within one process only stops carrying.
    fn abort(&mut self);
}

/// The messages under way on one link, as their sender knows them: it hears how many have arrived.
#[derive(Clone, Debug, Default)]
pub struct Window {
    lengths: std::collections::VecDeque<usize>,
    bytes: usize,
}

impl Window {
    /// Is there room for a message of this length?
    pub fn takes(&self, length: usize) -> bool {
        self.lengths.is_empty() || self.lengths.len() < WINDOW && self.bytes + length <= WINDOW_BYTES
    }

    /// How many messages are under way.
    pub fn messages(&self) -> usize {
        self.lengths.len()
    }

    /// A message of this length has been sent.
    pub fn sent(&mut self, length: usize) {
        self.lengths.push_back(length);
        self.bytes += length;
    }

    /// The oldest message has arrived.
    pub fn arrived(&mut self) {
        self.bytes -= self.lengths.pop_front().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_takes_few_messages_or_few_bytes_or_a_single_long_one() {
        let mut window = Window::default();
        assert!(window.takes(LONGEST));
        window.sent(LONGEST);
        assert!(!window.takes(0));
        window.arrived();
        for sent in 0..WINDOW {
            assert!(window.takes(1) && window.messages() == sent);
            window.sent(1);
        }
        assert!(!window.takes(1));
        window.arrived();
        assert_eq!(window.messages(), WINDOW - 1);
        assert!(window.takes(1) && !window.takes(WINDOW_BYTES));
    }
}
