//! `--live`: the running games and the page for browsers, read-only, from memory: there is no way from a
//! request to a file.
//!
//! Unless another address is wanted the server listens on the loopback address only, and then answers only
//! requests that were meant for it: one whose `Host` is another name comes from a foreign page
//! whose name was made to lead here (DNS rebinding).

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ::tournament::boards::Boards;
use anyhow::Context;

use super::http::{self, Reply, Request};
use super::page::rest;

/// The page is kept up to date for so long after the last request for it.
const INTEREST: Duration = Duration::from_secs(60);
/// It is made anew no more often than this.
const PERIOD: Duration = Duration::from_secs(3);
/// How long the last page is handed out to those who look on, when all is over: their script asks every five
/// seconds.
const FAREWELL: Duration = Duration::from_secs(6);
/// What every answer says. A browser may do nothing with the page but ask this server again.
const HEADERS: &[(&str, &str)] = &[
    ("Cache-Control", "no-store"),
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
];

/// Reads `PORT` on the loopback address, or `ADDRESS:PORT`.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    match text.parse::<u16>() {
        Ok(port) => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        Err(_) => text.parse().map_err(|_| format!("`{text}` is neither a port nor an address with a port")),
    }
}

/// A server in the background; it ends with the program.
pub struct Live {
    shared: Arc<Shared>,
    /// Requests wait here until there is a page: with a long journal that is a while.
    waiting: Mutex<Option<TcpListener>>,
}

struct Shared {
    boards: Arc<Boards>,
    /// Whether only requests for this machine by its own names are answered.
    loopback: bool,
    page: Mutex<Page>,
}

#[derive(Default)]
struct Page {
    html: Arc<str>,
    /// When it was made, and how long that took.
    made: Option<(Instant, Duration)>,
    asked: Option<Instant>,
}

impl Live {
    /// Listens; what is asked for is answered once there is a page.
    pub fn start(address: SocketAddr, boards: Arc<Boards>) -> anyhow::Result<Self> {
        let listen = || {
            let listener = TcpListener::bind(address)?;
            let listening = listener.local_addr()?;
            Ok::<_, io::Error>((listener, listening))
        };
        let (listener, listening) =
            listen().with_context(|| format!("--live: cannot listen on {address}"))?;
        let loopback = address.ip().is_loopback();
        let shared = Arc::new(Shared { boards, loopback, page: Mutex::default() });
        eprintln!("firstborn: live on http://{listening}/");
        Ok(Self { shared, waiting: Mutex::new(Some(listener)) })
    }

    /// Whether the page should be made anew: it has a reader, or was never made.
    pub fn is_due(&self) -> bool {
        let page = self.shared.lock();
        let watched = page.asked.is_some_and(|moment| moment.elapsed() < INTEREST);
        page.made.is_none_or(|(moment, took)| watched && moment.elapsed() >= rest(PERIOD, took))
    }

    /// Shows this page, which took so long to make, from now on.
    pub fn update(&self, html: String, took: Duration) {
        let mut page = self.shared.lock();
        page.html = html.into();
        page.made = Some((Instant::now(), took));
        drop(page);
        if let Some(listener) = lock(&self.waiting).take() {
            let answering = Arc::clone(&self.shared);
            http::serve(listener, HEADERS, move |request| answering.reply(request));
        }
    }

