//! Line charts as plain SVG, legible on white paper and without a legend to search: every curve ends in its name.

use super::escape;
use std::fmt::Write;

/// A curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Drawn with dashes, as a bound rather than a measurement.
    pub dashed: bool,
}

/// A chart with linear axes from zero upwards (y) and over the range of the points (x).
#[derive(Clone, Debug)]
pub struct Chart {
    /// Above the picture; also its file name.
    pub title: String,
    /// Below the x axis.
    pub x_label: String,
    /// Beside the y axis.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
/// Margins: left, right (for the names), top, bottom.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 210.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Names of curves stay this far apart.
const NAME_HEIGHT: f64 = 15.0;

/// Twelve colours that stay apart for colour-blind eyes (after Okabe and Ito, and Paul Tol).
const COLOURS: [&str; 12] = [
    "#222222", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#882255", "#44aa99",
    "#999933", "#6a3d9a", "#777777",
];

impl Chart {
    /// The picture.
    pub fn svg(&self) -> String {
        let all = || self.series.iter().flat_map(|s| &s.points);
        let (left, right) = bounds(all().map(|p| p.0));
        let top = nice_top(bounds(all().map(|p| p.1)).1);
        let x = |v: f64| LEFT + (v - left) / (right - left).max(1e-9) * (WIDTH - LEFT - RIGHT);
        let y = |v: f64| HEIGHT - BOTTOM - v / top * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"12\"><title>{title}</title>\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\
             <text x=\"{LEFT}\" y=\"22\" font-size=\"15\" font-weight=\"bold\">{title}</text>",
            title = escape(&self.title)
        );
        self.draw_axes(&mut svg, (left, right), top, (&x, &y));
        for (i, series) in self.series.iter().enumerate() {
            draw_curve(&mut svg, series, COLOURS[i % COLOURS.len()], (&x, &y));
        }
        self.draw_names(&mut svg, &y);
        svg.push_str("</svg>");
        svg
    }

    fn draw_axes(
        &self,
        svg: &mut String,
        (left, right): (f64, f64),
        top: f64,
        (x, y): (&dyn Fn(f64) -> f64, &dyn Fn(f64) -> f64),
    ) {
        let (end, base) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for step in 0..=5 {
            let value = top * f64::from(step) / 5.0;
            let at = y(value);
            add(svg, format_args!("<path d=\"M{LEFT} {at:.1}H{end}\" stroke=\"#ddd\"/>"));
            let label = if top < 5.0 { format!("{value:.1}") } else { format!("{value:.0}") };
            let left = LEFT - 7.0;
            add(
                svg,
                format_args!("<text x=\"{left}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", at + 4.0),
            );
        }
        let stride = ((right - left) / 10.0).ceil().max(1.0);
        let mut tick = left.ceil();
        while tick <= right {
            let at = x(tick);
            add(
                svg,
                format_args!(
                    "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
                    base + 18.0
                ),
            );
            tick += stride;
        }
        let (middle, below) = ((LEFT + end) / 2.0, base + 38.0);
        let x_label = escape(&self.x_label);
        add(svg, format_args!("<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{x_label}</text>"));
        let half = (TOP + base) / 2.0;
        let y_label = escape(&self.y_label);
        add(
            svg,
            format_args!(
                "<text transform=\"translate(16 {half}) rotate(-90)\" text-anchor=\"middle\">{y_label}</text>"
            ),
        );
    }

    /// The names at the right, each at its curve's end, pushed apart where they would overlap.
    fn draw_names(&self, svg: &mut String, y: &dyn Fn(f64) -> f64) {
        let mut ends: Vec<(f64, usize)> = Vec::new();
        for (i, series) in self.series.iter().enumerate() {
            ends.extend(series.points.last().map(|p| (y(p.1), i)));
        }
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut places = ends.clone();
        for i in 1..places.len() {
            places[i].0 = places[i].0.max(places[i - 1].0 + NAME_HEIGHT);
        }
        let overflow = places.last().map_or(0.0, |p| (p.0 - (HEIGHT - BOTTOM + 8.0)).max(0.0));
        for i in (0..places.len()).rev() {
            let limit = places.get(i + 1).map_or(f64::INFINITY, |next| next.0 - NAME_HEIGHT);
            let wanted = if i + 1 == places.len() { places[i].0 - overflow } else { places[i].0 };
            places[i].0 = wanted.min(limit);
        }
        let end = WIDTH - RIGHT;
        for (&(from, i), &(to, _)) in ends.iter().zip(&places) {
            let colour = COLOURS[i % COLOURS.len()];
            add(
                svg,
                format_args!(
                    "<path d=\"M{} {from:.1}L{} {to:.1}\" stroke=\"{colour}\" stroke-width=\"0.6\"/>",
                    end + 3.0,
                    end + 14.0
                ),
            );
            let name = escape(&self.series[i].name);
            add(
                svg,
                format_args!(
                    "<text x=\"{}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
                    end + 17.0,
                    to + 4.0
                ),
            );
        }
    }
}

fn draw_curve(
    svg: &mut String,
    series: &Series,
    colour: &str,
    (x, y): (&dyn Fn(f64) -> f64, &dyn Fn(f64) -> f64),
) {
    let points: Vec<String> = series.points.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
    let dash = if series.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
    let line = points.join(" ");
    add(
        svg,
        format_args!(
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>"
        ),
    );
    for p in &series.points {
        add(
            svg,
            format_args!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\" fill=\"{colour}\"/>", x(p.0), y(p.1)),
        );
    }
}

fn add(svg: &mut String, text: std::fmt::Arguments<'_>) {
    svg.write_fmt(text).expect("writing to a string does not fail");
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// The next of 1, 2, 2.5, 5 times a power of ten from `highest` on.
fn nice_top(highest: f64) -> f64 {
    if !highest.is_finite() || highest <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(highest.log10().floor());
    let steps = [1.0, 1.25, 1.5, 2.0, 2.5, 5.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|&top| top >= highest * 0.999).unwrap_or(highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (highest, top) in [(97.0, 100.0), (100.0, 100.0), (112.0, 125.0), (0.3, 0.5), (0.0, 1.0)] {
            assert!((nice_top(highest) - top).abs() < 1e-9, "{highest}");
        }
    }

    #[test]
    fn every_curve_is_drawn_and_named() {
        let series =
            |name: &str| Series { name: name.into(), points: vec![(2.0, 50.0), (3.0, 60.0)], dashed: false };
        let chart = Chart {
            title: "a < b".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            series: vec![series("one"), series("two")],
        };
        let svg = chart.svg();
        assert!(svg.contains("a &lt; b") && svg.contains(">one<") && svg.contains(">two<"));
        assert_eq!(svg.matches("<polyline").count(), 2);
    }
}
