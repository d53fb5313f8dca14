//! Line charts as plain SVG, legible on white paper and without a legend to search: every curve ends in its
//! name. On a page there is a second form for narrow screens, where the names stand below, each beside a
//! piece of its curve; so do they everywhere if there are more than find room at the right.

use super::caption::Caption;
use super::{Ground, add, escape};

/// A curve.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, from left to right. One that is not finite, for a number that is not known, is left out.
    pub points: Vec<(f64, f64)>,
    /// Intervals around the points, as many as there are points, or none.
    pub intervals: Vec<(f64, f64)>,
    /// Drawn with dashes, as a bound rather than a measurement.
    pub dashed: bool,
    /// Which of the palette's colours it has, so that it is the same in several charts; its place in the
    /// chart if not said.
    pub colour: Option<usize>,
}

/// How the axes are divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Both evenly: x over the range of the points, y from zero (or below) upwards.
    #[default]
    Linear,
    /// Both evenly, each over the range of the points: for values far from zero that differ little.
    Close,
    /// Every doubling of x takes the same room; y evenly.
    Doublings,
    /// Every doubling of x and of y takes the same room, so that y = x is a straight line.
    DoublingsBoth,
}

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Above the picture; also its file name.
    pub title: String,
    /// Below the x axis.
    pub x_label: String,
    /// Beside the y axis.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
    /// The axes.
    pub scale: Scale,
}

/// Measures of a picture.
#[derive(Clone, Copy)]
struct Layout {
    ground: Ground,
    width: f64,
    height: f64,
    left: f64,
    /// Room at the right, where the names stand if there is enough.
    right: f64,
    top: f64,
    bottom: f64,
    /// Ticks of x at most.
    ticks: f64,
}

impl Layout {
    const PAPER: Self = Self {
        ground: Ground::Paper,
        width: 860.0,
        height: 480.0,
        left: 62.0,
        right: 210.0,
        top: 40.0,
        bottom: 50.0,
        ticks: 10.0,
    };
    const WIDE: Self = Self { ground: Ground::Page, height: 450.0, top: 10.0, ..Self::PAPER };
    const NARROW: Self = Self {
        ground: Ground::Page,
        width: 358.0,
        height: 290.0,
        left: 46.0,
        right: 22.0,
        top: 10.0,
        bottom: 46.0,
        ticks: 5.0,
    };

    /// The same with the names below if so many find no room at the right.
    fn with_room_for(self, names: usize) -> Self {
        let needed = NAME_HEIGHT * names.saturating_sub(1) as f64;
        if needed > self.lowest_name() - self.top { Self { right: Self::NARROW.right, ..self } } else { self }
    }

    fn names_below(&self) -> bool {
        self.right < 100.0
    }

    /// Where the last name at the right stands at most.
    fn lowest_name(&self) -> f64 {
        self.height - self.bottom + 8.0
    }
}

/// Most decimals of a number beside an axis.
const MOST_DECIMALS: usize = 6;
/// Names of curves stay this far apart.
const NAME_HEIGHT: f64 = 15.0;
/// Curves from which on each has dashes of its own, since colours alone no longer tell them apart.
const MANY: usize = 7;
/// Their dashes, the first of them none.
const DASHES: [&str; 4] = ["", "11 3", "2 3", "11 3 2 3"];
/// Curves with intervals stand so far apart, so that the bars do not hide each other.
const APART: f64 = 3.5;
/// Points from which on a curve is drawn without a dot at each.
const DOTS: usize = 80;

/// One axis: values of the data at places of the picture.
struct Axis {
    /// Values at its ends.
    range: (f64, f64),
    /// Places of its ends.
    place: (f64, f64),
    doublings: bool,
    ticks: Vec<f64>,
}

impl Axis {
    /// An evenly divided axis of x: a tick at whole numbers, as many as there is room for.
    fn whole(range: (f64, f64), place: (f64, f64), most: f64) -> Self {
        let stride = nice_step((range.1 - range.0) / most).max(1.0);
        let first = (range.0 / stride).ceil() * stride;
        let ticks =
            (0..).map(|i| first + f64::from(i) * stride).take_while(|&tick| tick <= range.1).collect();
        Axis { range, place, doublings: false, ticks }
    }

