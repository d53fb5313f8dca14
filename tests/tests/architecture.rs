//! Holds what docs/DESIGN.md says of the house: which room may use which, where `unsafe` and printing may
//! stand, and how long a function may be. A failure names the file.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tests::workspace;

/// The arrows: each room and the rooms it may use. `*` is "all".
const ARROWS: &[(&str, &str)] = &[
    ("chess", ""),
    ("sys", ""),
    ("figures", ""),
    ("nnue", "chess"),
    ("thinking", "chess"),
    ("engine", "chess nnue sys thinking"),
    ("vtime", ""),
    ("smp", "chess engine nnue sys thinking vtime"),
    ("cluster", "chess engine nnue smp sys thinking vtime"),
    ("client", "chess thinking"),
    ("protocol", "chess client thinking"),
    ("tournament", "chess client figures sys"),
    ("lab", "chess figures vtime"),
    ("training", "chess engine nnue sys thinking"),
    ("bench", "chess cluster engine figures nnue smp sys thinking"),
    ("firstborn", "*"),
    ("tests", "*"),
];

/// No room may depend on these (`firstborn` is the package of cli; tests may use everything).
const LEAVES: [&str; 3] = ["firstborn", "bench", "tests"];

/// Rooms that may contain `unsafe`.
const UNSAFE: [&str; 2] = ["sys", "nnue"];
/// The room that may print.
const PRINTING: &str = "cli";
/// Most lines of a function, from `fn` to its closing brace.
const LONGEST: usize = 120;

/// What the manifests say, read once. Without resolving: that would ask for crates of other platforms, which a machine
/// that has only built the program has never fetched.
fn metadata() -> &'static Metadata {
    static METADATA: LazyLock<Metadata> = LazyLock::new(|| {
        MetadataCommand::new()
            .manifest_path(workspace().join("Cargo.toml"))
            .no_deps()
            .other_options(["--offline".to_string()])
            .exec()
            .expect("cargo reads its own workspace")
    });
    &METADATA
}

/// Every Rust file of the workspace, with its text.
fn sources() -> Vec<(PathBuf, String)> {
    let files = files_of("rs");
    assert!(files.len() > 50, "only {} files found", files.len());
    files
}

/// Every file of the rooms with this extension, with its text.
fn files_of(extension: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for package in metadata().workspace_packages() {
        let room = package.manifest_path.parent().expect("a manifest lies in a folder");
        let named = |path: &PathBuf| path.extension().is_some_and(|end| end == extension);
        for path in files_below(room.as_std_path()).into_iter().filter(named) {
            let text = std::fs::read_to_string(&path).expect("sources are text");
            files.push((path, text));
        }
    }
    files
}

/// Every file below a folder but what is built there.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the workspace is readable") {
            let path = entry.expect("the workspace is readable").path();
            if !path.is_dir() {
                files.push(path);
            } else if path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            }
        }
    }
    files
}

/// The room that a file lies in: its folder below the workspace.
fn room(path: &Path) -> String {
    let inside = path.strip_prefix(workspace()).expect("it was found there");
    inside.iter().next().expect("files lie in rooms").to_string_lossy().into_owned()
}

