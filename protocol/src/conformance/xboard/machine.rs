//! Memory, cores, tables, options, and standing still.

use super::super::Level::{Must, Wanted};
use super::super::lines::{QUIET, game};
use super::super::probe::{Fault, Seen, verdict};
use super::Rule;
use super::{Engine, LONG, is_error, own_move, without};
use std::time::Duration;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Must, "memory may be any number, and come again unchanged before every game", memory),
    (Wanted, "cores changes between games; 0 does no harm (cutechess)", cores),
    (Wanted, "cores in mid-search does not lose the move", cores_in_search),
    (Wanted, "? and cores in one burst: the move comes at once", cores_behind_move_now),
    (Wanted, "a table path that does not exist is taken in silence", |engine| {
        if engine.feature("egt").is_none() {
            return Err(Fault::NotOffered("no feature egt".into()));
        }
        let said = engine.tell("egtpath syzygy /no/such place/with blanks\negtpath nalimov /nowhere")?;
        without(&said, "answer", |line| !line.trim().is_empty() && !line.starts_with('#'))
    }),
    (Must, "its own options may be set to what they are", own_options),
    (Wanted, "an option it does not have does no harm", |engine| {
        engine.tell("option NoSuchOption=3")?;
        engine.quick_game()?;
        engine.probe.send("go");
        engine.its_move(&mut game("", ""))?.brief()
    }),
    (Must, "pause stops all work on its move, resume goes on", pause),
];

fn memory(engine: &mut Engine) -> Seen {
    engine.need("memory")?;
    for megabytes in [68, 68, 17, 68] {
        let said = engine.tell(&format!("memory {megabytes}"))?;
        engine.quick_game()?;
        without(&said, "error", is_error)?;
        engine.probe.send("go");
        engine.its_move(&mut game("", ""))?;
    }
    Ok("four games".into())
}

fn cores(engine: &mut Engine) -> Seen {
    engine.need("smp")?;
    for cores in [2, 1, 0, 2, 2] {
        let said = engine.tell(&format!("cores {cores}"))?;
        engine.quick_game()?;
        without(&said, "error", is_error)?;
        engine.probe.send("go");
        engine.its_move(&mut game("", ""))?;
    }
    Ok("five games".into())
}

fn cores_in_search(engine: &mut Engine) -> Seen {
    engine.need("smp")?;
    engine.think("nopost\nst 1")?;
    engine.probe.send("cores 2");
    engine.its_move(&mut game("", QUIET))?.brief()
}

fn cores_behind_move_now(engine: &mut Engine) -> Seen {
    engine.need("smp")?;
    engine.think(LONG)?;
    engine.interject("?\ncores 2");
    engine.its_move(&mut game("", QUIET))?.brief()
}

fn own_options(engine: &mut Engine) -> Seen {
    let mut lines = Vec::new();
    for option in engine.options() {
        let Some((name, kind)) = option.split_once(" -") else { continue };
        let (kind, rest) = kind.split_once(' ').unwrap_or((kind, ""));
        let value = match kind {
            "check" | "spin" | "slider" => rest.split_whitespace().next().unwrap_or("0").to_string(),
            "combo" => {
                let choices: Vec<&str> = rest.split("///").map(str::trim).collect();
                let marked = choices.iter().find_map(|choice| choice.strip_prefix('*'));
                marked.or(choices.first().copied()).unwrap_or_default().to_string()
            }
            // Pressing unknown buttons and naming files is not what this rule is about.
            _ => continue,
        };
        lines.push(format!("option {}={value}", name.trim()));
    }
    for line in &lines {
        let said = engine.tell(line)?;
        without(&said, "error", is_error)?;
    }
    engine.quick_game()?;
    engine.probe.send("go");
    engine.its_move(&mut game("", ""))?;
    Ok(format!("{} options", lines.len()))
}

fn pause(engine: &mut Engine) -> Seen {
    const GRANTED: Duration = Duration::from_secs(5);
    engine.need("pause")?;
    engine.think(&format!("st {}", GRANTED.as_secs()))?;
    engine.probe.send("pause");
    engine.probe.listen(Duration::from_millis(100))?;
    let rest = engine.probe.rests()?;
    let said = engine.probe.listen(Duration::ZERO)?;
    without(&said, "move", |line| own_move(line).is_some())?;
    // It may ignore `?`, but not its time.
    engine.probe.send("resume");
    let answer = engine.its_move_after(GRANTED, &mut game("", QUIET))?;
    verdict(true, format!("{rest}; move {} after resume", answer.mv))
}
