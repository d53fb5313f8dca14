//! docs/course.md: every command of it runs as it stands.

use assert_cmd::Command;
use serde_json::Value;
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
    // What the questions ask for: a re-search of PVS, a subtree that is aborted, a processor that waits.
    let steps = |hour: &str| {
        let page =
            std::fs::read_to_string(folder.path().join(hour).join("show.html")).expect("it was written");
        let begin = "<script type=\"application/json\" id=\"data\">";
        let (_, data) = page.split_once(begin).expect("the page holds its data");
        let data: Value =
            serde_json::from_str(data.split("</script>").next().expect("it ends")).expect("JSON");
        data["searches"][0]["ops"].as_str().expect("the steps of the first search").to_owned()
    };
    assert!(steps("hour4").contains('r'), "PVS re-searches");
    assert!(
        steps("hour7").contains('v') && steps("hour7").contains('w'),
        "a processor gives up, and one waits"
    );
}