    /// Shows the last page, for a moment if it has a reader.
    pub fn finish(&self, html: String) {
        self.update(html, Duration::ZERO);
        if self.shared.lock().asked.is_some_and(|moment| moment.elapsed() < FAREWELL) {
            thread::sleep(FAREWELL);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Page> {
        lock(&self.page)
    }

    fn reply(&self, request: &Request) -> Reply {
        const TEXT: &str = "text/plain; charset=utf-8";
        let refusal = |status, body: &str| Reply { status, kind: TEXT, body: body.into() };
        if self.loopback && !request.host.as_deref().is_some_and(is_this_machine) {
            return refusal(403, "this server answers to the names of its own machine only\n");
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return refusal(405, "there is nothing to change here\n");
        }
        match request.path.as_str() {
            "/" => {
                let mut page = self.lock();
                page.asked = Some(Instant::now());
                Reply { status: 200, kind: "text/html; charset=utf-8", body: Arc::clone(&page.html) }
            }
            "/boards.json" => {
                Reply { status: 200, kind: "application/json", body: self.boards.json().into() }
            }
            _ => refusal(404, "there is nothing of this name\n"),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves what is in it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a `Host` is a name of this machine.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_matches(['[', ']']);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::atomic::{AtomicBool, Ordering};

    use ::tournament::standings::{Counting, Standings};
    use ::tournament::survey::{Survey, Tournament, Wanted};
    use sys::output::Place;
    use sys::provenance::Provenance;

    use super::super::page::PageWriter;
    use super::*;

    /// Where it will serve.
    fn listening(live: &Live) -> SocketAddr {
        let listening = lock(&live.waiting).as_ref().map(TcpListener::local_addr);
        listening.expect("it waits for the page").expect("it listens")
    }

    /// What a browser is answered that asks for the page; nothing where there are too many connections.
    fn ask(address: SocketAddr) -> String {
        let mut browser = TcpStream::connect(address).expect("it is taken");
        let mut reply = String::new();
        let sent = browser.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let _ = sent.and_then(|()| browser.read_to_string(&mut reply));
        reply
    }

    /// While the games of a journal are read there is no page, and a script that looked for one would show it.
    #[test]
    fn there_is_no_answer_before_there_is_a_page() {
        let here = address("0").expect("a port of this machine");
        let live = Live::start(here, Arc::default()).expect("a free port");
        let mut browser = TcpStream::connect(listening(&live)).expect("it is taken");
        browser.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is sent");
        assert!(lock(&live.waiting).is_some(), "it does not serve yet");
        live.update("the first page".to_owned(), Duration::ZERO);
        assert!(lock(&live.waiting).is_none(), "it serves");
        let mut reply = String::new();
        browser.read_to_string(&mut reply).expect("an answer");
        assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with("the first page"), "{reply}");
    }

    /// Those who look on when all is over are shown the last page for a while; the file does not wait for that.
    #[test]
    fn the_file_is_written_before_the_farewell() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("r.html");
        let live = Live::start(address("0").expect("a port"), Arc::default()).expect("a free port");
        let address = listening(&live);
        live.update("the first page".to_owned(), Duration::ZERO);
        assert!(ask(address).ends_with("the first page"), "the page has a reader");
        let place = Place::find(&file).expect("a file can be written there");
        let mut page = PageWriter::new(Some(place), Some(live), String::new(), Tournament::default());
        let players = ["A", "B"].map(str::to_owned);
        let survey = Survey::of_tournament(&players, Wanted::default(), Standings::new(2, Counting::Pairs));
        let over = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&over);
        // The farewell is longer than the test, which does not wait for its end.
        thread::spawn(move || {
            let written = page.finish(&survey, None, "all is over", &Provenance::default());
            done.store(true, Ordering::SeqCst);
            written.expect("it is written");
        });
        loop {
            let ended = over.load(Ordering::SeqCst);
            if ask(address).contains("all is over") {
                break;
            }
            assert!(!ended, "the last page was never shown");
        }
        let kept = std::fs::read_to_string(&file).expect("it is there as soon as the last page is shown");
        assert!(kept.contains("all is over"), "{kept}");
    }

    /// A page that took long to make is not made again at once, however many look on.
    #[test]
    fn a_page_that_takes_long_waits_long() {
        let live = Live::start(address("0").expect("a port"), Arc::default()).expect("a free port");
        assert!(live.is_due(), "there is none");
        for (took, is_due) in [(Duration::ZERO, true), (Duration::from_secs(1000), false)] {
            let Some(moment) = Instant::now().checked_sub(Duration::from_secs(30)) else {
                // If it cannot be told, the test is skipped all the same.
                let _ = writeln!(io::stderr(), "SKIPPED: this machine has run for less than half a minute");
                return;
            };
            let mut page = live.shared.lock();
            (page.made, page.asked) = (Some((moment, took)), Some(Instant::now()));
            drop(page);
            assert_eq!(live.is_due(), is_due, "after {took:?}");
        }
    }

    #[test]
    fn a_port_is_one_of_this_machine() {
        assert_eq!(address("8017").map(|a| a.to_string()), Ok("127.0.0.1:8017".into()));
        assert_eq!(address("0.0.0.0:80").map(|a| a.ip().is_loopback()), Ok(false));
        assert_eq!(address("[::1]:80").map(|a| a.ip().is_loopback()), Ok(true));
        for wrong in ["", "65536", "localhost", "1.2.3.4", "x:80"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
