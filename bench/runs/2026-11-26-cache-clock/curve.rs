//! Scratch.
use chess::{Game, Position};
use thinking::report::Limits;
use engine::worker::Task;
use smp::simulation::coherence::Class;
use smp::simulation::costs::Costs;
use smp::schemes::Scheme;
use smp::simulation::{Setup, simulate_by};
use smp::schemes::rules::{RuleSet, Rules, Usual};
struct D<const N: i32>;
impl<const N: i32> RuleSet for D<N> { const RULES: Rules = Rules { ybw_depth: N, advance_depth: N + 2, ..Rules::USUAL }; }
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let teams: Vec<(Scheme, usize, i32, usize)> = args[2].split(',').map(|t| { let mut w = t.split(':'); let s = w.next().unwrap().parse().unwrap(); let mut n = |d: usize| w.next().map_or(d, |w| w.parse().unwrap()); (s, n(1), n(7) as i32, n(4)) }).collect();
    let costs: Vec<Costs> = args[3..].iter().map(|c| c.parse().unwrap()).collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let positions: Vec<(Position, u32)> = text.lines().filter(|l| !l.is_empty()).map(|l| {
        let p = l.parse::<chess::epd::Epd>().unwrap().position;
        let d = l.split("acd ").nth(1).unwrap().split(';').next().unwrap().trim().parse().unwrap();
        (p, d)
    }).collect();
    let run = |(scheme, threads, depth, team): (Scheme, usize, i32, usize), costs: Costs, p: &(Position, u32)| {
        let setup = Setup { hash_mib: 64, team, costs, seed: Some(6), ..Setup::new(scheme, threads) };
        let table = std::sync::Arc::new(engine::tt::Table::new(64).unwrap());
        let (task, limits) = (Task::from(&Game::new(p.0.clone())), Limits { depth: Some(p.1), ..Limits::default() });
        match depth { 8 => simulate_by::<D<8>>(&setup, table, task, limits), 9 => simulate_by::<D<9>>(&setup, table, task, limits), 10 => simulate_by::<D<10>>(&setup, table, task, limits), _ => simulate_by::<Usual>(&setup, table, task, limits) }.accounts
    };
    let alone: Vec<_> = positions.iter().map(|p| run((Scheme::Serial, 1, 7, 4), costs[0], p)).collect();
    for &t in &teams { let (scheme, threads, depth, team) = t;
        for &costs in &costs {
            let (mut ls, mut lr, mut lo) = (0.0, 0.0, 0.0);
            let mut sum = smp::simulation::coherence::Traffic::default();
            let (mut nodes, mut joins, mut splits, mut refused) = (0u64, 0, 0, 0);
            for (p, one) in positions.iter().zip(&alone) {
                let a = run(t, costs, p);
                let rate1 = one.total_nodes() as f64 / one.time.as_secs_f64();
                let idle: f64 = a.idle.iter().map(|i| i.as_secs_f64()).sum();
                let busy = a.time.as_secs_f64() * threads as f64 - idle;
                ls += (one.time.as_secs_f64() / a.time.as_secs_f64()).ln();
                lr += (a.total_nodes() as f64 / busy / rate1).ln();
                lo += (a.total_nodes() as f64 / one.total_nodes() as f64).ln();
                sum = sum + a.traffic.unwrap();
                nodes += a.total_nodes(); joins += a.tally.joins; splits += a.tally.splits; refused += a.tally.refused;
            }
            let n = positions.len() as f64;
            let per = |x: u64| x as f64 / nodes as f64;
            print!("{scheme} {threads} d{depth} t{team} line={} S {:.2} over {:.1}% busy-rate {:.3} nps {:.2} joins {:.4} splits {:.4} refused {:.4} | lines {:.3} ns {:.0} lock {:.0} |", costs.line, (ls / n).exp(), 100.0 * ((lo / n).exp() - 1.0), (lr / n).exp(), ((ls + lo) / n).exp(), per(joins), per(splits), per(refused), per(sum.all_lines()), per(sum.all_line_ns()), per(sum.all_lock_ns()));
            for c in Class::ALL { let i = c as usize; print!(" {} {:.3}/{:.0}/{:.0}", c.name(), per(sum.lines[i]), per(sum.line_ns[i]), per(sum.lock_ns[i])); }
            println!(" ({nodes} nodes)");
        }
    }
}
