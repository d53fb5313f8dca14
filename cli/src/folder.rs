//! The folder that a study writes its files to.

use std::path::{Path, PathBuf};
use sys::output::{OutputError, Outputs};

/// What goes before the name of a file of a stopped study where an earlier study has that name.
pub const STOPPED: &str = "stopped-";

/// A folder that has been found writable.
pub struct Folder {
    path: PathBuf,
    outputs: Outputs,
}

impl Folder {
    /// Makes the folder if it is not there, and finds out before the first search whether it can be written
    /// to, and that none of the files to come (`names`) is one that the command reads (`inputs`).
    pub fn open<S: AsRef<Path>>(path: &Path, inputs: Outputs, names: &[S]) -> Result<Self, OutputError> {
        let path = inputs.folder(path)?;
        let mut trial = inputs.clone();
        names.iter().try_for_each(|name| trial.place(path.join(name)).map(|_| ()))?;
        Ok(Folder { path, outputs: inputs })
    }

    /// Is there a file of that name already?
    pub fn has(&self, name: &str) -> bool {
        self.path.join(name).exists()
    }

    /// Writes one file.
    pub fn write(&mut self, name: &str, text: &str) -> Result<(), OutputError> {
        self.outputs.place(self.path.join(name))?.write(text)
    }
}
