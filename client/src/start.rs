//! Why an engine did not start, told apart so that a caller can name the cause and need not guess.

use std::env::consts::EXE_SUFFIX;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use super::config::{EngineConfig, with_exe_suffix};

/// The system's number for a file that is not a program of this machine: `ENOEXEC`, and on Windows
/// `ERROR_BAD_EXE_FORMAT`.
const NOT_A_PROGRAM: i32 = if cfg!(windows) { 193 } else { 8 };

/// Why a program did not become a running engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartError {
    /// There is no such program.
    NotFound {
        /// The program.
        program: PathBuf,
    },
    /// The program is a folder.
    IsFolder {
        /// The program.
        program: PathBuf,
    },
    /// The file is there and may not be executed.
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// The file is there and executable, but what it needs to run (a script's interpreter, a loader) is not.
    NoInterpreter {
        /// The program.
        program: PathBuf,
    },
    /// The file is not a program for this machine.
    BadFormat {
        /// The program.
        program: PathBuf,
    },
    /// The folder it should run in is not there.
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The system refused for another reason.
    Refused {
        /// The program.
        program: PathBuf,
        /// The system's words.
        why: String,
    },
    /// It greeted and cannot be bound to its processors.
    Unbound {
        /// The system's words.
        why: String,
    },
    /// It started and ended before it had greeted.
    Ended {
        /// The program.
        program: PathBuf,
        /// How it ended; `None` if it closed its output and lives on.
        status: Option<ExitStatus>,
        /// The last line it wrote to standard error.
        last_words: Option<Box<str>>,
    },
}

impl StartError {
    /// What a failed attempt to start this engine means.
    #[must_use]
    pub fn diagnose(config: &EngineConfig, error: &io::Error) -> Self {
        let program = config.program();
        if let Some(folder) = config.dir.as_ref().filter(|folder| !folder.is_dir()) {
            return Self::NoFolder { folder: folder.clone() };
        }
        let file = find(&program);
        match (error.kind(), file) {
            (_, Some(file)) if file.is_dir() => Self::IsFolder { program },
            (io::ErrorKind::PermissionDenied, _) => Self::NotExecutable { program },
            (io::ErrorKind::NotFound, Some(_)) => Self::NoInterpreter { program },
            (io::ErrorKind::NotFound, None) => Self::NotFound { program },
            _ if error.raw_os_error() == Some(NOT_A_PROGRAM) => Self::BadFormat { program },
            _ => Self::Refused { program, why: error.to_string() },
        }
    }
}

/// Does a program's name lead to its file without `PATH`?
#[must_use]
pub fn is_path(program: &Path) -> bool {
    program.is_absolute() || program.components().count() > 1
}

/// The file behind a program's name, looked up in `PATH` if it has no folder.
fn find(program: &Path) -> Option<PathBuf> {
    if is_path(program) {
        return with_exe_suffix(program, EXE_SUFFIX);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).filter_map(|folder| with_exe_suffix(&folder.join(program), EXE_SUFFIX));
    found.into_iter().find(|file| file.is_file())
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { program } if is_path(program) => {
                write!(f, "there is no file `{}`", program.display())
            }
            Self::NotFound { program } => {
                write!(f, "there is no program `{}` in PATH", program.display())
            }
            Self::IsFolder { program } => write!(f, "`{}` is a folder, not a program", program.display()),
            Self::NotExecutable { program } if cfg!(unix) => {
                write!(f, "`{}` may not be executed (chmod +x makes a file executable)", program.display())
            }
            Self::NotExecutable { program } => write!(f, "`{}` may not be executed", program.display()),
            Self::NoInterpreter { program } => {
                write!(f, "`{}` needs an interpreter or a loader that is not there", program.display())
            }
            Self::BadFormat { program } => {
                write!(f, "`{}` is not a program for this machine", program.display())
            }
            Self::NoFolder { folder } => {
                write!(f, "there is no folder `{}` to start it in", folder.display())
            }
            Self::Unbound { why } => write!(f, "it cannot be bound to its CPUs: {why}"),
            Self::Refused { program, why } => write!(f, "cannot start `{}`: {why}", program.display()),
            Self::Ended { program, status, last_words } => {
                match status {
                    Some(status) => write!(
                        f,
                        "`{}` ended before it answered `uci` or `protover 2` ({status})",
                        program.display()
                    )?,
                    None => write!(
                        f,
                        "`{}` closed its output before it answered `uci` or `protover 2`",
                        program.display()
                    )?,
                }
                last_words.iter().try_for_each(|words| write!(f, "; it wrote: {words}"))
            }
        }
    }
}

