//! The pages of `firstborn lab show`, replayed by their own program: a node shows what its branches show. The program
//! is JavaScript; the test says that it was skipped where there is no node to run it.

use std::process::Command;
use tests::{firstborn, workspace};

/// Writes the page of these searches and replays it; what does not fit, or none if it cannot be replayed. Each search
/// must have steps of the kinds that `steps` names by their letters.
fn replay(arguments: &str, steps: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let shown = Command::new(firstborn())
        .args(["lab", "show", "--out"])
        .arg(folder.path())
        .args(arguments.split(' ').map(|word| word.replace('_', " ")))
        .output()
        .expect("the binary has just been built");
    assert!(shown.status.success(), "{arguments}: {}", String::from_utf8_lossy(&shown.stderr));
    let script = workspace().join("tests/tests/show.js");
    match Command::new("node").arg(script).arg(folder.path().join("show.html")).arg(steps).output() {
        Ok(output) if output.status.success() => Some(String::new()),
        Ok(output) => {
            let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            Some(format!("{arguments}:\n{}", said.concat()))
        }
        Err(error) => {
            tests::skipped(&format!("node: {error}"));
            None
        }
    }
}

/// What is shown as a bound or a value at any step is one, by minimax; so it is in a quiescence search. A cut-off names
/// who has as much above.
///
/// Razoring, singular extensions that disappoint, dropped branches and searches that stay inside their windows: each
/// once ended a visit twice, or with a value that no branch had. Of processors that are in one node at once each
/// ends its own visit. No button leads back that says `next`, and a replay comes to its end.
#[test]
fn a_node_shows_what_its_branches_show() {
    let trees =
        ["--tree drawn", "--tree uniform -w 3 -d 5 --seed 4", "--tree transposing -w 3 -d 5 --seed 2"];
    let serial = [
        "minimax,negamax",
        "bnb,failhard",
        "alphabeta,aspiration",
        "sliding,one-side",
        "scout,pvs",
        "pvs-r,pvs-e",
        "negascout,mtdf",
        "failhard+id,aspiration+hard+id+trans=50",
        "negascout+id,scout+id+hard",
        "alphabeta+razor=40,pvs+id+razor=40+grain=10",
        "alphabeta+singular=10,pvs+id+singular=10",
        "alphabeta+marginal=20+marginal-plies=2+gamma,alphabeta+nbest=3",
        "sss,pn",
        "mt-sss,mt-dual",
        "mtd-step,bisection",
        "alphabeta+trans=50+two+etc,pvs+hard+trans=500",
    ];
    let parallel = ["ybw,lazy", "tree-splitting,abdada", "mandatory-first,pv-splitting"];
    let mut pages: Vec<String> =
        serial.iter().flat_map(|searches| trees.map(|tree| format!("{searches} {tree}"))).collect();
    for searches in parallel {
        for tree in ["--tree ordered:70 -w 4 -d 4", "--tree transposing -w 3 -d 5 --seed 2"] {
            pages.extend([3, 16].map(|processors| format!("{searches} {tree} -P {processors}")));
        }
    }
    // Processors that have not heard of the end yet enter further nodes.
    pages.extend([9, 32].map(|processors| format!("abdada,lazy --tree connect4 -p 44 -d 4 -P {processors}")));
    // The table hands a value beyond the window to a search within a visit that goes on.
    let null = "+id+trans=5000+null-verify";
    pages.push(format!("failhard{null},pvs+hard{null}+two --tree connect4 -p 44 -d 4"));
    // The move that stands out is worth less when it is searched deeper.
    let extended = "alphabeta+singular=40,failhard+singular=40 --tree drawn -d 4 -p (((((100)))_50))";
    let mut pages: Vec<(&str, &str)> = pages.iter().map(|page| (page.as_str(), "")).collect();
    pages.push((extended, "+"));
    pages.push(("alphabeta+decrement=20,pvs+id+decrement=20 --tree uniform -w 3 -d 5 --seed 4", "-"));
    let quiet = "minimax+quiesce,alphabeta+quiesce --tree chess -d 2 \
                 -p 6k1/5ppp/2p5/3n4/4P3/2N5/5PPP/6K1_w_-_-_0_1";
    pages.push((quiet, "q"));
    // Deep enough for ProbCut, and with enough positions to fit it on.
    pages.push(("pvs+id+mpc,alphabeta+probcut --tree uniform -w 3 -d 8 --seed 4", "P"));
    for (page, steps) in pages {
        match replay(page, steps) {
            Some(faults) => assert_eq!(faults, ""),
            None => return,
        }
    }
}
