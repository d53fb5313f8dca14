"""tools/fit_elo.py and tools/fit_wdl.py count the games that were chess, each once."""

import contextlib
import importlib.util
import io
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"


def load(name):
    sys.path.insert(0, str(TOOLS))
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words():
    """The words of `Ending` in the runner's source, in its order, from which it tells faults."""
    source = (ROOT / "tournament/src/record.rs").read_text(encoding="utf-8")
    body = re.search(r"pub enum Ending \{(.*?)\n\}", source, re.DOTALL).group(1)
    names = re.findall(r"^    (\w+),$", body, re.MULTILINE)
    return [re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower() for name in names]


def strict(constant):
    raise ValueError(f"{constant} is no JSON")


class Fits(unittest.TestCase):
    def journal(self, endings):
        """A game for each ending, all of which White won with the same two moves."""
        moves = [{"m": "e2e4", "e": 30}, {"m": "e7e5", "e": -20}]
        lines = [{"tournament": {"players": [{"name": "A"}, {"name": "B"}]}}]
        for number, ending in enumerate(endings):
            game = {"white": 0, "black": 1, "result": "1-0", "ending": ending, "moves": moves}
            lines.append({"id": number, **game})
        file = Path(self.folder.name, "games.jsonl")
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return [file]

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.words = words()
        self.late = self.words.index("time-forfeit")

    def test_ratings_are_of_all_games_but_those_lost_by_a_fault(self):
        games, left_out = load("fit_elo").read(self.journal(self.words))
        self.assertEqual(games, [("A", "B", 1.0)] * (self.late + 1))
        self.assertEqual(left_out, dict.fromkeys(self.words[self.late + 1 :], 1))
        self.assertEqual(len(left_out), 7)

    def test_an_anchor_is_a_name_and_a_number(self):
        tool = load("fit_elo")
        self.assertEqual(tool.anchor("SF1350=1350"), ("SF1350", 1350.0))
        self.assertEqual(tool.anchor("Threads=2=-20.5"), ("Threads=2", -20.5))
        for wrong in ("SF", "=1350", "SF=", "SF=strong", "SF=nan", "SF=inf"):
            errors = io.StringIO()
            with mock.patch.object(sys, "argv", ["fit_elo", "--anchor", wrong, "games.jsonl"]):
                with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
                    tool.main()
            self.assertEqual(ended.exception.code, 2, wrong)
            self.assertIn(f"{wrong} is not NAME=ELO", errors.getvalue())

    def wdl(self):
        try:
            return load("fit_wdl")
        except ModuleNotFoundError as missing:
            self.skipTest(str(missing))

    def test_a_torn_line_is_no_game_and_a_repeated_one_no_second(self):
        [path] = self.journal(["checkmate"] * 3)
        whole = path.read_bytes()
        header, *games = whole.splitlines(keepends=True)
        torn = games[0].replace(b"checkmate", "Möwe".encode())
        for tail in [games[1], b"\n" + games[2] + games[0], torn[:-1], torn[: torn.index(b"\xb6")], games[0][:20]]:
            path.write_bytes(whole + tail)
            self.assertEqual(load("fit_elo").read([path]), ([("A", "B", 1.0)] * 3, {}), tail)
            # In another journal a game of the same number is another one.
            self.assertEqual(len(load("fit_elo").read([path, path])[0]), 6)
        self.assertEqual(self.wdl().read([path], None)[1], {"1-0": 3})

    def test_chances_from_few_games_are_numbers_or_refused(self):
        tool = self.wdl()
        for games in range(8):
            output, errors = io.StringIO(), io.StringIO()
            words = ["fit_wdl", "--degree", "1", *map(str, self.journal(["checkmate"] * games))]
            with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(output):
                with contextlib.redirect_stderr(errors), contextlib.suppress(SystemExit):
                    tool.main()
            if games < 2:
                self.assertRegex(errors.getvalue(), "no game with scores|too few games")
                continue
            document = json.loads(output.getvalue(), parse_constant=strict)
            self.assertEqual(document["positions"], 2 * games)
            self.assertEqual(sum(line["positions"] for line in document["kept_back"]), 2 * games)

    def test_chances_are_of_all_games_decided_on_the_board(self):
        tool = self.wdl()
        rows, results, left_out = tool.read(self.journal(self.words), None)
        self.assertEqual(rows.tolist(), [[game, score, 78, outcome] for game in range(1, self.late + 1)
                                         for score, outcome in ((30, 0), (-20, 2))])
        self.assertEqual(results, {"1-0": self.late})
        self.assertEqual(left_out, dict.fromkeys(self.words[self.late :], 1))


if __name__ == "__main__":
    unittest.main()