/// `file:line` of every line of code (comments left out) that `bad` picks.
fn places(sources: &[(PathBuf, String)], bad: impl Fn(&Path, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources {
        for (number, line) in (1..).zip(text.lines()) {
            if !line.trim_start().starts_with("//") && bad(path, line) {
                found.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    found
}

fn assert_none(found: &[String], what: &str) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn rooms_use_only_what_the_arrows_allow() {
    let metadata = metadata();
    let members: BTreeSet<&str> = metadata.workspace_packages().iter().map(|p| p.name.as_str()).collect();
    let mut faults = Vec::new();
    for package in metadata.workspace_packages() {
        let Some((_, allowed)) = ARROWS.iter().find(|(room, _)| *room == package.name.as_str()) else {
            faults.push(format!("{}: a room without arrows, see docs/DESIGN.md", package.manifest_path));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|d| members.contains(d.name.as_str())) {
            let name = dependency.name.as_str();
            let allowed = *allowed == "*" || allowed.split(' ').any(|room| room == name);
            let leaf = LEAVES.contains(&name)
                && !(package.name == "firstborn" && name == "bench" || package.name == "tests");
            if !allowed || leaf {
                faults.push(format!("{}: {} must not use {name}", package.manifest_path, package.name));
            }
        }
    }
    for (room, allowed) in ARROWS.iter().filter(|(_, allowed)| *allowed != "*") {
        let used = used_by_room();
        let unused = allowed.split_terminator(' ').filter(|allowed| !used[*room].contains(*allowed));
        faults.extend(unused.map(|allowed| format!("{room} does not use {allowed}")));
    }
    assert_none(&faults, "arrows that docs/DESIGN.md does not have, or has in vain");
}

/// Where markup stands outside figures: the templates of pages with a program of their own, and what fills one.
const TEMPLATES: [&str; 4] = [
    "lab/src/show/page.html",
    "lab/src/show/page.rs",
    "tournament/src/report/live.html",
    "tournament/src/report/viewer.html",
];

/// Tables, charts and their texts become markup in one room, so that every one of them is escaped.
#[test]
fn only_figures_writes_markup() {
    let listed = |path: &Path| room(path) == "figures" || TEMPLATES.iter().any(|file| path.ends_with(file));
    // Elements are closed by one of these, or are breaks; no line of Rust has them.
    let marks = ["</", "/>", "<br"];
    let marked = |text: &str| marks.iter().any(|mark| text.contains(mark));
    let mut files = shipped_sources();
    // Not the pages of studies, which lie beside sources.
    files.extend(files_of("html").into_iter().filter(|(path, text)| shipped(path, text).is_some()));
    let found = places(&files, |path, line| !listed(path) && marked(line));
    assert_none(&found, "markup outside figures");
    for file in TEMPLATES {
        let has = files.iter().any(|(path, text)| path.ends_with(file) && marked(text));
        assert!(has, "{file} has no markup: take it off the list");
    }
}

/// What drives other programs needs the rules, the protocols and the types of a search: a search and its network
/// would be half of what is built for it.
#[test]
fn what_drives_other_engines_links_no_search() {
    let arrows = |room: &str| ARROWS.iter().find(|(name, _)| *name == room).map_or("", |(_, used)| used);
    for room in ["client", "protocol", "tournament"] {
        let mut reached = BTreeSet::new();
        let mut open = vec![room];
        while let Some(room) = open.pop() {
            let used = arrows(room).split_whitespace();
            open.extend(used.filter(|used| reached.insert(*used)));
        }
        assert!(reached.contains("thinking"), "{room} reaches only {reached:?}");
        let search =
            ["engine", "nnue", "smp", "cluster", "vtime"].iter().find(|name| reached.contains(*name));
        assert_eq!(search, None, "{room} links a search");
    }
}

#[test]
fn unsafe_is_forbidden_outside_the_rooms_that_need_it() {
    let roots = |package: &Package| {
        let targets = package.targets.iter().filter(|target| target.is_lib() || target.is_bin());
        targets.map(|target| target.src_path.clone()).collect::<Vec<_>>()
    };
    let mut seen = 0;
    for package in metadata().workspace_packages() {
        if UNSAFE.contains(&package.name.as_str()) {
            continue;
        }
        for root in roots(package) {
            let text = std::fs::read_to_string(&root).expect("cargo names existing files");
            assert!(text.contains("#![forbid(unsafe_code)]"), "{root}: lacks #![forbid(unsafe_code)]");
            seen += 1;
        }
    }
    assert!(seen >= 8, "only {seen} crate roots found");
}

#[test]
fn every_room_takes_the_lints_of_the_workspace() {
    for package in metadata().workspace_packages() {
        let manifest = std::fs::read_to_string(&package.manifest_path).expect("cargo names existing files");
        assert!(manifest.contains("[lints]\nworkspace = true"), "{}: own lints", package.manifest_path);
    }
}

/// The functions of a formatted file: line number and length. rustfmt closes a body at the indentation of its
/// `fn`.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let begins = code.split(' ').take_while(|word| !word.contains('(')).any(|word| word == "fn")
            || code.starts_with("fn ");
        if !begins || code.starts_with("//") {
            continue;
        }
        let Some(head) = lines[start..].iter().position(|line| line.ends_with(['{', ';', '}'])) else {
            continue;
        };
        if !lines[start + head].ends_with('{') {
            continue;
        }
        let close = format!("{}}}", &line[..line.len() - code.len()]);
        let end = lines[start..].iter().position(|line| *line == close).unwrap_or(head);
        found.push((start + 1, end + 1));
    }
    found
}

#[test]
fn the_measure_of_functions_measures() {
    let text = "impl A {\n    pub const fn one(\n        a: u8,\n    ) -> u8 {\n        if a {\n        }\n    }\n    fn two() {}\n}\n";
    assert_eq!(functions(text), [(2, 6)]);
}

#[test]
fn no_function_is_too_long() {
    let sources = sources();
    let all: Vec<_> =
        sources.iter().flat_map(|(path, text)| functions(text).into_iter().map(move |f| (path, f))).collect();
    assert!(all.len() > 500, "only {} functions found", all.len());
    let long: Vec<String> = all
        .iter()
        .filter(|(_, (_, length))| *length > LONGEST)
        .map(|(path, (line, length))| format!("{}:{line}: {length} lines", path.display()))
        .collect();
    assert_none(&long, "functions over 120 lines");
}

#[test]
fn the_lints_against_size_are_not_silenced() {
    // In halves, so that this file does not find itself.
    let lints = ["too_many_lines", "too_many_arguments", "cognitive_complexity"]
        .map(|lint| ["clippy::", lint].concat());
    let found = places(&sources(), |_, line| lints.iter().any(|lint| line.contains(lint.as_str())));
    assert_none(&found, "size lints must not be silenced");
}

#[test]
fn libraries_do_not_print() {
    let sources = sources();
    let prints = |line: &str| {
        ["println!", "print!", "eprintln!", "eprint!", "dbg!"].iter().any(|name| {
            line.match_indices(name)
                .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"'))
        })
    };
    let in_src = |path: &Path| {
        path.strip_prefix(workspace())
            .is_ok_and(|inside| inside.iter().nth(1).is_some_and(|part| part == "src"))
    };
    let found = places(&sources, |path, line| in_src(path) && room(path) != PRINTING && prints(line));
    assert_none(&found, "printing outside cli");
    let allowed = places(&sources, |path, line| {
        room(path) != PRINTING
            && in_src(path)
            && ["print_stdout", "print_stderr"].iter().any(|lint| line.contains(&["clippy::", lint].concat()))
    });
    assert_none(&allowed, "the lints against printing must not be silenced");
}

#[test]
fn nothing_is_left_for_later() {
    let marks = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["XX", "X"].concat()];
    let mut found = Vec::new();
    for (path, text) in sources() {
        for (number, line) in (1..).zip(text.lines()) {
            if marks.iter().any(|mark| line.contains(mark.as_str())) {
                found.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert_none(&found, "work left for later belongs in an issue");
}

#[test]
fn oracles_stay_out_of_the_production_code() {
    // The rules of the game are our own: other people's implementations are there to check them.
    let own = ["chess", "thinking", "engine", "smp", "client", "protocol"];
    for package in metadata().workspace_packages().iter().filter(|p| own.contains(&p.name.as_str())) {
        for dependency in &package.dependencies {
            let oracle = ["shakmaty", "cozy-chess"].contains(&dependency.name.as_str());
            let in_tests = dependency.kind == DependencyKind::Development;
            assert!(!oracle || in_tests, "{}: uses {}", package.manifest_path, dependency.name);
        }
    }
}

/// The tests of a room are one binary, whose modules `tests/main.rs` lists: cargo does not find a file by itself
/// then. A file that the manifest names as a test target of its own is found as well.
#[test]
fn every_file_of_tests_is_in_its_binary() {
    let (mut missing, mut seen) = (Vec::new(), 0);
    for package in metadata().workspace_packages() {
        let folder = package.manifest_path.parent().expect("a manifest lies in a folder").join("tests");
        let Ok(root) = std::fs::read_to_string(folder.join("main.rs")) else { continue };
        let declared: BTreeSet<&str> =
            root.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
        for entry in std::fs::read_dir(&folder).expect("the workspace is readable") {
            let path = entry.expect("the workspace is readable").path();
            let stem = path.file_stem().expect("a file has a name").to_string_lossy();
            let module = path.join("mod.rs").exists() || path.extension().is_some_and(|end| end == "rs");
            if module && stem != "main" {
                seen += 1;
                let own_binary = package.targets.iter().any(|target| target.src_path == path);
                if !declared.contains(stem.as_ref()) && !own_binary {
                    missing.push(path.display().to_string());
                }
            }
        }
    }
    assert!(seen > 40, "only {seen} files found");
    assert_none(&missing, "files of tests that tests/main.rs does not list, so that they never run");
}

/// Where files may be opened for writing: the one place that decides it; what only adds to files of its own
/// format or to logs, after that place has been asked; what only makes new files; and the locks by which programs
/// agree on CPUs.
const WRITERS: [&str; 8] = [
    "sys/src/output.rs",
    "sys/src/claim.rs",
    "sys/src/lock.rs",
    "training/src/format/writer.rs",
    "tournament/src/journal.rs",
    "protocol/src/log.rs",
    "client/src/process.rs",
    "cli/src/tournament/logs.rs",
];

/// The part of a source that is in the program: tests, benches and examples may write as they like.
fn shipped(path: &Path, text: &str) -> Option<String> {
    let inside = path.strip_prefix(workspace()).expect("it was found there");
    let in_src = inside.iter().nth(1).is_some_and(|folder| folder == "src");
    let conditions = ["test", "all(test, unix)", "all(test, target_os = \"linux\")"];
    let marks = conditions.map(|condition| {
        ["mod ", "pub(super) mod ", "pub(crate) mod "].map(|word| format!("\n#[cfg({condition})]\n{word}"))
    });
    let end = marks.as_flattened().iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
    (in_src && room(path) != "tests" && !path.ends_with("tests.rs")).then(|| text[..end].to_owned())
}

fn shipped_sources() -> Vec<(PathBuf, String)> {
    sources().into_iter().filter_map(|(path, text)| Some((path.clone(), shipped(&path, &text)?))).collect()
}

/// A command that writes files by itself can overwrite what it reads: it is to ask `sys::output`.
#[test]
fn outputs_are_placed_in_one_place() {
    const WRITING: [&str; 8] = [
        "fs::write",
        "File::create",
        "OpenOptions",
        "File::options",
        "fs::rename",
        "fs::copy",
        "create_dir",
        "NamedTempFile",
    ];
    let sources = shipped_sources();
    let known = |path: &Path| WRITERS.iter().any(|writer| path.ends_with(writer));
    let found = places(&sources, |path, line| !known(path) && WRITING.iter().any(|word| line.contains(word)));
    assert_none(&found, "a file is written without asking sys::output");
    for writer in WRITERS {
        assert!(
            sources.iter().any(|(path, _)| path.ends_with(writer)),
            "{writer} is gone: take it off the list"
        );
    }
}

/// An error's text says its cause, so that it is whole wherever it is printed; then the cause is not given as
/// `source()` as well, or what prints the chain of causes says it twice.
#[test]
fn an_error_says_its_cause_once() {
    let mut found = Vec::new();
    for (path, text) in shipped_sources() {
        let mut variants = text.split("#[error(");
        variants.next();
        for variant in variants.filter(|variant| !variant.starts_with("transparent")) {
            let end = variant.find("\n}\n").unwrap_or(variant.len());
            let lines = variant[..end].lines().map(str::trim);
            let given = |line: &&str| {
                line.contains("#[from]") || line.contains("#[source]") || line.starts_with("source:")
            };
            let code = lines.filter(|line| !line.starts_with("//"));
            found.extend(code.filter(given).map(|line| format!("{}: {line}", path.display())));
        }
    }
    assert_none(&found, "a cause is both in the text and the source of an error");
}

/// The pages of the repository: at the top, in docs/, and one for each study.
fn pages() -> Vec<(PathBuf, String)> {
    let mut folders = vec![workspace().to_path_buf(), workspace().join("docs")];
    let studies = std::fs::read_dir(workspace().join("bench/runs")).expect("there are studies");
    folders.extend(studies.map(|study| study.expect("the workspace is readable").path()));
    let mut pages = Vec::new();
    for entry in folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder")) {
        let path = entry.expect("the workspace is readable").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = std::fs::read_to_string(&path).expect("pages are text");
            pages.push((path, text));
        }
    }
    assert!(pages.len() > 40, "only {} pages found", pages.len());
    pages
}

/// What a text quotes as code and is a path by its form: "`smp/src/pool.rs`", not "`--threads 2`" or "`1/2`".
fn quoted_paths(text: &str) -> impl Iterator<Item = &str> {
    let in_path = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    text.split('`').skip(1).step_by(2).filter(move |quoted| {
        quoted.contains('/')
            && quoted.starts_with(|c: char| c.is_ascii_lowercase())
            && quoted.chars().all(in_path)
    })
}

/// The relative targets of a page's links, without their anchors.
fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', '#']).next()?;
        (!target.is_empty() && !target.contains("://")).then_some(target)
    })
}

