#![allow(clippy::print_stdout, missing_docs)]
use lab::study::contest::Threads;
use lab::study::figure8::*;
fn main() {
    let to: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let f = figure8(
        &Settings {
            from: 2,
            to,
            positions: 24,
            tables: vec![8000, 1000000],
            quiescence: std::env::args().nth(2).is_some(),
            threads: Threads::All,
        },
        |_| {},
    );
    println!("width {}", f.width);
    for p in &f.points {
        println!(
            "d{} {:24}{:8} {:8.3}s time {:6.1}% horizon {:6.1}% {} inter {}",
            p.depth,
            p.series,
            size_label(p.entries),
            p.seconds,
            p.time_percent,
            p.horizon_percent,
            p.tally.horizon,
            p.tally.interior
        );
    }
    println!("{:?}", f.minimal);
}
