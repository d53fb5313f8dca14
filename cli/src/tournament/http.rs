//! A server of a few pages over HTTP/1.1, each answer made from memory: one request a connection, then it is closed.
//!
//! No client can hold it up or make it grow, be it a browser, a scanner or a mistake: every connection has a thread of
//! its own, there are never more than [`CONNECTIONS`], each has its time and a request line with headers of a bounded
//! size, and a body is thrown away unread.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Connections served at a time; one more is closed at once.
const CONNECTIONS: usize = 32;
/// Bytes of a request up to the empty line.
const LONGEST_HEAD: usize = 8192;
/// A request must have come by then.
const TO_ASK: Duration = Duration::from_secs(5);
/// An answer must have been taken by then.
const TO_TAKE: Duration = Duration::from_secs(60);
/// How long what a client still sends is thrown away. A connection that is closed with bytes unread is reset, and
/// the answer may be lost with it.
const TO_LEAVE: Duration = Duration::from_secs(1);

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// GET, HEAD and others, as it was written.
    pub method: String,
    /// With its leading slash, without what follows a question mark, not decoded.
    pub path: String,
    /// For whom it is meant: by the target, if that names it, otherwise by the header of this name, if it is there.
    pub host: Option<String>,
}

/// What it gets.
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Its content type.
    pub kind: &'static str,
    /// What is sent after the headers, but for HEAD.
    pub body: Arc<str>,
}

/// Answers every connection in the background until the program ends. `headers` are lines that each answer has.
pub fn serve(
    listener: TcpListener,
    headers: &'static [(&'static str, &'static str)],
    reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) {
    let reply = Arc::new(reply);
    let open = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        loop {
            let Ok((stream, _)) = listener.accept() else {
                // Out of files, perhaps: the games need them, and this can wait.
                thread::sleep(Duration::from_millis(100));
                continue;
            };
            let place = Place::take(&open);
            if open.load(Relaxed) > CONNECTIONS {
                continue;
            }
            let reply = Arc::clone(&reply);
            let _ = thread::Builder::new().spawn(move || {
                let _place = place;
                // The client may have gone away, or be too slow.
                let _ = converse(stream, headers, &*reply);
            });
        }
    });
}

/// One of the connections that are open.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Relaxed);
        Self(Arc::clone(open))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// One request and its answer.
fn converse(
    mut stream: TcpStream,
    headers: &[(&str, &str)],
    reply: &dyn Fn(&Request) -> Reply,
) -> io::Result<()> {
    let head = read_head(&mut stream)?;
    let (reply, bodiless) = match head.as_deref().and_then(request) {
        Some(request) => (reply(&request), request.method == "HEAD"),
        None => {
            let body = "this is no request that is understood here\n".into();
            (Reply { status: 400, kind: "text/plain; charset=utf-8", body }, false)
        }
    };
    let mut answer = format!(
        "HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
        reply.status,
        reason(reply.status),
        reply.kind,
        reply.body.len()
    );
    headers.iter().for_each(|(name, value)| answer.extend([name, ": ", value, "\r\n"]));
    answer.push_str("\r\n");
    let until = Instant::now() + TO_TAKE;
    write_until(&mut stream, answer.as_bytes(), until)?;
    if !bodiless {
        write_until(&mut stream, reply.body.as_bytes(), until)?;
    }
    stream.shutdown(Shutdown::Write)?;
    let until = Instant::now() + TO_LEAVE;
    let mut rest = [0; 4096];
    while read_until(&mut stream, &mut rest, until)? > 0 {}
    Ok(())
}

/// The lines up to the empty one ([`whole_head`]); `None` where they are too long or broken off.
fn read_head(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let until = Instant::now() + TO_ASK;
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while head.len() < LONGEST_HEAD {
        let read = read_until(stream, &mut part, until)?;
        if read == 0 {
            break;
        }
        head.extend_from_slice(&part[..read]);
        if let Some(whole) = whole_head(&head) {
            return Ok(Some(String::from_utf8_lossy(whole).into_owned()));
        }
    }
    Ok(None)
}

