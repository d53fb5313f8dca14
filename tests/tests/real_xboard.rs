//! The real xboard: a game against fairymax and an analysis, on a virtual screen. The work is done by
//! `tools/real_xboard.py`; the test says that it was skipped where the programs are not there.

use std::process::Command;

/// The script's way of saying that a program is missing, as in automake.
const SKIPPED: i32 = 77;

#[test]
fn a_game_and_an_analysis_in_the_real_xboard() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = Command::new("python3")
        .arg(tests::workspace().join("tools/real_xboard.py"))
        .arg("--engine")
        .arg(tests::firstborn())
        .arg("--out")
        .arg(folder.path())
        .args(["--seconds", "5"])
        .output();
    let output = match run {
        Ok(output) => output,
        Err(error) => {
            tests::skipped(&format!("python3: {error}"));
            return;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(SKIPPED) {
        tests::skipped(&said);
        return;
    }
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
}
