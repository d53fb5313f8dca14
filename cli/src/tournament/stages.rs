//! Ctrl-C before the first game: what is half written is taken away, and where nothing is, the command ends at once.

use std::process::exit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::tournament::runner::Stop;

use crate::interrupt::{INTERRUPTED, on_interrupt};

/// How far a tournament has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Its files are opened, and those of a journal's games are made again.
    Files,
    /// Its programs are tried.
    Programs,
    /// Games may be played.
    Games,
}

/// How far it has come, for what answers Ctrl-C.
#[derive(Clone)]
pub struct Stages(Arc<Mutex<Stage>>);

impl Stages {
    /// Answers Ctrl-C from now on, when files are about to be opened: it stops that, and a second one ends the program.
    /// While programs are tried the first does. From then on `interrupted` answers.
    ///
    /// # Errors
    /// Those of [`on_interrupt`].
    pub fn watch(stop: &Stop, mut interrupted: impl FnMut() + Send + 'static) -> anyhow::Result<Self> {
        let stages = Self(Arc::new(Mutex::new(Stage::Files)));
        let (seen, stop) = (stages.clone(), stop.clone());
        on_interrupt(move || {
            // Kept until it is answered: who has reached the next stage knows of every stop in the one before.
            let stage = seen.stage();
            match *stage {
                Stage::Files if stop.request() => {}
                Stage::Files | Stage::Programs => exit(i32::from(INTERRUPTED)),
                Stage::Games => interrupted(),
            }
        })?;
        Ok(stages)
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says how far it has come.
    pub fn reach(&self, stage: Stage) {
        *self.stage() = stage;
    }
}
