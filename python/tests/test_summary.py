"""tools/cluster/summary.py makes intervals as Firstborn's own reports do: of few positions by Student's distribution."""

import importlib.util
import math
import unittest
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "tools/cluster/summary.py"


def load():
    spec = importlib.util.spec_from_file_location("summary", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def within(quantile, free):
    """The share of Student's distribution between -quantile and quantile, by Simpson's rule on its density."""
    scale = math.gamma((free + 1) / 2) / math.gamma(free / 2) / math.sqrt(free * math.pi)
    steps = 2000
    places = [quantile * (2 * i / steps - 1) for i in range(steps + 1)]
    heights = [scale * (1 + place * place / free) ** (-(free + 1) / 2) for place in places]
    middle = 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
    return (heights[0] + middle + heights[-1]) * 2 * quantile / steps / 3


class Summary(unittest.TestCase):
    def test_few_positions_have_students_interval(self):
        tool = load()
        self.assertIsNone(tool.interval([[0.5, 0.7]]))
        # Two degrees of freedom have a quantile in closed form: .95 / sqrt(2 * .975 * .025). The means are 1, 2 and 3.
        low, high = tool.interval([[1.0], [1.0, 3.0], [3.0]])
        half = 0.95 / math.sqrt(2 * 0.975 * 0.025) / math.sqrt(3)
        self.assertAlmostEqual(low, 2 - half, places=3)
        self.assertAlmostEqual(high, 2 + half, places=3)

    def test_the_table_of_quantiles_is_students(self):
        for free, quantile in enumerate(load().STUDENT, start=1):
            self.assertAlmostEqual(within(quantile, free), 0.95, places=4)
        self.assertEqual(len(load().STUDENT), 8)

    def test_ten_positions_are_resampled(self):
        tool = load()
        groups = [[0.0]] * 9 + [[10.0]]
        low, high = tool.interval(groups)
        # No resample lies below the least value, where Student's interval would reach.
        self.assertEqual(low, 0.0)
        self.assertTrue(1.0 < high <= 10.0, high)
        self.assertLess(tool.interval(groups[1:])[0], 0.0)


if __name__ == "__main__":
    unittest.main()