/// The lines before the first empty one, once that has come. Empty lines before all others do not count, and a line may
/// end in a line feed alone (RFC 9112, section 2.2).
fn whole_head(bytes: &[u8]) -> Option<&[u8]> {
    let begin = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
    let bytes = &bytes[begin..];
    let ends = |at: &usize| {
        let rest = &bytes[*at..];
        rest.starts_with(b"\n\n") || rest.starts_with(b"\n\r\n")
    };
    let lines = &bytes[..(0..bytes.len()).find(ends)?];
    Some(lines.strip_suffix(b"\r").unwrap_or(lines))
}

/// Reads what there is; 0 at the end.
fn read_until(stream: &mut TcpStream, into: &mut [u8], until: Instant) -> io::Result<usize> {
    stream.set_read_timeout(Some(left(until)?))?;
    stream.read(into)
}

/// Writes everything.
fn write_until(stream: &mut TcpStream, mut bytes: &[u8], until: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(left(until)?))?;
        match stream.write(bytes)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            written => bytes = &bytes[written..],
        }
    }
    Ok(())
}

/// The time to a moment, if there is any: no time at all would mean no limit to the system.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Reads a request line and its headers (RFC 9112); of several of one name the first counts.
fn request(head: &str) -> Option<Request> {
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    let (authority, path) = parts(target)?;
    let mut fields = lines.filter_map(|line| line.split_once(':'));
    let host = fields.find(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, value)| value.trim());
    Some(Request { method: method.into(), path: path.into(), host: authority.or(host).map(str::to_owned) })
}

/// The authority of a request's target, in absolute form (`http://127.0.0.1:8017/x?y`), and its path; in origin form
/// (`/x?y`) the path alone. `None`: it has neither form.
fn parts(target: &str) -> Option<(Option<&str>, &str)> {
    const SCHEME: &str = "http://";
    let (authority, rest) = match target.split_at_checked(SCHEME.len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(SCHEME) => {
            let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
            (Some(authority), rest)
        }
        _ => (None, target),
    };
    let path = rest.split_once('?').map_or(rest, |(path, _)| path);
    match authority {
        Some("") => None,
        Some(_) if path.is_empty() => Some((authority, "/")),
        _ => path.starts_with('/').then_some((authority, path)),
    }
}

