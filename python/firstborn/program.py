"""Runs the program and reads what it prints."""

import json
import os
import shutil
import subprocess

from . import records


class FirstbornError(Exception):
    """The program is not there, or a command failed; the text is what it said."""


def _words(options):
    """Options by name as words of a command line; those that are None are left out."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
    return words


class Firstborn:
    """The program at a path; else that of FIRSTBORN_BINARY, else `firstborn` of the search path."""

    def __init__(self, binary=None):
        self.binary = binary or os.environ.get("FIRSTBORN_BINARY") or shutil.which("firstborn")
        if not self.binary:
            raise FirstbornError("no firstborn in the search path, and FIRSTBORN_BINARY is not set")

    def document(self, *words):
        """The JSON document of any command that has `--json`, whatever its exit status: what failed stands in it."""
        try:
            done = subprocess.run(
                [str(self.binary), *map(str, words), "--json"], capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL
            )
        except OSError as error:
            raise FirstbornError(f"cannot run {self.binary}: {error}") from error
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError as error:
            if done.returncode != 0:
                raise FirstbornError(done.stderr.strip() or f"{words[0]}: exit status {done.returncode}") from error
            raise FirstbornError(f"{words[0]} printed no document: {error}") from error

    def analyze(self, fen=None, *, depth=None, nodes=None, movetime=None, threads=None, scheme=None, options=()):
        """Searches a position; None is the start position.

        `movetime` is in milliseconds; without a limit it takes five seconds.
        """
        named = _words(dict(depth=depth, nodes=nodes, movetime=movetime, threads=threads, scheme=scheme))
        return records.Analysis.of(self.document("analyze", *named, *options, *([] if fen is None else [fen])))

    def bench(self, *, depth=None):
        """The signature: nodes of fixed searches, and the speed."""
        return records.Bench.of(self.document("bench", *_words(dict(depth=depth))))

    def scaling(self, *, schemes=None, threads=None, clock=None, limit=None, depth=None, repeats=None, options=()):
        """Speed-up over threads, by the real clock or the virtual one."""
        named = dict(schemes=schemes, threads=threads, clock=clock, limit=limit, depth=depth, repeats=repeats)
        return records.Scaling.of(self.document("scaling", *_words(named), *options))

    def speedtest(self, *, threads=None, limit=None, options=()):
        """One score for the machine: about a minute."""
        return records.Speedtest.of(self.document("speedtest", *_words(dict(threads=threads, limit=limit)), *options))

    def report(self, *files, options=()):
        """Statistics of finished games in journals and PGN files."""
        return records.Report.of(self.document("report", *files, *options))

    def run(self, contestant, *, options=(), **trees):
        """`lab run`: one search, tree by tree. `trees`: tree, depth, width, count, seed, correlation, position."""
        return records.Run.of(self.document("lab", "run", contestant, *_words(trees), *options))

    def compare(self, *contestants, options=(), **trees):
        """`lab compare`: contestants on the same trees; the first is the reference."""
        return records.Comparison.of(self.document("lab", "compare", *contestants, *_words(trees), *options))

    def figure8(self, *, from_depth=None, depth=None, limit=None, tables=None, options=()):
        """`lab figure8`: searches on Bratko-Kopec in percent of direct alpha-beta."""
        named = {"from": from_depth, "depth": depth, "limit": limit, "tables": tables}
        return records.Figure8.of(self.document("lab", "figure8", *_words(named), *options))

    def parallel(self, *schemes, processors=None, options=(), **trees):
        """`lab parallel`: the historical parallel searches in virtual time."""
        named = _words({"processors": processors, **trees})
        return records.Parallel.of(self.document("lab", "parallel", *schemes, *named, *options))

    def claims(self, *, quick=False, systems=None, options=()):
        """`lab claims`: the claims of the literature, measured."""
        return records.Claims.of(self.document("lab", "claims", *_words(dict(quick=quick, systems=systems)), *options))