    /// An evenly divided axis of y: five steps up to a round number, and as many such steps below zero as it takes.
    fn rounded((low, high): (f64, f64), place: (f64, f64)) -> Self {
        let step = nice_top(high.max(-low)) / 5.0;
        let below = if low < 0.0 { (-low / step - 1e-9).ceil() as i32 } else { 0 };
        let above = if low < 0.0 { (high.max(0.0) / step - 1e-9).ceil() as i32 } else { 5 };
        let ticks: Vec<f64> = (-below..=above).map(|i| f64::from(i) * step).collect();
        let range = (f64::from(-below) * step, f64::from(above) * step);
        Axis { range, place, doublings: false, ticks }
    }

    /// An evenly divided axis of y around its values: from one round number to another, zero or not.
    fn close((low, high): (f64, f64), place: (f64, f64)) -> Self {
        // Equal values still need a scale.
        let step = nice_top(if low < high { high - low } else { high.abs() }) / 5.0;
        let (first, last) = ((low / step + 1e-9).floor() as i32, (high / step - 1e-9).ceil() as i32);
        let ticks: Vec<f64> = (first..=last.max(first + 1)).map(|i| f64::from(i) * step).collect();
        Axis { range: (ticks[0], ticks[ticks.len() - 1]), place, doublings: false, ticks }
    }

    /// An axis of doublings, from one power of two to another, over all that lies between.
    fn doublings((low, high): (f64, f64), place: (f64, f64)) -> Self {
        let sane = |v: f64| if v.is_finite() && v > 0.0 { v.log2() } else { 0.0 };
        let first = (sane(low) + 1e-9).floor().clamp(-30.0, 30.0) as i32;
        let last = ((sane(high) - 1e-9).ceil().clamp(-30.0, 30.0) as i32).max(first + 1);
        let ticks: Vec<f64> = (first..=last).map(|power| 2f64.powi(power)).collect();
        Axis { range: (2f64.powi(first), 2f64.powi(last)), place, doublings: true, ticks }
    }

    fn at(&self, value: f64) -> f64 {
        let along = |v: f64| if self.doublings { v.max(1e-9).log2() } else { v };
        let (low, high) = (along(self.range.0), along(self.range.1));
        self.place.0 + (along(value) - low) / (high - low).max(1e-9) * (self.place.1 - self.place.0)
    }

    /// The words at a tick: as many decimals as tell the ticks apart.
    fn label(&self, tick: f64) -> String {
        if self.doublings {
            return format!("{tick}");
        }
        tick_label(tick, self.ticks.get(1).map_or(1.0, |second| second - self.ticks[0]))
    }
}

/// A number beside an axis whose ticks are `step` apart: as many decimals as tell them apart.
pub(crate) fn tick_label(tick: f64, step: f64) -> String {
    let even = |decimals: &usize| {
        let scaled = step * 10f64.powi(*decimals as i32);
        (scaled - scaled.round()).abs() < 1e-6
    };
    let decimals = (0..MOST_DECIMALS).find(even).unwrap_or(MOST_DECIMALS);
    crate::table::fixed(tick, decimals)
}

/// The next of 1, 2, 5 times a power of ten.
pub(crate) fn nice_step(least: f64) -> f64 {
    if !least.is_finite() || least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|&s| s >= least * 0.999).unwrap_or(least)
}

impl Series {
    /// Its colour at this place of a chart.
    fn colour(&self, ground: Ground, place: usize) -> String {
        ground.colour(self.colour.unwrap_or(place))
    }

    /// The dashes of the curve at this place among so many.
    fn dash(&self, place: usize, of: usize) -> String {
        match DASHES[place % DASHES.len()] {
            _ if self.dashed => " stroke-dasharray=\"6 4\"".to_owned(),
            dashes if of >= MANY && !dashes.is_empty() => format!(" stroke-dasharray=\"{dashes}\""),
            _ => String::new(),
        }
    }
}

