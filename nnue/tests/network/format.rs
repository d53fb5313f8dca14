//! Files come back as they were written, and a damaged one is refused by name.

use crate::common::random_network;
use nnue::format::{LONGEST_DESCRIPTION, VERSION};
use nnue::{FormatError, LoadError, Network, Parameters, ShapeError};
use proptest::prelude::*;

fn refused(bytes: &[u8]) -> FormatError {
    Network::from_bytes(bytes).expect_err("the bytes are no network")
}

/// The largest network that there is.
fn largest() -> Network {
    let description = "x".repeat(LONGEST_DESCRIPTION);
    let parameters = Parameters { description, ..random_network(1024, 8, 5).parameters().clone() };
    Network::new(parameters).expect("the weights are within bounds")
}

#[test]
fn a_file_comes_back() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("a.net");
    for network in [random_network(32, 1, 5), random_network(96, 8, 5), largest()] {
        std::fs::write(&path, network.to_bytes()).expect("the folder can be written to");
        let loaded = Network::load(&path).expect("the file is whole");
        assert_eq!(loaded.parameters(), network.parameters());
    }
}

/// By the documented layout the largest file has 28 + 65,536 + 1,572,864 + 2048 + 32,768 + 32 + 4 bytes.
#[test]
fn a_byte_behind_the_largest_file_is_seen() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("a.net");
    let longer = [&largest().to_bytes()[..], &[0]].concat();
    std::fs::write(&path, longer).expect("the folder can be written to");
    let Err(LoadError::Format { cause, .. }) = Network::load(&path) else { panic!("it was taken") };
    assert_eq!(cause, FormatError::Length { expected: 1_673_280, found: 1_673_281 });
}

#[test]
fn the_layout_is_as_documented() {
    let network = random_network(32, 2, 6);
    let bytes = network.to_bytes();
    let p = network.parameters();
    let text = p.description.len();
    assert_eq!(&bytes[..8], b"FIRSTNET");
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert_eq!([8, 12, 16, 20, 24].map(word), [1, 32, 2, 6, text as u32]);
    assert_eq!(&bytes[28..28 + text], p.description.as_bytes());
    let half = |at: usize| i16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"));
    assert_eq!(half(28 + text + 2 * (700 * 32 + 5)), p.feature_weights[700 * 32 + 5]);
    assert_eq!(bytes.len(), 28 + text + 2 * 768 * 32 + 2 * 32 + 2 * 2 * 64 + 4 * 2 + 4);
    assert_eq!(word(bytes.len() - 8).cast_signed(), p.output_biases[1]);
}

#[test]
fn what_is_wrong_is_named() {
    let bytes = random_network(32, 1, 7).to_bytes();
    assert_eq!(refused(b""), FormatError::Magic);
    assert_eq!(refused(b"\x7fELF and so on, long enough to be a header"), FormatError::Magic);
    assert_eq!(refused(&bytes[..20]), FormatError::Length { expected: 28, found: 20 });
    let set = |at: usize, value: u32| {
        let mut changed = bytes.clone();
        changed[at..at + 4].copy_from_slice(&value.to_le_bytes());
        refused(&changed)
    };
    assert_eq!(set(8, VERSION + 1), FormatError::Version(VERSION + 1));
    assert_eq!(set(12, 4_000_000_000), FormatError::Shape(ShapeError::Hidden(4_000_000_000)));
    assert_eq!(set(16, 4_000_000_000), FormatError::Shape(ShapeError::Buckets(4_000_000_000)));
    assert_eq!(set(24, LONGEST_DESCRIPTION as u32 + 1), FormatError::Description);
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(refused(&longer), FormatError::Length { .. }));
    // Another fingerprint is another network: the checksum covers the header too.
    assert!(matches!(set(20, 0xdead_beef), FormatError::Checksum { .. }));
}

#[test]
fn weights_that_could_overflow_are_refused() {
    let mut parameters = random_network(32, 1, 8).parameters().clone();
    parameters.feature_weights[3] = 1200;
    let error = Network::new(parameters.clone()).expect_err("32 times 1200 is more than 16 bits");
    assert!(matches!(error, ShapeError::Overflow { number: 3, .. }), "{error}");
    parameters.feature_weights[3] = 0;
    parameters.output_weights[40] = -129;
    let error = Network::new(parameters.clone()).expect_err("129 times 255 is more than 16 bits");
    assert!(matches!(error, ShapeError::Overflow { what: "output layer", .. }), "{error}");
    parameters.output_weights.pop();
    assert!(matches!(Network::new(parameters), Err(ShapeError::Count { expected: 64, found: 63, .. })));
}

/// 255 squared times 33,025 is less than 2^31, and times 33,026 it is not.
#[test]
fn output_weights_may_add_up_to_what_fits_a_sum() {
    let mut parameters = random_network(160, 1, 8).parameters().clone();
    parameters.output_weights.fill(0);
    // 258 times 128 is 33,024.
    for (number, weight) in parameters.output_weights.iter_mut().take(258).enumerate() {
        *weight = if number.is_multiple_of(2) { 128 } else { -128 };
    }
    parameters.output_weights[300] = -1;
    assert!(Network::new(parameters.clone()).is_ok());
    parameters.output_weights[300] = -2;
    let error = Network::new(parameters).expect_err("one more is too many");
    assert_eq!(error, ShapeError::Overflow { what: "output layer", number: 0 });
}

/// Files that are whole but hold no network: a program built around one could not evaluate.
#[test]
fn whole_files_of_no_network_are_refused() {
    let whole = random_network(32, 1, 8).to_bytes();
    // The file with `word` at a place, ended at `end`, and the right checksum behind it.
    let file = |at: usize, word: u32, end: usize| {
        let mut bytes = whole[..end].to_vec();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    };
    let [end, outputs] = [whole.len() - 4, whole.len() - 8 - 2 * 64];
    assert!(Network::from_bytes(&file(20, 8, end)).is_ok(), "its own fingerprint");
    assert_eq!(refused(&file(8, 2, end)), FormatError::Version(2));
    assert!(matches!(refused(&file(20, 8, end - 2)), FormatError::Length { .. }));
    let text = whole.len() - 4 - 4 - 2 * 64 - 2 * 32 - 2 * 768 * 32 - 28;
    assert_eq!(refused(&file(12, 0, 28 + text + 4)), FormatError::Shape(ShapeError::Hidden(0)));
    let overflow = ShapeError::Overflow { what: "output layer", number: 0 };
    assert_eq!(refused(&file(outputs, 129, end)), FormatError::Shape(overflow));
}

#[test]
fn a_missing_file_is_named() {
    let error = Network::load(std::path::Path::new("/nowhere/a.net")).expect_err("there is no such file");
    assert!(matches!(error, LoadError::Read { .. }));
    assert!(error.to_string().contains("/nowhere/a.net"), "{error}");
}

proptest! {
    #[test]
    fn no_damage_goes_unseen(at: prop::sample::Index, flip in 1_u8..=255, seed in 0_u64..4) {
        let mut bytes = random_network(32, 1, seed).to_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(Network::from_bytes(&bytes).is_err());
    }

    #[test]
    fn no_length_but_the_right_one(length: prop::sample::Index) {
        let bytes = random_network(32, 1, 9).to_bytes();
        prop_assert!(Network::from_bytes(&bytes[..length.index(bytes.len())]).is_err());
    }

    #[test]
    fn no_bytes_do_harm(bytes: Vec<u8>) {
        let _ = Network::from_bytes(&bytes);
        let _ = Network::from_bytes(&[b"FIRSTNET\x01\0\0\0", &bytes[..]].concat());
    }
}
