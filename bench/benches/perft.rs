//! Perft speed, side by side with the move generators people compare with: one thread, last ply counted in bulk.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

const POSITIONS: [(&str, &str, u32); 2] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
];

fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.len() as u64;
        } else {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += cozy(&child, depth - 1);
            }
        }
        false
    });
    nodes
}

fn perft(c: &mut Criterion) {
    for (name, fen, depth) in POSITIONS {
        let ours = chess::Position::from_fen(fen).expect("a legal FEN");
        let theirs: cozy_chess::Board = fen.parse().expect("a legal FEN");
        let setup: shakmaty::fen::Fen = fen.parse().expect("a legal FEN");
        let third: shakmaty::Chess =
            setup.into_position(shakmaty::CastlingMode::Standard).expect("a legal position");
        let nodes = chess::perft(&ours, depth);
        assert_eq!(nodes, cozy(&theirs, depth));
        assert_eq!(nodes, shakmaty::perft(&third, depth));
        let mut group = c.benchmark_group(format!("perft/{name}"));
        group
            .throughput(Throughput::Elements(nodes))
            .sample_size(30)
            .measurement_time(Duration::from_secs(5));
        group.bench_function("firstborn", |b| b.iter(|| chess::perft(black_box(&ours), depth)));
        group.bench_function("cozy-chess", |b| b.iter(|| cozy(black_box(&theirs), depth)));
        group.bench_function("shakmaty", |b| b.iter(|| shakmaty::perft(black_box(&third), depth)));
        group.finish();
    }
}

criterion_group!(benches, perft);
criterion_main!(benches);
