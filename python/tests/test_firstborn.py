"""Against the program that FIRSTBORN_BINARY names, and against what counting says."""

import json
import math
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from firstborn import Bench, Claims, Comparison, Firstborn, FirstbornError, Parallel  # noqa: E402

GAMES = """[Event "Test"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "Test"]
[White "B"]
[Black "A"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2
"""


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = Firstborn()

    def test_a_mate_in_one_is_found(self):
        found = self.engine.analyze("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", depth=4, threads=1)
        self.assertEqual(found.bestmove, "a1a8")
        self.assertEqual(found.pv[0], found.bestmove)
        self.assertTrue(found.provenance["command"])

    def test_a_shallow_bench_counts_the_same_twice(self):
        first, second = self.engine.bench(depth=3), self.engine.bench(depth=3)
        self.assertEqual((first.nodes, first.depth), (second.nodes, 3))
        self.assertGreater(first.nodes, 0)

    def test_scaling_has_a_row_for_each_team(self):
        found = self.engine.scaling(schemes=["ybw"], threads=[1, 2], clock="virtual", limit=3, depth=6)
        self.assertEqual([(row.scheme, row.threads) for row in found.rows if row.threads == 2], [("ybw", 2)])
        for row in found.rows:
            self.assertTrue(row.speedup_low <= row.speedup <= row.speedup_high)
        # The first of these two is solved at once and left out: one position has no interval.
        single = self.engine.scaling(schemes=["ybw"], threads=[2], clock="virtual", limit=2, depth=6)
        self.assertEqual({(row.speedup_low, row.speedup_high) for row in single.rows}, {(None, None)})

    def test_a_row_says_of_whom_it_is_and_how_sure(self):
        of = dict(schemes=["lazy"], threads=[2], clock="virtual", limit=3, depth=6)
        found = self.engine.scaling(**of, options=["--machines", "1,2"])
        self.assertEqual([(row.scheme, row.machines) for row in found.rows], [("serial", 1), ("lazy", 1), ("lazy", 2)])
        for row in found.rows:
            self.assertEqual((row.clock, row.speedup_error), ("virtual", None))
            # Nodes a second by their definition, from time and nodes.
            self.assertAlmostEqual(row.nps_ratio, row.speedup * (1 + row.overhead), places=9)
            # All positions have the same depths, so the mean over depths is one of the means over positions.
            logs = [math.log(speedup) for speedup in row.speedups_before]
            self.assertAlmostEqual(math.log(row.speedup_depths), sum(logs) / len(logs), places=9)
            self.assertAlmostEqual(row.speedup_last, row.speedup, places=9)
            self.assertEqual(row.speedup_depths_positions, row.positions)
        for row in self.engine.scaling(**of, repeats=2).rows:
            self.assertGreaterEqual(row.speedup_error, 0)

    def test_games_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "games.pgn")
            path.write_text(GAMES)
            found = self.engine.report(path)
        self.assertEqual(found.games, 2)
        results = {player.name: (player.wins, player.draws, player.losses) for player in found.players}
        self.assertEqual(results, {"A": (1, 1, 0), "B": (0, 1, 1)})
        self.assertTrue(all(player.elo_bounded for player in found.players))

    def test_a_player_who_has_won_everything_has_no_upper_bound(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "games.pgn")
            path.write_text(GAMES.replace("1/2-1/2", "0-1"))
            found = self.engine.report(path)
        self.assertEqual([player.elo_bounded for player in found.players], [False, False])

    def test_leaves_are_what_counting_says(self):
        # Knuth and Moore: W^ceil(D/2) + W^floor(D/2) - 1 for alpha-beta on ordered trees, W^D for minimax.
        found = self.engine.compare("minimax", "alphabeta", tree="ordered", width=4, depth=5, count=3)
        self.assertEqual([row.tally["horizon"] for row in found.rows], [3 * 4**5, 3 * (4**3 + 4**2 - 1)])
        self.assertIsNone(found.rows[0].against_first)
        self.assertLess(found.rows[1].against_first.high, 0)
        single = self.engine.compare("minimax", "alphabeta", tree="ordered", width=4, depth=5, count=1)
        self.assertRegex(str(single.rows[1].against_first), r"^-\d+\.\d %$")
        self.assertEqual(single.given_up, [])

    def test_what_was_given_up_is_named(self):
        given_up = {"what": "pn", "most": 8_000_000}
        document = {"trees": "", "depth": 8, "minimal": 1.0, "rows": [], "given_up": [given_up]}
        self.assertEqual([one.what for one in Comparison.of(document).given_up], ["pn"])

    def test_what_a_stopped_study_lacks_is_told(self):
        claims = self.engine.document("lab", "claims", "--quick", "--systems", "3")
        self.assertEqual((Claims.of(claims).left_out, Claims.of({**claims, "left_out": 3}).left_out), (0, 3))
        compared = self.engine.document("lab", "compare", "pvs", "--tree", "drawn")
        self.assertEqual(Comparison.of({**compared, "left_out": ["mtdf"]}).left_out, ["mtdf"])
        study = self.engine.document("lab", "parallel", "ybw", "--tree", "drawn", "-P", "1")
        differs = {**study["points"][0], "wrong": 1}
        found = Parallel.of({**study, "points": [differs], "left_out": 2})
        self.assertEqual((found.points[0].wrong, found.left_out), (1, 2))

    def test_a_drawn_tree_is_searched(self):
        found = self.engine.run("alphabeta", tree="drawn", position="((5 4) (6 1))")
        self.assertEqual([(s.value, s.best) for s in found.solutions], [(4, "1")])

    def test_figures_and_processors(self):
        figure = self.engine.figure8(depth=2, limit=1, tables=[1000])
        direct = figure.series()[("direct alpha-beta", None)]
        self.assertEqual([(point.depth, point.horizon_percent) for point in direct], [(2, 100.0)])
        study = self.engine.parallel("ybw", processors=[1], tree="ordered", width=3, depth=3, count=2)
        self.assertEqual([point.speedup for point in study.points], [1.0])

    def test_claims_have_commands(self):
        found = self.engine.claims(quick=True, systems=[3])
        self.assertGreaterEqual(len(found.rows), 2)
        self.assertTrue(all(row.command.startswith("firstborn lab ") for row in found.rows))
        counted = sum(len(rows) for rows in found.by_verdict().values())
        self.assertEqual(counted, len(found.rows))

    def test_what_the_program_refuses_is_an_error_with_its_words(self):
        with self.assertRaisesRegex(FirstbornError, "alphabeta, .*mtdf"):
            self.engine.run("oak")
        with self.assertRaisesRegex(FirstbornError, "cannot run"):
            Firstborn("no-such-program").bench()

    def test_an_empty_position_is_not_the_start_position(self):
        with self.assertRaises(FirstbornError):
            self.engine.analyze("", depth=1, threads=1)
        with mock.patch.object(Firstborn, "document", side_effect=FirstbornError) as document:
            for fen in ("", None):
                self.assertRaises(FirstbornError, self.engine.analyze, fen)
        self.assertEqual([call.args for call in document.call_args_list], [("analyze", ""), ("analyze",)])

    def test_a_document_is_handed_over_whatever_the_exit_status(self):
        with tempfile.NamedTemporaryFile("w", suffix=".epd") as suite:
            suite.write("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ;D1 21\n")
            suite.flush()
            self.assertEqual(self.engine.document("perft", "--suite", suite.name)["failed"], 1)

    def test_a_document_without_a_field_names_it(self):
        with self.assertRaisesRegex(KeyError, "nps"):
            Bench.of({"nodes": 1, "time_ms": 1, "depth": 1})


class Notebook(unittest.TestCase):
    def test_the_points_of_a_single_sample_have_no_bars(self):
        try:
            import matplotlib
        except ModuleNotFoundError as missing:
            self.skipTest(str(missing))
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        path = Path(__file__).resolve().parents[1] / "notebooks" / "figures.ipynb"
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        names = {}
        with mock.patch.dict(os.environ, DEPTH="2", POSITIONS="1", TREES="1"), mock.patch.object(plt, "show"):
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)
        shown = [plt.figure(number).gca().containers for number in plt.get_fignums()]
        plt.close("all")
        self.assertEqual(len(shown), 2)
        for line, _, [bars] in (container.lines for containers in shown for container in containers):
            self.assertTrue(all(math.isfinite(value) for value in line.get_ydata()))
            ends = [y for segment in bars.get_segments() for _, y in segment]
            self.assertFalse(any(math.isfinite(y) for y in ends), ends)


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parents[2])
    unittest.main()
