//! Programs on the disk: which file a command leads to, and why one does not start.
//!
//! The system's own word for a failed start is often misleading: "No such file or directory" for a script whose
//! interpreter is missing, or nothing at all where a shell was tried on a file that is no program. What can be found out
//! by looking at the file is added to it here.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use client::{EngineConfig, Failure, FailureKind, Question, with_exe_suffix};

/// Why a command leads to no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A bare name that no folder of `PATH` has.
    #[error("there is no program `{0}` in PATH; write ./{0} for one in the current directory")]
    NotInPath(String),
    /// A path to nothing.
    #[error("there is no program `{0}` (No such file or directory)")]
    Missing(String),
    /// A path through a folder that is not there.
    #[error("there is no program `{command}`: there is no folder {folder}")]
    NoFolder {
        /// The command.
        command: String,
        /// The first folder on its path that is missing.
        folder: PathBuf,
    },
    /// A path to a folder, a device or the like.
    #[error("`{0}` is not a file that can be run (it is a folder or a device)")]
    NotAFile(String),
    /// A file without permission to be run.
    #[error("`{0}` is not executable: it has no x bit (Permission denied; chmod +x makes it a program)")]
    NotExecutable(String),
}

/// The file that an engine's command leads to.
///
/// # Errors
/// There is none, or none that can be run.
pub fn locate(engine: &EngineConfig) -> Result<PathBuf, ProgramError> {
    let (program, command) = (engine.program(), engine.command.clone());
    if program.components().count() > 1 || program.is_absolute() {
        return check(&program, command).map(|()| program);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path =
        std::env::split_paths(&path).filter_map(|dir| with_exe_suffix(&dir.join(&program), EXE_SUFFIX));
    let found: Vec<PathBuf> = in_path.filter(|file| file.is_file()).collect();
    match found.iter().find(|file| is_executable(file)) {
        Some(file) => Ok(file.clone()),
        None => Err(match found.first() {
            Some(file) => ProgramError::NotExecutable(file.display().to_string()),
            None => ProgramError::NotInPath(command),
        }),
    }
}

fn check(program: &Path, command: String) -> Result<(), ProgramError> {
    if program.is_file() {
        return if is_executable(program) { Ok(()) } else { Err(ProgramError::NotExecutable(command)) };
    }
    if program.exists() {
        return Err(ProgramError::NotAFile(command));
    }
    let folders = program.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    match folders.filter(|folder| !folder.is_dir()).last() {
        Some(folder) => Err(ProgramError::NoFolder { command, folder: folder.to_owned() }),
        None => Err(ProgramError::Missing(command)),
    }
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

/// Endings that say what kind of program a file is. Anything else behind a dot, as in `engine-1.2`, is part of its
/// name.
const KINDS: [&str; 15] = [
    "appimage", "bash", "bat", "bin", "cmd", "com", "exe", "jar", "js", "lua", "pl", "ps1", "py", "rb", "sh",
];

/// What a player is called that was given no name: as the file of its program.
#[must_use]
pub fn default_name(command: &str) -> String {
    let path = Path::new(command);
    let known = |ending: &OsStr| KINDS.iter().any(|kind| ending.eq_ignore_ascii_case(kind));
    let name = if path.extension().is_some_and(known) { path.file_stem() } else { path.file_name() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// A command with its arguments, for messages.
#[must_use]
pub fn command_text(engine: &EngineConfig) -> String {
    let words = std::iter::once(&engine.command).chain(&engine.args);
    shell_words::join(words)
}

/// Splits a command line into the program and its arguments: by a shell's rules of quoting, or not at all if the whole
/// line names a file.
///
/// # Errors
/// A quote that is not closed, or no word at all.
pub fn split_command(line: &str) -> Result<(String, Vec<String>), String> {
    if Path::new(line).is_file() {
        return Ok((line.to_owned(), Vec::new()));
    }
    let mut words = split_words(line)?.into_iter();
    let program = words.next().ok_or("names no program")?;
    Ok((program, words.collect()))
}

/// Splits a text into words by a shell's rules of quoting. A backslash that quotes nothing stands for itself, so that
/// `initstr=a\nb` and paths with backslashes survive.
///
/// # Errors
/// A quote that is not closed.
pub fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut escaped = String::with_capacity(text.len());
    let (mut quote, mut chars) = (None, text.chars().peekable());
    while let Some(c) = chars.next() {
        escaped.push(c);
        match c {
            '\\' if quote != Some('\'') => match chars.next_if(|next| "\\\"' ".contains(*next)) {
                Some(next) => escaped.push(next),
                None => escaped.push('\\'),
            },
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ => {}
        }
    }
    shell_words::split(&escaped).map_err(|_| "a quote is opened and not closed".to_owned())
}

/// What keeps an engine from being ready, in words that say what to do about it.
#[must_use]
pub fn explain(engine: &EngineConfig, failure: &Failure) -> String {
    let mut text = failure.to_string();
    let look = matches!(failure.kind, FailureKind::Start(_));
    if let Some(hint) = locate(engine).ok().filter(|_| look).and_then(|program| hint(&program)) {
        text = format!("{text}; {hint}");
    }
    if matches!(failure.kind, FailureKind::Stall { waiting_for: Question::EitherGreeting, .. }) {
        text.push_str("; an old xboard engine needs proto=xboard");
    }
    let words = failure.stderr.iter().rev().take(3).rev();
    let words: Vec<&str> = words.map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    if words.last().is_some_and(|last| !text.contains(last)) {
        text = format!("{text}; on its standard error: {}", words.join(" | "));
    }
    text
}

/// What the first bytes of a file say about why it does not run.
fn hint(program: &Path) -> Option<String> {
    let start = first_bytes(program)?;
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let interpreter = line.split_whitespace().next().unwrap_or_default();
        if interpreter.ends_with('\r') || line.ends_with('\r') {
            return Some("its first line ends with a carriage return, as files from Windows do".to_owned());
        }
        let missing = !Path::new(interpreter).is_file();
        return missing
            .then(|| format!("its first line names the interpreter `{interpreter}`, which is not there"));
    }
    match (format_of(&start), std::env::current_exe().ok().and_then(|own| first_bytes(&own))) {
        (None, Some(own)) if format_of(&own).is_some() => Some(
            "Exec format error: it is neither a program for this machine nor a script that begins with `#!`"
                .to_owned(),
        ),
        (Some(theirs), Some(own)) if format_of(&own).is_some_and(|ours| ours != theirs) => {
            Some("Exec format error: it was built for another kind of processor or system".to_owned())
        }
        _ => None,
    }
}

fn first_bytes(file: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    File::open(file).ok()?.take(256).read_to_end(&mut start).ok()?;
    Some(start)
}

/// Word size, byte order and processor of an ELF program (System V ABI, the header's bytes 4, 5, 18 and 19).
fn format_of(start: &[u8]) -> Option<[u8; 4]> {
    let header = start.get(..20).filter(|header| header.starts_with(b"\x7fELF"))?;
    Some([header[4], header[5], header[18], header[19]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        let words = |text: &str| split_words(text).unwrap();
        assert_eq!(words("a 'b c' \"d e\" f\\ g"), ["a", "b c", "d e", "f g"]);
        assert_eq!(words("initstr=x\\ny dir=C:\\chess '\\n'"), ["initstr=x\\ny", "dir=C:\\chess", "\\n"]);
        assert_eq!(words("\"a\\\"b\" \\\\"), ["a\"b", "\\"]);
        assert_eq!(words("  "), Vec::<String>::new());
        assert!(split_words("name='O").is_err());
    }

    /// A version behind a dot is part of the name.
    #[test]
    fn names_lose_no_more_than_the_kind_of_the_program() {
        for (command, name) in [
            ("./py-1.2", "py-1.2"),
            ("py-1.3", "py-1.3"),
            ("/opt/engine.2024-11-29/engine", "engine"),
            ("C2.5.exe", "C2.5"),
            ("run.SH", "run"),
            ("engine.py", "engine"),
            ("engine.jar", "engine"),
            ("engine.avx2", "engine.avx2"),
            (".sh", ".sh"),
            ("/", ""),
        ] {
            assert_eq!(default_name(command), name, "{command}");
        }
    }

    #[test]
    fn a_command_with_blanks_is_a_file_if_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my engine");
        std::fs::write(&file, "").unwrap();
        let line = file.display().to_string();
        assert_eq!(split_command(&line), Ok((line.clone(), vec![])));
        let (program, args) = split_command(&format!("'{line}' --uci 'a b'")).unwrap();
        assert_eq!((program, args), (line, vec!["--uci".to_owned(), "a b".to_owned()]));
        assert_eq!(split_command("gnuchess --uci"), Ok(("gnuchess".into(), vec!["--uci".into()])));
        assert!(split_command(" ").is_err());
    }
}
