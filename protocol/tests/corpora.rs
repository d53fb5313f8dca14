//! The fuzzers' corpora through the fuzzers' entry: what a nightly compiler explores, a stable one replays.

#[path = "../../fuzz/src/entry.rs"]
mod entry;

use std::path::Path;

fn replay(name: &str, feed: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut count = 0;
    for file in std::fs::read_dir(&folder).expect("the corpus is committed") {
        let bytes = std::fs::read(file.expect("a readable folder").path()).expect("a readable file");
        feed(&bytes);
        // Every beginning of it as well: sessions end in the middle of things.
        for end in (0..bytes.len()).step_by(7) {
            feed(&bytes[..end]);
        }
        count += 1;
    }
    assert!(count >= 3, "only {count} files in {}", folder.display());
}

#[test]
fn uci() {
    replay("uci", entry::uci);
}

#[test]
fn xboard() {
    replay("xboard", entry::xboard);
}

#[test]
fn engine() {
    replay("engine", entry::engine);
}

#[test]
fn fen() {
    replay("fen", entry::fen);
}

#[test]
fn epd() {
    replay("epd", entry::epd);
}