#[test]
fn the_readers_of_pages_read() {
    let text = "See `a/b.rs`, `--x y/z`, `1/2` and [one](../c.md#d), [two](#e), [three](https://f.g/h).";
    assert_eq!(quoted_paths(text).collect::<Vec<_>>(), ["a/b.rs"]);
    assert_eq!(link_targets(text).collect::<Vec<_>>(), ["../c.md"]);
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut broken = Vec::new();
    for (path, text) in pages() {
        let folder = path.parent().expect("a page lies in a folder");
        let gone = link_targets(&text).filter(|target| !folder.join(target).exists());
        broken.extend(gone.map(|target| format!("{}: {target}", path.display())));
    }
    assert_none(&broken, "links to what does not exist");
}

/// Where newcomers look, every page on how to change something is linked, and every section on how to add something.
#[test]
fn every_how_to_is_linked() {
    let mut wanted = Vec::new();
    for (path, text) in pages() {
        let Ok(page) = path.strip_prefix(workspace().join("docs")) else { continue };
        let page = format!("docs/{}", page.display());
        if page.starts_with("docs/how-to-") {
            wanted.push(format!("]({page})"));
        }
        let added = text.lines().filter_map(|line| line.strip_prefix("## Adding "));
        let anchor = |what: &str| what.to_lowercase().replace(' ', "-");
        wanted.extend(added.map(|what| format!("]({page}#adding-{})", anchor(what))));
    }
    assert!(wanted.len() >= 7, "only {wanted:?}");
    let mut missing = Vec::new();
    for name in ["README.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(workspace().join(name)).expect("it is there");
        let lacks = wanted.iter().filter(|link| !text.contains(link.as_str()));
        missing.extend(lacks.map(|link| format!("{name}: {link}")));
    }
    assert_none(&missing, "pages that newcomers look at lack links");
}

