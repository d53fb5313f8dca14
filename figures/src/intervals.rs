//! Values with their intervals, one line each.

use super::{Ground, add, clipped, escape};
use crate::chart::{nice_step, tick_label};

/// Names, values, and half the width of each value's interval. Rows whose value is not finite are left out;
/// an interval that is not finite is not drawn. The axis holds the values with their intervals, and 0 only if
/// it lies among them.
#[derive(Clone, Debug, Default)]
pub struct Intervals {
    /// Above the picture.
    pub title: String,
    /// Name, value, half the interval.
    pub rows: Vec<(String, f64, f64)>,
}

/// How the picture is laid out.
struct Layout {
    class: &'static str,
    width: f64,
    /// Where the axis begins: right of the names, or below each.
    left: f64,
    pitch: f64,
}

const WIDE: Layout = Layout { class: "wide", width: 760.0, left: 200.0, pitch: 26.0 };
const NARROW: Layout = Layout { class: "narrow", width: 358.0, left: 12.0, pitch: 42.0 };
/// Longest name beside the axis, in characters.
const NAME: usize = 26;

impl Intervals {
    /// The picture, for wide and for narrow screens.
    pub fn html(&self) -> String {
        if self.rows.iter().all(|(_, value, _)| !value.is_finite()) {
            return String::new();
        }
        let title = escape(&self.title);
        format!("<figure><figcaption>{title}</figcaption>{}{}</figure>", self.svg(&WIDE), self.svg(&NARROW))
    }

    fn svg(&self, layout: &Layout) -> String {
        let rows: Vec<&(String, f64, f64)> = self.rows.iter().filter(|row| row.1.is_finite()).collect();
        let half = |error: f64| if error.is_finite() { error } else { 0.0 };
        let low = rows.iter().map(|(_, value, error)| value - half(*error)).fold(f64::INFINITY, f64::min);
        let high =
            rows.iter().map(|(_, value, error)| value + half(*error)).fold(f64::NEG_INFINITY, f64::max);
        // A single value stands in the middle of an axis about as wide as itself, so that ticks can be told apart.
        let room = if high > low { (high - low) * 0.04 } else { (high.abs() / 2.0).max(1.0) };
        let (low, high) = (low - room, high + room);
        let (left, right) = (layout.left, layout.width - 16.0);
        let at = |value: f64| left + (value - low) / (high - low) * (right - left);
        let height = rows.len() as f64 * layout.pitch + 36.0;
        let mut svg = format!(
            "<svg class=\"{}\" viewBox=\"0 0 {} {height}\" width=\"{}\" role=\"img\" font-family=\"sans-serif\" \
             font-size=\"13\"><title>{}</title>",
            layout.class,
            layout.width,
            layout.width,
            escape(&self.title)
        );
        let (page, base) = (Ground::Page, height - 26.0);
        let step = nice_step((high - low) / if layout.width > 500.0 { 8.0 } else { 5.0 });
        let first = (low / step).ceil() as i64;
        for tick in (first..first + 30).map(|n| n as f64 * step).take_while(|tick| *tick <= high) {
            let colour = if tick == 0.0 { page.strong_rule() } else { page.rule() };
            let (x, label) = (at(tick), tick_label(tick, step));
            add(&mut svg, format_args!("<path d=\"M{x:.1} 4V{base:.1}\" stroke=\"{colour}\"/>"));
            let y = height - 8.0;
            add(
                &mut svg,
                format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>"),
            );
        }
        let colour = page.colour(1);
        for (number, (name, value, error)) in rows.into_iter().enumerate() {
            let top = number as f64 * layout.pitch;
            let (name_x, anchor, y) = match layout.class {
                "wide" => (left - 10.0, "end", top + 18.0),
                _ => (2.0, "start", top + 32.0),
            };
            let name_y = if layout.class == "wide" { y + 4.0 } else { top + 16.0 };
            add(
                &mut svg,
                format_args!(
                    "<text x=\"{name_x}\" y=\"{name_y:.1}\" text-anchor=\"{anchor}\">{}</text>",
                    escape(&clipped(name, NAME))
                ),
            );
            let (from, to, middle) = (at(value - half(*error)), at(value + half(*error)), at(*value));
            add(
                &mut svg,
                format_args!(
                    "<path d=\"M{from:.1} {y:.1}H{to:.1}\" stroke=\"{colour}\" stroke-width=\"2.5\"/>\
                     <circle cx=\"{middle:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{colour}\"/>"
                ),
            );
        }
        svg + "</svg>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_lies_where_its_numbers_say() {
        let rows = vec![("a".to_owned(), 0.0, 10.0), ("b".to_owned(), 20.0, 5.0)];
        let svg = Intervals { title: "t".into(), rows }.svg(&WIDE);
        let circles: Vec<f64> =
            svg.split("cx=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect();
        let bars: Vec<(f64, f64)> = svg
            .split("<path d=\"M")
            .skip(1)
            .filter_map(|rest| {
                let (from, rest) = rest.split_once(' ')?;
                let to = rest.split_once('H')?.1.split('"').next()?;
                Some((from.parse().ok()?, to.parse().ok()?))
            })
            .collect();
        // 35 units from -10 to 25, with 4 % of that on each side.
        let unit = (circles[1] - circles[0]) / 20.0;
        assert!((unit - (744.0 - 200.0) / (35.0 * 1.08)).abs() < 0.02, "{unit}");
        assert!(
            (bars[0].1 - bars[0].0 - 20.0 * unit).abs() < 0.3
                && (bars[1].1 - bars[1].0 - 10.0 * unit).abs() < 0.3
        );
        assert!(Intervals::default().html().is_empty());
    }

    /// Where a picture's ticks and dots stand, with the labels of the ticks.
    fn axis(rows: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
        let rows = rows.iter().map(|&(value, half)| ("x".to_owned(), value, half)).collect();
        let svg = Intervals { title: "t".into(), rows }.svg(&WIDE);
        let between = |begin: &str, end: &str| -> Vec<f64> {
            svg.split(begin).skip(1).map(|rest| rest.split(end).next().unwrap().parse().unwrap()).collect()
        };
        (between("text-anchor=\"middle\">", "<"), between("cx=\"", "\""))
    }

    /// Ratings on a scale far from 0 take the whole width, and ticks stand among them.
    #[test]
    fn an_axis_reaches_no_further_than_its_values() {
        let (ticks, dots) = axis(&[(3500.0, 0.0), (3470.0, 10.0), (3412.0, 10.0)]);
        assert!(ticks.len() >= 4 && ticks.iter().all(|tick| (3397.0..=3504.0).contains(tick)), "{ticks:?}");
        // 98 units from 3402 to 3500, with 4 % of that on each side, on 544 pixels.
        assert!((dots[0] - dots[2] - 88.0 / (98.0 * 1.08) * 544.0).abs() < 0.2, "{dots:?}");
        let (ticks, _) = axis(&[(-20.0, 10.0), (15.0, 10.0)]);
        assert!(ticks.contains(&0.0), "{ticks:?}");
        for value in [0.0, 3500.0, -7.5] {
            let (ticks, dots) = axis(&[(value, f64::NAN)]);
            assert!((2..30).contains(&ticks.len()) && dots == [472.0], "{value}: {ticks:?} {dots:?}");
        }
    }
}
