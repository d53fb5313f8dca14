//! Lines from the client: bounded in length, forgiving about encoding, ended by the end of the stream.

use client::text;
use crossbeam::channel::Sender;
use std::io::{self, BufRead, ErrorKind};
use std::time::Instant;

/// Longest line taken whole, in bytes: a `position` with 50,000 moves fits.
pub const MAX_LINE: usize = 256 * 1024;

/// What the reader found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line without its ending.
    Line(String),
    /// A line that is not UTF-8, taken for Latin-1, where the names of files are bytes: one in this line has changed.
    Latin1(String),
    /// The first [`MAX_LINE`] bytes of a longer line. It is not obeyed, but it may matter what it was to be.
    TooLong(String),
    /// The stream ended or broke.
    End,
}

/// Sends every line, and when it came, until the stream ends or the session has gone. A line may wait behind a command
/// that takes seconds, such as clearing a large table, while the client's clock runs.
pub fn forward(mut input: impl BufRead, lines: &Sender<(Input, Instant)>) {
    loop {
        let item = read_line(&mut input).unwrap_or(Input::End);
        let ended = item == Input::End;
        if lines.send((item, Instant::now())).is_err() || ended {
            return;
        }
    }
}

/// The next line, cleaned of what is no text.
fn read_line(input: &mut impl BufRead) -> io::Result<Input> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok([]) if line.is_empty() && !too_long => return Ok(Input::End),
            Ok([]) => break,
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let room = MAX_LINE - line.len();
        too_long |= part.len() > room;
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    let text = text::line(&line);
    if too_long {
        return Ok(Input::TooLong(text));
    }
    // A byte order mark of UTF-16 is not UTF-8, and no letter either.
    let is_latin1 = cfg!(unix) && !text.is_ascii() && std::str::from_utf8(&line).is_err();
    Ok(if is_latin1 { Input::Latin1(text) } else { Input::Line(text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn read_all(bytes: &[u8]) -> Vec<Input> {
        let (sender, receiver) = crossbeam::channel::unbounded();
        forward(BufReader::with_capacity(7, bytes), &sender);
        receiver.try_iter().map(|(input, _)| input).collect()
    }

    fn line(text: &str) -> Input {
        Input::Line(text.into())
    }

    #[test]
    fn lines_end_with_either_ending_or_the_stream() {
        assert_eq!(
            read_all(b"uci\r\n\ngo depth 20\nquit"),
            [line("uci"), line(""), line("go depth 20"), line("quit"), Input::End]
        );
    }

    #[test]
    fn bytes_that_are_no_text_do_not_end_the_stream() {
        let latin1 = |text: &str| if cfg!(unix) { Input::Latin1(text.into()) } else { line(text) };
        assert_eq!(read_all(b"\xff\xf8\nuci\n"), [latin1("ÿø"), line("uci"), Input::End]);
        assert_eq!(read_all("ÿø\n".as_bytes()), [line("ÿø"), Input::End]);
        assert_eq!(read_all(b"\xff\xfeu\0c\0i\0\n"), [line("uci"), Input::End]);
    }

    #[test]
    fn a_byte_order_mark_does_not_make_the_first_line_unknown() {
        assert_eq!(read_all(b"\xef\xbb\xbfxboard\r\nnew"), [line("xboard"), line("new"), Input::End]);
    }

    #[test]
    fn an_enormous_line_is_cut_and_the_next_one_read() {
        let mut bytes = vec![b'x'; 2 * MAX_LINE];
        bytes.extend_from_slice(b"\nuci\n");
        bytes.extend(vec![b'y'; MAX_LINE]);
        let read = read_all(&bytes);
        assert_eq!(read[..2], [Input::TooLong("x".repeat(MAX_LINE)), line("uci")]);
        assert!(matches!(&read[2], Input::Line(text) if text.len() == MAX_LINE));
        assert_eq!(read[3..], [Input::End]);
    }
}
