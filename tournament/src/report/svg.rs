//! Two plots in plain SVG: values with error bars, and a curve between two bounds.

use std::fmt::Write as _;

const WIDTH: f64 = 760.0;

/// A value with the half width of its interval.
pub(super) struct Bar {
    pub label: String,
    pub value: f64,
    pub error: f64,
}

/// A linear scale from data to pixels.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let span = if self.high > self.low { self.high - self.low } else { 1.0 };
        self.from + (value.clamp(self.low, self.high) - self.low) / span * (self.to - self.from)
    }

    /// Round numbers inside the scale, about six of them.
    fn ticks(&self) -> Vec<f64> {
        let raw = ((self.high - self.low) / 6.0).max(1e-9);
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|&s| s >= raw).unwrap_or(raw);
        let first = (self.low / step).ceil() as i64;
        (first..).map(|n| n as f64 * step).take_while(|&tick| tick <= self.high).collect()
    }
}

fn open(height: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\" role=\"img\"><title>{title}</title>"
    )
}

fn line(svg: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64), style: &str) {
    let _ = write!(svg, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>");
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let _ =
        write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#555\">{words}</text>");
}

/// Values with their intervals, one line each. Intervals without end reach to the edge.
pub(super) fn bars(bars: &[Bar], title: &str) -> String {
    let height = bars.len() as f64 * 26.0 + 40.0;
    let end = |bar: &Bar, sign: f64| {
        let error = if bar.error.is_finite() { bar.error } else { 0.0 };
        bar.value + sign * error
    };
    let low = bars.iter().map(|bar| end(bar, -1.0)).fold(0.0, f64::min) - 10.0;
    let high = bars.iter().map(|bar| end(bar, 1.0)).fold(0.0, f64::max) + 10.0;
    let scale = Scale { low, high, from: 180.0, to: WIDTH - 20.0 };
    let mut svg = open(height, title);
    for tick in scale.ticks() {
        let x = scale.at(tick);
        let style = if tick == 0.0 { "stroke=\"#888\"" } else { "stroke=\"#ddd\"" };
        line(&mut svg, (x, 8.0), (x, height - 26.0), style);
        text(&mut svg, (x, height - 10.0), "middle", &format!("{tick:+.0}"));
    }
    for (index, bar) in bars.iter().enumerate() {
        let y = index as f64 * 26.0 + 22.0;
        text(&mut svg, (170.0, y + 4.0), "end", &bar.label);
        let ends = (scale.at(end(bar, -1.0)), scale.at(end(bar, 1.0)));
        line(&mut svg, (ends.0, y), (ends.1, y), "stroke=\"#2a6fb0\" stroke-width=\"2\"");
        let _ =
            write!(svg, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#2a6fb0\"/>", scale.at(bar.value));
    }
    svg + "</svg>"
}

/// A curve over the number of games, with the bounds it runs between.
pub(super) fn curve(points: &[(f64, f64)], (lower, upper): (f64, f64), x_name: &str, y_name: &str) -> String {
    let height = 300.0;
    let values = points.iter().map(|(_, value)| *value);
    let low = values.clone().fold(lower, f64::min) - 0.3;
    let high = values.fold(upper, f64::max) + 0.3;
    let last = points.last().map_or(1.0, |(x, _)| *x);
    let x = Scale { low: 0.0, high: last, from: 50.0, to: WIDTH - 20.0 };
    let y = Scale { low, high, from: height - 40.0, to: 10.0 };
    let mut svg = open(height, &format!("{y_name} over {x_name}"));
    for tick in y.ticks() {
        line(&mut svg, (x.from, y.at(tick)), (x.to, y.at(tick)), "stroke=\"#eee\"");
        text(&mut svg, (x.from - 6.0, y.at(tick) + 4.0), "end", &format!("{tick:.1}"));
    }
    for tick in x.ticks() {
        text(&mut svg, (x.at(tick), height - 22.0), "middle", &format!("{tick:.0}"));
    }
    text(&mut svg, (f64::midpoint(x.from, x.to), height - 5.0), "middle", x_name);
    for (bound, colour) in [(lower, "#b03030"), (upper, "#2a8a3a")] {
        let style = format!("stroke=\"{colour}\" stroke-dasharray=\"6 4\"");
        line(&mut svg, (x.from, y.at(bound)), (x.to, y.at(bound)), &style);
    }
    // More points than pixels show nothing more.
    let step = points.len().div_ceil(WIDTH as usize).max(1);
    let drawn = points.iter().step_by(step).chain(points.last());
    let path: Vec<String> = drawn.map(|(px, py)| format!("{:.1},{:.1}", x.at(*px), y.at(*py))).collect();
    let _ = write!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#2a6fb0\" stroke-width=\"1.5\"/>",
        path.join(" ")
    );
    svg + "</svg>"
}
