#![allow(clippy::print_stdout, missing_docs)]
fn main() {
    let quick = std::env::args().nth(1).is_some();
    let mut last = std::time::Instant::now();
    let mut name = String::new();
    let c = lab::study::claims::claims(quick, |s| {
        println!("{name} {:.1}s", last.elapsed().as_secs_f64());
        last = std::time::Instant::now();
        name = s.to_owned();
    });
    println!("{name} {:.1}s", last.elapsed().as_secs_f64());
    println!("{}", lab::report::studies::claims(&c).text(170));
}