impl Chart {
    /// The picture as a file of its own, on white paper, with these sentences below it.
    pub fn svg(&self, caption: &[String]) -> String {
        self.finite().draw(&Layout::PAPER, "", caption)
    }

    /// Without the points that have no place.
    fn finite(&self) -> Self {
        let has_place = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite();
        let series = self.series.iter().map(|series| {
            let bars = series.intervals.iter().zip(&series.points);
            Series {
                points: series.points.iter().copied().filter(has_place).collect(),
                intervals: bars.filter(|(_, point)| has_place(point)).map(|(bar, _)| *bar).collect(),
                ..series.clone()
            }
        });
        Self { series: series.collect(), ..self.clone() }
    }

    /// The picture on a page, for wide and for narrow screens.
    pub fn html(&self) -> String {
        let chart = self.finite();
        let (wide, narrow) =
            (chart.draw(&Layout::WIDE, "wide", &[]), chart.draw(&Layout::NARROW, "narrow", &[]));
        format!("<figure><figcaption>{}</figcaption>{wide}{narrow}</figure>", escape(&self.title))
    }

    fn draw(&self, layout: &Layout, class: &str, caption: &[String]) -> String {
        let all = || self.series.iter().flat_map(|s| &s.points);
        let ends = self.series.iter().flat_map(|s| &s.intervals).flat_map(|&(low, high)| [low, high]);
        let (x_range, y_range) = (bounds(all().map(|p| p.0)), bounds(all().map(|p| p.1).chain(ends)));
        let named = self.series.iter().filter(|series| !series.points.is_empty()).count();
        let layout = &layout.with_room_for(named);
        let below = if layout.names_below() { NAME_HEIGHT * 1.3 * named as f64 } else { 0.0 };
        let caption = Caption::new(caption, layout.width - 2.0 * layout.left);
        let (width, height) = (layout.width, layout.height + below + caption.height());
        let x_place = (layout.left, width - layout.right);
        let y_place = (layout.height - layout.bottom, layout.top);
        let x = match self.scale {
            Scale::Linear | Scale::Close => Axis::whole(x_range, x_place, layout.ticks),
            Scale::Doublings | Scale::DoublingsBoth => Axis::doublings(x_range, x_place),
        };
        let y = match self.scale {
            Scale::Linear | Scale::Doublings => Axis::rounded(y_range, y_place),
            Scale::Close => Axis::close(y_range, y_place),
            Scale::DoublingsBoth => Axis::doublings(y_range, y_place),
        };
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"12\"{}><title>{title}</title>{}",
            if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") },
            layout.ground.backdrop(width, height)
        );
        if layout.ground == Ground::Paper {
            let left = layout.left;
            add(
                &mut svg,
                format_args!(
                    "<text x=\"{left}\" y=\"22\" font-size=\"15\" font-weight=\"bold\">{title}</text>"
                ),
            );
        }
        self.draw_axes(&mut svg, layout, &x, &y);
        for (i, series) in self.series.iter().enumerate() {
            let pen = Pen {
                colour: series.colour(layout.ground, i),
                dash: series.dash(i, self.series.len()),
                aside: self.aside(i),
            };
            draw_curve(&mut svg, series, &pen, &x, &y);
        }
        if layout.names_below() {
            self.list_names(&mut svg, layout);
        } else {
            self.draw_names(&mut svg, layout, &y);
        }
        caption.draw(&mut svg, layout.left, layout.height + below);
        svg.push_str("</svg>");
        svg
    }

    /// How far the curve at this place stands from where its points are.
    fn aside(&self, place: usize) -> f64 {
        let has_bars = |series: &&Series| series.intervals.iter().any(|(low, high)| low < high);
        let count = self.series.iter().filter(has_bars).count();
        let before = self.series[..place].iter().filter(has_bars).count();
        if has_bars(&&self.series[place]) {
            APART * (before as f64 - (count as f64 - 1.0) / 2.0)
        } else {
            0.0
        }
    }

    fn draw_axes(&self, svg: &mut String, layout: &Layout, x: &Axis, y: &Axis) {
        let (start, end, base) = (layout.left, layout.width - layout.right, layout.height - layout.bottom);
        for &value in &y.ticks {
            let at = y.at(value);
            let ground = layout.ground;
            let colour = if value == 0.0 { ground.strong_rule() } else { ground.rule() };
            let label = y.label(value);
            let left = start - 7.0;
            add(svg, format_args!("<path d=\"M{start} {at:.1}H{end}\" stroke=\"{colour}\"/>"));
            add(
                svg,
                format_args!("<text x=\"{left}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", at + 4.0),
            );
        }
        for &tick in &x.ticks {
            let at = x.at(tick);
            let label = x.label(tick);
            add(
                svg,
                format_args!(
                    "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
                    base + 18.0
                ),
            );
        }
        let (middle, below) = ((start + end) / 2.0, base + 38.0);
        let x_label = escape(&self.x_label);
        add(svg, format_args!("<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{x_label}</text>"));
        let half = (layout.top + base) / 2.0;
        let y_label = escape(&self.y_label);
        add(
            svg,
            format_args!(
                "<text transform=\"translate(13 {half}) rotate(-90)\" text-anchor=\"middle\">{y_label}</text>"
            ),
        );
    }

    /// The names below the picture, each beside a piece of its curve.
    fn list_names(&self, svg: &mut String, layout: &Layout) {
        let named = self.series.iter().enumerate().filter(|(_, series)| !series.points.is_empty());
        for (row, (i, series)) in named.enumerate() {
            let y = layout.height + NAME_HEIGHT * (1.3 * row as f64 + 0.6);
            let (colour, name) = (series.colour(layout.ground, i), escape(&series.name));
            add(
                svg,
                format_args!(
                    "<path d=\"M{} {:.1}h24\" stroke=\"{colour}\" stroke-width=\"2.5\"{}/>\
                     <text x=\"{}\" y=\"{:.1}\" font-size=\"13\">{name}</text>",
                    layout.left,
                    y,
                    series.dash(i, self.series.len()),
                    layout.left + 32.0,
                    y + 4.5
                ),
            );
        }
    }

    /// The names at the right, each at its curve's end, pushed apart where they would overlap.
    fn draw_names(&self, svg: &mut String, layout: &Layout, y: &Axis) {
        let mut ends: Vec<(f64, usize)> = Vec::new();
        for (i, series) in self.series.iter().enumerate() {
            ends.extend(series.points.last().map(|p| (y.at(p.1), i)));
        }
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut places = ends.clone();
        for i in 1..places.len() {
            places[i].0 = places[i].0.max(places[i - 1].0 + NAME_HEIGHT);
        }
        let overflow = places.last().map_or(0.0, |p| (p.0 - layout.lowest_name()).max(0.0));
        for i in (0..places.len()).rev() {
            let limit = places.get(i + 1).map_or(f64::INFINITY, |next| next.0 - NAME_HEIGHT);
            let wanted = if i + 1 == places.len() { places[i].0 - overflow } else { places[i].0 };
            places[i].0 = wanted.min(limit);
        }
        let end = layout.width - layout.right;
        for (&(from, i), &(to, _)) in ends.iter().zip(&places) {
            let colour = self.series[i].colour(layout.ground, i);
            add(
                svg,
                format_args!(
                    "<path d=\"M{} {from:.1}L{} {to:.1}h8\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
                    end + 3.0,
                    end + 14.0
                ),
            );
            let name = escape(&self.series[i].name);
            add(svg, format_args!("<text x=\"{}\" y=\"{:.1}\">{name}</text>", end + 26.0, to + 4.0));
        }
    }
}