impl std::error::Error for StartError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Client, Failure, FailureKind, PlainLauncher, Protocol};
    use std::sync::Arc;

    fn start(config: &EngineConfig) -> Failure {
        let launcher: Arc<dyn crate::Launcher> = Arc::new(PlainLauncher);
        match Client::start(config, &launcher, &crossbeam::channel::never()) {
            Ok(_) => panic!("{} started", config.command),
            Err(failure) => failure,
        }
    }

    fn reason(config: &EngineConfig) -> StartError {
        match start(config).kind {
            FailureKind::Start(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let missing = EngineConfig::new("/no/such/engine");
        assert_eq!(reason(&missing), StartError::NotFound { program: "/no/such/engine".into() });
        let in_path = reason(&EngineConfig::new("no-such-engine-anywhere"));
        assert_eq!(in_path.to_string(), "there is no program `no-such-engine-anywhere` in PATH");
    }

    #[test]
    fn a_folder_is_no_program_and_a_missing_folder_is_told_from_a_missing_program() {
        for folder in [env!("CARGO_MANIFEST_DIR"), "/"] {
            assert!(matches!(reason(&EngineConfig::new(folder)), StartError::IsFolder { .. }), "{folder}");
        }
        let elsewhere =
            EngineConfig { dir: Some("/no/such/folder".into()), ..EngineConfig::new(env!("CARGO")) };
        assert_eq!(reason(&elsewhere), StartError::NoFolder { folder: "/no/such/folder".into() });
    }

    #[cfg(unix)]
    #[test]
    fn files_that_cannot_be_executed_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str, mode: &str| {
            let path = folder.path().join(name);
            // Another process writes it: what is open for writing here is so in what other threads start, too, and
            // cannot be executed meanwhile.
            let mut shell = std::process::Command::new("/bin/sh");
            shell.args(["-c", "printf '%s' \"$1\" >\"$3\" && chmod \"$2\" \"$3\"", "sh", text, mode]);
            assert!(shell.arg(&path).status().unwrap().success());
            EngineConfig::new(path.to_string_lossy())
        };
        let plain = file("plain", "int", "644");
        assert!(matches!(reason(&plain), StartError::NotExecutable { .. }));
        let script = file("script", "#!/no/such/interpreter\n", "755");
        assert!(matches!(reason(&script), StartError::NoInterpreter { .. }));
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_that_ends_before_its_greeting_failed_to_start() {
        for protocol in [None, Some(Protocol::Uci), Some(Protocol::Xboard)] {
            let config = EngineConfig {
                args: vec!["-c".into(), "echo first >&2; echo cannot find my network >&2; exit 3".into()],
                protocol,
                ..EngineConfig::new("/bin/sh")
            };
            let failure = start(&config);
            assert_eq!(failure.word(), "start", "{protocol:?}");
            let says = failure.to_string();
            assert!(says.contains("exit status: 3"), "{protocol:?}: {says}");
            assert!(says.ends_with("it wrote: cannot find my network"), "{protocol:?}: {says}");
        }
    }

    /// It lives on, but can say nothing any more.
    #[cfg(unix)]
    #[test]
    fn an_engine_that_closes_its_output_before_its_greeting_failed_to_start() {
        let script = "read -r word; echo no network >&2; exec sleep 600 >&- 2>&-";
        let config = EngineConfig {
            args: vec!["-c".into(), script.into()],
            protocol: Some(Protocol::Uci),
            ..EngineConfig::new("/bin/sh")
        };
        let failure = start(&config);
        assert_eq!(failure.word(), "start");
        let says = failure.to_string();
        assert!(says.contains("closed its output before it answered"), "{says}");
        assert!(says.ends_with("it wrote: no network"), "{says}");
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_that_ends_at_the_word_uci_may_speak_xboard() {
        let script =
            "read word; [ \"$word\" = uci ] && exit 1; read word; echo 'feature myname=\"X\" done=1'; cat";
        let config = EngineConfig { args: vec!["-c".into(), script.into()], ..EngineConfig::new("/bin/sh") };
        let launcher: Arc<dyn crate::Launcher> = Arc::new(PlainLauncher);
        let client = Client::start(&config, &launcher, &crossbeam::channel::never()).unwrap();
        assert_eq!((client.protocol(), client.name()), (Protocol::Xboard, Some("X")));
    }
}