/// The glossary says where each term lives in the code, the how-tos which files to change.
#[test]
fn paths_that_the_glossary_and_the_how_tos_name_exist() {
    let mut gone = Vec::new();
    let mut seen = 0;
    for (path, text) in pages() {
        let name = path.file_name().expect("a page has a name").to_string_lossy().into_owned();
        if name != "glossary.md" && !name.starts_with("how-to-") {
            continue;
        }
        for quoted in quoted_paths(&text) {
            seen += 1;
            if !workspace().join(quoted).exists() {
                gone.push(format!("docs/{name}: {quoted}"));
            }
        }
    }
    assert!(seen > 100, "only {seen} paths found");
    assert_none(&gone, "pages name files that do not exist");
}

/// Comments name files from the workspace or from their room.
#[test]
fn files_that_comments_name_exist() {
    let (mut gone, mut seen) = (Vec::new(), 0);
    for (path, text) in sources() {
        let room = workspace().join(room(&path));
        for line in text.lines().filter(|line| line.trim_start().starts_with("//")) {
            let is_ours = |quoted: &&str| [".rs", ".md", ".py"].iter().any(|end| quoted.ends_with(end));
            for quoted in quoted_paths(line).filter(is_ours) {
                seen += 1;
                if !workspace().join(quoted).exists() && !room.join(quoted).exists() {
                    gone.push(format!("{}: {quoted}", path.display()));
                }
            }
        }
    }
    assert!(seen > 5, "only {seen} paths found");
    assert_none(&gone, "comments name files that do not exist");
}

