"""A copy of this repository's sources in which a tool may plant faults, and the tests that must find them there."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_MEMORY = 16 << 30
"""Bytes of address space for a test: a fault may ask for memory without end."""
PROGRAMS = ("FIRSTBORN_BINARY", "FIRSTBORN_MPI")
"""Variables that name a program for tests to run in place of the one that is built with them, which has the fault."""
PASSED = re.compile(r"\b[1-9]\d* passed\b")


def copy(tree):
    """Makes the tree a copy of the files that git has or might have, as they are now, but not of the records of
    measurements. Those unchanged keep their times, so that little is built again."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":!bench/runs"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    names = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    for left in [path for path in tree.rglob("*") if path.is_file() and path.relative_to(tree).as_posix() not in names]:
        left.unlink()
    for name in names:
        source, target = ROOT / name, tree / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def cargo_test(tree, build, arguments, seconds):
    """Runs `cargo test` in a copy. True if it succeeds and a test has run, unless there is only to be built; None if it
    takes longer than `seconds`; and what it printed to stderr, or that no test has run."""
    command = ["cargo", "test", "--quiet", "--locked", "--target-dir", str(build), *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in PROGRAMS}
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    process = subprocess.Popen(command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
                               preexec_fn=limit)
    try:
        results, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode != 0:
        return False, said
    # A name that fits no test is a success for cargo.
    if "--no-run" not in arguments and not PASSED.search(results):
        return False, "no test has run: does one have such a name?"
    return True, said
