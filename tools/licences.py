#!/usr/bin/env python3
"""Prints LICENCES.txt of a release: which crates are linked into the program, and the notices that their licences
demand to go with it.

    python3 tools/licences.py

The notices of a crate are the files beside its manifest or below that are named like a licence. A crate without any is
refused, unless its licence is our own. Nothing but the standard library is needed.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = "GPL-3.0-or-later"
NAMED = re.compile(r"(licen[cs]es?|unlicense|copying|copyright|notices?)([-_.].*)?", re.IGNORECASE)
HEAD = """\
Firstborn is free software under the GNU General Public License, version 3 or later (LICENSE).
It contains Rust's standard library (MIT OR Apache-2.0; LICENCES-rust.html) and these crates, under these licences:
"""


def said(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def linked():
    """What cargo knows of each crate that is linked into the program and is not of this repository. Procedural macros
    and what they are made of take part in the build only."""
    edges = ("--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}")
    lines = said("cargo", "tree", "--locked", "--package", "firstborn", *edges).splitlines()
    # Such as `clap v4.0.0`, and what is nothing of its name.
    names = sorted({(words[0], words[1].removeprefix("v")) for words in map(str.split, lines) if words})
    host = said("rustc", "--print", "host-tuple").strip()
    words = ("--locked", "--format-version", "1", "--filter-platform", host)
    packages = json.loads(said("cargo", "metadata", *words))["packages"]
    known = {(package["name"], package["version"]): package for package in packages}
    return [known[name] for name in names if known[name]["source"]]


def texts(package):
    """Name and text of each of a crate's notices."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = {path for path in folder.rglob("*") if NAMED.fullmatch(path.name) and path.suffix != ".rs"}
    if package["license_file"]:
        files.add(folder / package["license_file"])
    return [(path.name, path.read_text("utf-8", "replace")) for path in sorted(files) if path.is_file()]


def main():
    packages = linked()
    print(HEAD)
    for package in packages:
        terms = package["license"] or package["license_file"]
        print(f"{package['name']} {package['version']} | {terms} | {package['repository'] or ''}")
    # Most are the same but for the breaks of lines: each is printed once, below all that it is a notice of.
    notices = {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        found = texts(package)
        if not found and package["license"] != OWN:
            sys.exit(f"licences: {name} ({package['license']}) has no file with its licence")
        for file, text in found:
            names, _ = notices.setdefault(" ".join(text.split()), ([], text))
            names.append(f"{name}: {file}")
    print(f"\nThe text of those under {OWN} alone is that of LICENSE. The notices of the others:")
    for names, text in notices.values():
        print("\n" + "=" * 80, *names, sep="\n")
        print("\n" + "\n".join(line.rstrip() for line in text.strip("\r\n").splitlines()))


if __name__ == "__main__":
    main()