/// Everything that the program and its tests are built with is named in the plan.
#[test]
fn the_plan_names_every_dependency() {
    let page = std::fs::read_to_string(workspace().join("docs/DESIGN.md")).expect("there is a plan");
    let (_, section) = page.split_once("\n## Dependencies\n").expect("a section about them");
    let section = section.split("\n## ").next().unwrap_or_default();
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let named: BTreeSet<&str> = section.split(|c: char| !in_name(c)).collect();
    let packages = metadata().workspace_packages();
    let members: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let used: BTreeSet<&str> = packages
        .iter()
        .flat_map(|package| &package.dependencies)
        .map(|dependency| dependency.name.as_str())
        .filter(|name| !members.contains(name))
        .collect();
    assert!(used.len() > 30, "only {} dependencies found", used.len());
    let missing: Vec<String> = used.difference(&named).map(|name| (*name).to_owned()).collect();
    assert_none(&missing, "dependencies that docs/DESIGN.md does not name");
}

#[test]
fn every_term_of_the_glossary_has_its_source_and_its_place() {
    let text = std::fs::read_to_string(workspace().join("docs/glossary.md")).expect("there is a glossary");
    let terms: Vec<&str> = text.split("\n### ").skip(1).collect();
    assert!(terms.len() >= 50, "only {} terms", terms.len());
    for term in terms {
        let complete = term.contains("\n*Source*: ")
            && term.split_once("\n*Code*: ").is_some_and(|(_, code)| quoted_paths(code).next().is_some());
        assert!(complete, "docs/glossary.md: {:?} lacks its source or its place", term.lines().next());
    }
}

