//! Results of real matches with the numbers that others published for them: fishtest, OpenBench, fastchess.
//!
//! Counts are pairs with 0, ½, 1, 1½ and 2 points. All numbers are held to the printed digit.

use tournament::stats::Pairs;
use tournament::stats::elo::from_pairs;
use tournament::stats::sprt::{Model, Sprt};

fn assert_printed(what: &str, ours: f64, published: f64) {
    assert!((ours - published).abs() < 0.005_01, "{what}: {ours}, published {published}");
}

fn llr(model: Model, elo0: f64, elo1: f64, pairs: [u64; 5]) -> f64 {
    Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model }.llr_of_pairs(Pairs(pairs))
}

/// Where it was published, pairs, elo0, elo1, LLR.
type Test = (&'static str, [u64; 5], f64, f64, f64);

/// Fishtest since 2021: normalized Elo. The numbers are those of official-stockfish/Stockfish's pull requests.
const FISHTEST_NORMALIZED: [Test; 6] = [
    ("3514, STC", [264, 5737, 31270, 5964, 269], -0.5, 2.5, 2.97),
    ("3514, LTC", [29, 2205, 35000, 2392, 34], 0.5, 3.5, 2.94),
    ("4194, STC", [371, 10263, 24989, 10642, 379], 0.0, 2.0, 2.95),
    ("4194, LTC", [47, 8181, 25234, 8575, 47], 0.5, 2.5, 2.94),
    ("5712, STC", [831, 31795, 68460, 32448, 834], 0.0, 2.0, 2.93),
    ("5712, LTC", [307, 54901, 140_959, 56230, 281], 0.5, 2.5, 2.95),
];

/// Fishtest before: logistic Elo.
const FISHTEST_LOGISTIC: [Test; 14] = [
    ("2493, STC", [424, 2948, 5832, 3045, 460], -1.0, 3.0, 2.94),
    ("2493, LTC", [1284, 17437, 55536, 18085, 1292], 0.0, 2.0, 2.94),
    ("2950, STC", [133, 1751, 5094, 1849, 165], -0.5, 1.5, 2.94),
    ("2950, LTC", [149, 4748, 32785, 5063, 159], 0.25, 1.75, 2.95),
    ("2951, STC", [59, 754, 2467, 865, 75], -0.5, 1.5, 2.95),
    ("2951, LTC", [33, 1185, 8378, 1302, 50], 0.25, 1.75, 2.95),
    ("2971, STC", [17, 253, 1042, 337, 39], -0.5, 1.5, 2.96),
    ("2971, LTC", [11, 407, 3238, 513, 11], 0.25, 1.75, 2.93),
    ("3098, STC", [491, 7345, 29693, 7670, 465], -0.25, 1.25, 2.96),
    ("3098, LTC", [53, 2220, 21459, 2445, 47], 0.25, 1.25, 2.97),
    ("3209, STC", [253, 4282, 17604, 4431, 286], -0.25, 1.25, 2.94),
    ("3209, LTC", [58, 3302, 33130, 3518, 84], 0.25, 1.25, 2.97),
    ("3331, STC", [115, 2196, 11328, 2317, 136], -0.25, 1.25, 2.94),
    ("3331, LTC", [14, 1030, 14318, 1163, 19], 0.25, 1.25, 2.93),
];

#[test]
fn ratios_as_fishtest_prints_them() {
    for (place, pairs, elo0, elo1, published) in FISHTEST_NORMALIZED {
        assert_printed(place, llr(Model::Normalized, elo0, elo1, pairs), published);
        // The kind of Elo is told apart by these digits.
        assert!((llr(Model::Logistic, elo0, elo1, pairs) - published).abs() > 0.01, "{place}");
    }
    for (place, pairs, elo0, elo1, published) in FISHTEST_LOGISTIC {
        assert_printed(place, llr(Model::Logistic, elo0, elo1, pairs), published);
        assert!((llr(Model::Normalized, elo0, elo1, pairs) - published).abs() > 0.01, "{place}");
    }
}

/// OpenBench, normalized Elo: pull requests of the engines named; LLR and Elo. Its error is another one than half the
/// interval of the pairs (2.22 where that is 1.67, in the first of RubiChess) and is left out.
const OPENBENCH: [(Test, f64); 11] = [
    (("Rose 11", [17, 77, 217, 151, 54], 0.0, 5.0, 2.90), 50.17),
    (("Rose 111", [7, 172, 520, 275, 11], 0.0, 5.0, 2.89), 19.60),
    (("Rose 121, STC", [50, 634, 1531, 745, 62], 0.0, 5.0, 2.91), 7.76),
    (("Rose 121, LTC", [19, 524, 1505, 645, 18], 0.0, 5.0, 2.91), 7.63),
    (("viridithas 220", [7, 542, 1460, 710, 14], 0.0, 3.0, 2.98), 11.57),
    (("viridithas 240", [119, 8306, 19310, 8624, 123], 0.0, 3.0, 2.96), 1.55),
    (("PlentyChess 234", [4, 367, 1170, 417, 3], 0.0, 3.0, 0.76), 4.25),
    (("PlentyChess 296", [78, 4150, 9069, 4080, 85], 0.0, 3.0, -2.26), -0.56),
    (("PlentyChess 334", [214, 8992, 19871, 9102, 235], 0.0, 2.5, 0.16), 0.69),
    (("RubiChess 439, STC", [155, 5201, 11386, 5412, 188], 0.0, 3.0, 2.95), 2.15),
    (("RubiChess 439, LTC", [36, 3236, 8115, 3446, 45], 0.0, 3.0, 2.95), 2.66),
];

#[test]
fn ratios_and_elo_as_openbench_prints_them() {
    for ((place, pairs, elo0, elo1, published), elo) in OPENBENCH {
        assert_printed(place, llr(Model::Normalized, elo0, elo1, pairs), published);
        assert_printed(place, from_pairs(Pairs(pairs)).unwrap().elo, elo);
    }
}

/// fastchess: pull requests of brunocodutra/cinder, and two of its own issues; LLR, then Elo, error, nElo, error.
const FASTCHESS: [(Test, [f64; 4]); 11] = [
    (("cinder 727", [50, 287, 610, 387, 73], 0.0, 5.0, 2.97), [18.04, 8.23, 28.19, 12.84]),
    (("cinder 778", [46, 496, 1073, 640, 79], 0.0, 3.0, 2.89), [15.64, 5.88, 26.56, 9.97]),
    (("cinder 795", [1447, 13972, 26437, 14412, 1441], 0.0, 3.0, 1.98), [1.29, 1.18, 2.19, 2.00]),
    (("cinder 802", [363, 3205, 5861, 3376, 414], 0.0, 3.0, 2.91), [3.59, 2.53, 5.93, 4.19]),
    (("cinder 804", [320, 2667, 5158, 2850, 359], 0.0, 3.0, 2.90), [3.99, 2.72, 6.63, 4.52]),
    (("cinder 805", [188, 1644, 3079, 1847, 206], 0.0, 3.0, 2.90), [5.96, 3.48, 9.89, 5.77]),
    (("cinder 809", [248, 2015, 3946, 2212, 273], 0.0, 3.0, 2.89), [4.94, 3.11, 8.20, 5.16]),
    (("cinder 836", [835, 6884, 13116, 7201, 852], 0.0, 3.0, 2.89), [2.11, 1.70, 3.52, 2.83]),
    (("cinder 879", [115, 1156, 2443, 1233, 141], -3.0, 1.0, 2.90), [4.40, 3.91, 7.61, 6.75]),
    (("fastchess 882", [72, 10, 0, 0, 0], -1000.0, -500.0, -2.97), [-600.97, 118.46, -1409.98, 53.17]),
    (("fastchess 882", [77, 1, 0, 0, 0], -1000.0, -500.0, -2.95), [-997.10, f64::NAN, -4339.56, 54.52]),
];

#[test]
fn ratios_and_both_elos_as_fastchess_prints_them() {
    for ((place, pairs, elo0, elo1, published), [elo, error, nelo, nelo_error]) in FASTCHESS {
        assert_printed(place, llr(Model::Normalized, elo0, elo1, pairs), published);
        let ours = from_pairs(Pairs(pairs)).unwrap();
        assert_printed(place, ours.elo, elo);
        if error.is_nan() {
            assert!(ours.error.is_nan(), "{place}: {}", ours.error);
        } else {
            assert_printed(place, ours.error, error);
        }
        assert_printed(place, ours.nelo, nelo);
        assert_printed(place, ours.nelo_error, nelo_error);
    }
}

/// Without a test: Elo alone (Disservin/fastchess, issues 807 and 881).
#[test]
fn lopsided_elo_as_fastchess_prints_it() {
    for (place, pairs, [elo, error, nelo, nelo_error]) in [
        ("807", [30, 6, 18, 0, 6], [-168.40, 73.37, -170.08, 62.16]),
        ("881", [549, 54, 33, 1, 0], [-517.92, 38.60, -856.15, 19.08]),
    ] {
        let ours = from_pairs(Pairs(pairs)).unwrap();
        assert_printed(place, ours.elo, elo);
        assert_printed(place, ours.error, error);
        assert_printed(place, ours.nelo, nelo);
        assert_printed(place, ours.nelo_error, nelo_error);
    }
}