/// What the codes mean that are used here.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;
    use std::sync::Mutex;

    #[test]
    fn a_request_is_its_first_line_and_its_host() {
        let read = request("GET /boards.json?x=1 HTTP/1.1\r\nAccept: */*\r\nhOsT:  [::1]:8017 ").unwrap();
        assert_eq!((read.method.as_str(), read.path.as_str()), ("GET", "/boards.json"));
        assert_eq!(read.host.as_deref(), Some("[::1]:8017"));
        assert_eq!(request("HEAD / HTTP/1.0").map(|request| request.host), Some(None));
        for wrong in ["", "GET", "GET /", "GET / x HTTP/1.1", "GET ?x HTTP/1.1", "GET / SIP/2.0"] {
            assert_eq!(request(wrong), None, "{wrong}");
        }
    }

    /// What the target says of the host counts, and not the header beside it (RFC 9112, section 3.2.2).
    #[test]
    fn a_target_may_name_its_host() {
        for (target, host, path) in [
            ("http://127.0.0.1:8017/", "127.0.0.1:8017", "/"),
            ("HTTP://localhost/boards.json?x=http://b/", "localhost", "/boards.json"),
            ("http://[::1]:8017", "[::1]:8017", "/"),
            ("http://evil.example?x=/", "evil.example", "/"),
        ] {
            let read = request(&format!("GET {target} HTTP/1.1\r\nHost: other")).expect(target);
            assert_eq!((read.host.as_deref(), read.path.as_str()), (Some(host), path), "{target}");
        }
        for wrong in
            ["http://", "http:///", "http://?x", "https://localhost/", "ftp://a/", "localhost:80", "*"]
        {
            assert_eq!(request(&format!("GET {wrong} HTTP/1.1\r\nHost: other")), None, "{wrong}");
        }
    }

    /// RFC 9112, section 2.2: a line feed alone may end a line, and empty lines may come first.
    #[test]
    fn a_head_ends_with_its_first_empty_line() {
        for (sent, head) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\nbody", Some("GET / HTTP/1.1\r\nHost: a")),
            ("GET / HTTP/1.1\nHost: a\n\nbody\n\n", Some("GET / HTTP/1.1\nHost: a")),
            ("GET / HTTP/1.1\nHost: a\n\r\n", Some("GET / HTTP/1.1\nHost: a")),
            ("\r\n\r\nGET / HTTP/1.1\r\n\r\n", Some("GET / HTTP/1.1")),
            ("\n\nGET / HTTP/1.0\n\n", Some("GET / HTTP/1.0")),
            ("GET / HTTP/1.1\r\nHost: a\r\n", None),
            ("GET / HTTP/1.1\r\n\r", None),
            ("\r\n\r\n\n\n", None),
            ("", None),
        ] {
            assert_eq!(whole_head(sent.as_bytes()), head.map(str::as_bytes), "{sent:?}");
        }
        let read = request("GET /x HTTP/1.1\nAccept: */*\nHost: a").expect("lines without a carriage return");
        assert_eq!((read.path.as_str(), read.host.as_deref()), ("/x", Some("a")));
    }

    /// Requests that RFC 9112 permits and no browser sends.
    #[test]
    fn what_is_seldom_sent_is_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        serve(listener, &[], |request| Reply {
            status: 200,
            kind: "text/plain",
            body: format!("{:?} {}", request.host, request.path).into(),
        });
        for sent in [
            "GET http://a:1/x HTTP/1.1\r\nHost: b\r\n\r\n",
            "\r\nGET /x HTTP/1.1\r\nHost: a:1\r\n\r\n",
            "GET /x HTTP/1.1\nHost: a:1\n\n",
        ] {
            let answer = ask(address, sent.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{sent:?}: {answer}");
            assert!(answer.ends_with("\r\n\r\nSome(\"a:1\") /x"), "{sent:?}: {answer}");
        }
    }

    /// What comes back from a server whose every page is `body`.
    fn ask(address: SocketAddr, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        // A reset after the answer is no matter.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    /// Bodies of any announced length, clients that fall silent, that never read, or never end a line: the next one
    /// is answered all the same.
    #[test]
    fn no_client_holds_up_another() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let body: Arc<str> = "page".repeat(4_000_000).into();
        let whole = body.len();
        serve(listener, &[("X-Test", "yes")], move |_| Reply {
            status: 200,
            kind: "text/plain",
            body: body.clone(),
        });
        let announce =
            |length: &str| format!("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
        let mut silent = Vec::new();
        for bytes in ["", "GET / HT", "GET / HTTP/1.1\r\n\r\n", &announce("2000")] {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(bytes.as_bytes()).unwrap();
            silent.push(stream);
        }
        for length in ["1000000000000000", "18446744073709551615", "-1", "x", "0"] {
            let answer = ask(address, announce(length).as_bytes());
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\r\nX-Test: yes\r\n"));
            assert_eq!(answer.split_once("\r\n\r\n").unwrap().1.len(), whole, "{length}");
        }
        let endless = ask(address, &[b'x'; 4 * LONGEST_HEAD]);
        assert!(endless.is_empty() || endless.starts_with("HTTP/1.1 400 "), "{endless}");
        let head = ask(address, b"HEAD / HTTP/1.1\r\n\r\n");
        assert!(
            head.ends_with("\r\n\r\n") && head.contains(&format!("Content-Length: {whole}\r\n")),
            "{head}"
        );
        drop(silent);
    }

    /// More connections than there is room for are closed, and the room comes back.
    #[test]
    fn connections_are_bounded_and_come_back() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (gate, get) = (Arc::new(Mutex::new(())), b"GET / HTTP/1.1\r\n\r\n");
        let shut = Arc::clone(&gate);
        serve(listener, &[], move |_| {
            drop(shut.lock());
            Reply { status: 200, kind: "text/plain", body: "page".into() }
        });
        let closed = gate.lock().unwrap();
        let connect = |_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(get).unwrap();
            stream
        };
        let waiting: Vec<TcpStream> = (0..CONNECTIONS).map(connect).collect();
        // Those before it were taken in their order.
        assert_eq!(ask_or_reset(address, get), "");
        drop(closed);
        drop(waiting);
        let begun = Instant::now();
        while ask_or_reset(address, get).is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no connection is served any more");
        }
    }

    /// As `ask`, of a server that may close the connection before the request is written.
    fn ask_or_reset(address: SocketAddr, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut answer = String::new();
        let _ = stream.write_all(bytes).and_then(|()| stream.read_to_string(&mut answer));
        answer
    }
}