/// docs/experiments.md has a line for every study, and sources cite only studies that are there.
#[test]
fn studies_are_listed_and_cited_truly() {
    let list = std::fs::read_to_string(workspace().join("docs/experiments.md")).expect("there is a list");
    for study in std::fs::read_dir(workspace().join("bench/runs")).expect("there are studies") {
        let name = study.expect("the workspace is readable").file_name().to_string_lossy().into_owned();
        assert!(list.contains(&format!("bench/runs/{name}/")), "docs/experiments.md lacks {name}");
    }
    let mut gone = Vec::new();
    for (path, text) in sources() {
        // In halves, so that this file does not find itself.
        for rest in text.split(["bench/runs", "/20"].concat().as_str()).skip(1) {
            let digits_and_words = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
            let name = format!("20{}", rest.chars().take_while(digits_and_words).collect::<String>());
            if !workspace().join("bench/runs").join(&name).exists() {
                gone.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert_none(&gone, "sources cite studies that do not exist");
}

/// The number behind a ± may be a standard error or half of an interval: a page says which.
#[test]
fn pages_say_which_interval_their_errors_are() {
    let studies = workspace().join("bench/runs");
    let about_errors = |(path, text): &(PathBuf, String)| !path.starts_with(&studies) && text.contains(" ± ");
    let pages: Vec<_> = pages().into_iter().filter(about_errors).collect();
    assert!(pages.len() >= 3, "only {} pages with errors found", pages.len());
    let silent = pages.iter().filter(|(_, text)| !text.contains("95 %"));
    let silent: Vec<String> = silent.map(|(path, _)| path.display().to_string()).collect();
    assert_none(&silent, "pages do not say which interval their errors are");
}

/// Does this text name a folder that only one machine has, by an absolute path? Paths of a patch ("a/work/x.rs")
/// and behind a variable are not absolute.
fn names_a_workplace(text: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || "._-~}".contains(c);
    ["/work/", "/root/", "/home/", "/Users/"]
        .iter()
        .any(|folder| text.match_indices(folder).any(|(at, _)| !text[..at].ends_with(goes_on)))
}

#[test]
fn workplaces_are_known_from_other_paths() {
    assert!(names_a_workplace("open('/work/runs/a.csv')") && names_a_workplace("/root/x"));
    for other in ["--- a/work/x.rs", "$HOME/work/x", "${D}/work/x", "https://a.b/home/", "frame/worker"] {
        assert!(!names_a_workplace(other), "{other}");
    }
}

/// The scripts of a study run in every clone, and so none of its files names a folder of the machine that made it.
#[test]
fn studies_name_no_folder_of_one_machine() {
    let (mut found, mut seen) = (Vec::new(), 0);
    for path in files_below(&workspace().join("bench/runs")) {
        // Packed files are not text.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        seen += 1;
        let named = (1..).zip(text.lines()).filter(|(_, line)| names_a_workplace(line));
        found.extend(named.map(|(number, line)| format!("{}:{number}: {line}", path.display())));
    }
    assert!(seen > 300, "only {seen} texts found");
    assert_none(&found, "studies name folders of one machine");
}

/// The rooms that each room but the tests uses in the program.
fn used_by_room() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let packages = metadata.workspace_packages();
    let members: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let rooms = packages.iter().filter(|package| package.name != "tests");
    rooms
        .map(|package| {
            let normal = package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal);
            let used = normal.map(|d| d.name.clone()).filter(|name| members.contains(name.as_str()));
            (package.name.to_string(), used.collect())
        })
        .collect()
}

/// The picture in docs/DESIGN.md has every dependency that does not follow from others, and no other arrow.
#[test]
fn the_picture_of_the_rooms_is_true() {
    let page = std::fs::read_to_string(workspace().join("docs/DESIGN.md")).expect("there is a plan");
    let picture = page.split("```").find(|part| part.starts_with("mermaid")).expect("there is a picture");
    let mut drawn = BTreeSet::new();
    for line in picture.lines().filter(|line| line.contains("-->")) {
        let (user, used) = line.split_once("-->").expect("it has an arrow");
        let user = user.split('[').next().expect("a name").trim();
        drawn.insert((user.to_owned(), used.trim().to_owned()));
    }
    let used = used_by_room();
    let mut wanted = BTreeSet::new();
    for (user, direct) in &used {
        for room in direct {
            let follows = direct.iter().any(|between| between != room && reaches(&used, between, room));
            if !follows {
                wanted.insert((user.clone(), room.clone()));
            }
        }
    }
    let missing: Vec<_> = wanted.difference(&drawn).collect();
    let wrong: Vec<_> = drawn.difference(&wanted).collect();
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "docs/DESIGN.md lacks {missing:?}, has {wrong:?} too many"
    );
}

/// Does one room use the other, by way of any rooms?
fn reaches(used: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    used[from].iter().any(|room| room == to || reaches(used, room, to))
}
