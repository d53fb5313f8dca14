//! A program that a test has started.

use std::io;
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Output};

/// A running program; killed when dropped, as by a test that fails. Engines of a tournament then see their input end.
pub struct Running(Option<Child>);

impl Running {
    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> Self {
        Self(Some(command.spawn().expect("the program can be started")))
    }

    /// Waits for its end, and reads what it has written until then.
    ///
    /// # Errors
    /// When that cannot be read.
    pub fn wait_with_output(mut self) -> io::Result<Output> {
        self.0.take().expect(UNTIL_THEN).wait_with_output()
    }
}

const UNTIL_THEN: &str = "it is there until it is dropped";

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().expect(UNTIL_THEN)
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().expect(UNTIL_THEN)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // Already ended is as good.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
