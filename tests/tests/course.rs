//! docs/course.md: every command of it runs as it stands.

use assert_cmd::Command;
use tests::{firstborn, workspace};

#[test]
fn every_command_of_the_course_runs() {
    let page = std::fs::read_to_string(workspace().join("docs/course.md")).expect("the page is there");
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("    firstborn ")).collect();
    assert!(commands.len() >= 8, "{} commands for eight hours", commands.len());
    let folder = tempfile::tempdir().expect("a folder");
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        Command::new(firstborn()).current_dir(folder.path()).args(&words).assert().success();
    }
}