/// How a curve is drawn.
struct Pen {
    colour: String,
    dash: String,
    /// To the right by so much.
    aside: f64,
}

fn draw_curve(svg: &mut String, series: &Series, pen: &Pen, x: &Axis, y: &Axis) {
    let Pen { colour, dash, aside } = pen;
    let places: Vec<(f64, f64)> = series.points.iter().map(|p| (x.at(p.0) + aside, y.at(p.1))).collect();
    let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    add(
        svg,
        format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            line.join(" ")
        ),
    );
    for (at, (low, high)) in places.iter().zip(&series.intervals).filter(|(_, (low, _))| !low.is_nan()) {
        let (left, right, low, high) = (at.0 - 3.0, at.0 + 3.0, y.at(*low), y.at(*high));
        add(
            svg,
            format_args!(
                "<path d=\"M{left:.1} {low:.1}H{right:.1}M{left:.1} {high:.1}H{right:.1}M{:.1} {low:.1}V{high:.1}\" \
                 stroke=\"{colour}\"/>",
                at.0
            ),
        );
    }
    if !series.dashed && places.len() <= DOTS {
        for (x, y) in &places {
            add(svg, format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{colour}\"/>"));
        }
    }
}

/// The least and the greatest; 0 and 0 where there is nothing.
fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|v| v.is_finite());
    let found = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if found.0 <= found.1 { found } else { (0.0, 0.0) }
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
        let strides = [(0.3, 0.5), (1.0, 1.0), (1.3, 2.0), (133.7, 200.0), (2000.0, 2000.0), (5.1, 10.0)];
        assert!(strides.iter().all(|&(least, step)| (nice_step(least) - step).abs() < 1e-9));
        assert_eq!(
            Axis::whole((0.0, 1337.0), (0.0, 1.0), 10.0).ticks,
            [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 1200.0]
        );
        for (highest, top) in [(97.0, 100.0), (100.0, 100.0), (112.0, 125.0), (0.3, 0.5), (0.0, 1.0)] {
            assert!((nice_top(highest) - top).abs() < 1e-9, "{highest}");
        }
        let axis = Axis::rounded((-3.0, 18.0), (0.0, 1.0));
        assert_eq!(axis.ticks, [-4.0, 0.0, 4.0, 8.0, 12.0, 16.0, 20.0]);
    }

    #[test]
    fn a_close_axis_stays_near_its_values() {
        let axis = Axis::close((0.00223, 0.00297), (0.0, 1.0));
        let labels: Vec<String> = axis.ticks.iter().map(|&tick| axis.label(tick)).collect();
        assert_eq!(labels, ["0.0022", "0.0024", "0.0026", "0.0028", "0.0030"]);
        assert!(axis.at(0.00223) < axis.at(0.00297));
        for (low, high) in [(0.0, 0.0), (0.1, 0.1), (-3.0, -3.0)] {
            let axis = Axis::close((low, high), (0.0, 1.0));
            assert!(axis.range.0 <= low && high <= axis.range.1 && axis.ticks.len() >= 2, "{low} {high}");
        }
    }

    #[test]
    fn doublings_are_equally_far_apart() {
        let axis = Axis::doublings((1.0, 16.0), (0.0, 400.0));
        assert_eq!(axis.ticks, [1.0, 2.0, 4.0, 8.0, 16.0]);
        let places: Vec<f64> = axis.ticks.iter().map(|&tick| axis.at(tick)).collect();
        assert_eq!(places, [0.0, 100.0, 200.0, 300.0, 400.0]);
        assert_eq!(Axis::doublings((0.9, 5.0), (0.0, 1.0)).ticks, [0.5, 1.0, 2.0, 4.0, 8.0]);
    }

    #[test]
    fn every_curve_is_drawn_and_named() {
        for scale in [Scale::Linear, Scale::Close, Scale::Doublings, Scale::DoublingsBoth] {
            let series = |name: &str| Series {
                name: name.into(),
                points: vec![(2.0, 50.0), (3.0, 60.0)],
                intervals: vec![(40.0, 55.0), (60.0, 60.0)],
                ..Series::default()
            };
            let series =
                vec![series("one"), series("two"), Series { name: "none".into(), ..Series::default() }];
            let labels = ("a < b".into(), "x".into(), "y".into());
            let chart = Chart { title: labels.0, x_label: labels.1, y_label: labels.2, series, scale };
            let svg = chart.svg(&["below & beneath".into()]);
            assert!(svg.contains("below &amp; beneath"));
            assert!(svg.contains("a &lt; b") && svg.contains(">one<") && svg.contains(">two<"));
            assert_eq!(svg.matches("<polyline").count(), 3);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            // On a page the same twice, for wide and for narrow screens, and never in a fixed colour.
            let page = chart.html();
            assert_eq!((page.matches("<svg").count(), page.matches("<polyline").count()), (2, 6));
            assert_eq!(page.matches(">one<").count(), 2);
            assert!(!page.contains("=\"#"), "{page}");
        }
        let empty = Chart::default().svg(&[]);
        assert!(!empty.contains("NaN") && !empty.contains("inf"), "{empty}");
    }

    /// All curves end at the top, where the names must give way downwards, or at the bottom.
    #[test]
    fn every_name_of_many_stands_in_the_picture() {
        for (count, height) in (1..60).flat_map(|count| [(count, 0.0), (count, 50.0)]) {
            let one = |i: usize| Series {
                name: format!("curve {i}"),
                points: vec![(1.0, 50.0), (2.0, height)],
                ..Series::default()
            };
            let chart = Chart { series: (0..count).map(one).collect(), ..Chart::default() };
            for layout in [Layout::PAPER, Layout::WIDE, Layout::NARROW] {
                let svg = chart.draw(&layout, "", &[]);
                let size = svg.split("viewBox=\"0 0 ").nth(1).unwrap().split('"').next().unwrap();
                let bottom: f64 = size.split(' ').nth(1).unwrap().parse().unwrap();
                let mut places: Vec<f64> = svg
                    .split("<text ")
                    .filter(|text| text.contains(">curve "))
                    .map(|text| {
                        text.split(" y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
                    })
                    .collect();
                places.sort_by(f64::total_cmp);
                assert_eq!(places.len(), count);
                // Above the line of a text stands most of it.
                assert!(
                    places[0] > 12.0 && places[count - 1] < bottom - 3.0,
                    "{count}: {places:?} of {bottom}"
                );
                let apart = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
                assert!(apart > NAME_HEIGHT - 0.2, "{count}: {places:?}");
            }
        }
    }

    #[test]
    fn a_point_without_a_place_is_left_out() {
        for scale in [Scale::Linear, Scale::Close, Scale::Doublings, Scale::DoublingsBoth] {
            let gap = Series {
                name: "gap".into(),
                points: vec![(1.0, 5.0), (2.0, f64::INFINITY), (3.0, 7.0), (4.0, f64::NAN)],
                intervals: vec![(4.0, 6.0), (f64::NAN, 9.0), (6.0, 8.0), (f64::NAN, f64::NAN)],
                ..Series::default()
            };
            let none = Series { name: "none".into(), points: vec![(1.0, f64::NAN)], ..Series::default() };
            let chart = Chart { series: vec![gap, none], scale, ..Chart::default() };
            for drawn in [chart.svg(&[]), chart.html()] {
                assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
                assert!(drawn.contains(">gap<") && !drawn.contains(">none<"), "{drawn}");
            }
            assert_eq!(chart.svg(&[]).matches("<circle").count(), 2);
        }
    }

    fn with_intervals(count: usize) -> Chart {
        let one = |i: usize| Series {
            name: format!("s{i}"),
            points: vec![(1.0, 2.0)],
            intervals: vec![(1.0, 3.0)],
            ..Series::default()
        };
        Chart { series: (0..count).map(one).collect(), ..Chart::default() }
    }

    #[test]
    fn bars_of_several_curves_stand_apart_around_their_place() {
        let asides = |count| {
            let chart = with_intervals(count);
            (0..count).map(|i| chart.aside(i)).collect::<Vec<f64>>()
        };
        assert_eq!(asides(1), [0.0]);
        assert_eq!(asides(2), [-APART / 2.0, APART / 2.0]);
        assert_eq!(asides(3), [-APART, 0.0, APART]);
    }

    #[test]
    fn of_many_curves_neighbours_have_other_dashes() {
        let dashes = |count| {
            let chart = with_intervals(count);
            (0..count).map(|i| chart.series[i].dash(i, count)).collect::<Vec<String>>()
        };
        assert!(dashes(6).iter().all(String::is_empty));
        assert!(dashes(12).windows(2).all(|pair| pair[0] != pair[1]));
    }
}
