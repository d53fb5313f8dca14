//! Strips of time (Gantt charts): one lane for each worker, a bar for everything it did, a gap while it waited.
//!
//! There may be a million bars and there are some hundred columns of pixels. Each column shows what filled most of its
//! time, and equal neighbours become one rectangle, so the picture's size depends on its width and not on the trace.

use super::caption::Caption;
use super::{Ground, add, escape};
use crate::chart::{nice_step, tick_label};

/// Something done for a while. Times in any unit, from 0 to the strip's end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Begin.
    pub from: f64,
    /// End.
    pub to: f64,
    /// Which of the strip's kinds of work it was.
    pub kind: usize,
    /// Drawn paler: work done for another.
    pub pale: bool,
}

/// What one worker did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// Its bars, in the order of time and without overlap.
    pub bars: Vec<Bar>,
}

/// A picture of who did what when.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    /// Above the picture.
    pub title: String,
    /// The end of the time axis.
    pub end: f64,
    /// The unit of time, as the axis shows it.
    pub unit: String,
    /// Names of the kinds of work.
    pub kinds: Vec<String>,
    /// The workers.
    pub lanes: Vec<Lane>,
}

const WIDTH: f64 = 1060.0;
const LEFT: f64 = 46.0;
const COLUMNS: usize = 1000;
const TOP: f64 = 34.0;
/// Room below the lanes for the axis and the legend.
const BOTTOM: f64 = 26.0;
/// Steps of the time axis at most.
const TICKS: u32 = 5;
/// The label of a tick that is nearer to the right edge than this ends at its tick, for its unit would not fit.
const UNIT_ROOM: f64 = 60.0;
/// Kinds in one line of the legend.
const LEGEND: usize = 12;

impl Strip {
    /// The picture as a file of its own, on white paper, with these sentences below it.
    pub fn svg(&self, caption: &[String]) -> String {
        self.draw(Ground::Paper, caption)
    }

    /// The picture on a page; on a narrow screen it scrolls.
    pub fn html(&self) -> String {
        format!("<figure class=\"wide-only\" tabindex=\"0\">{}</figure>", self.draw(Ground::Page, &[]))
    }

    fn draw(&self, ground: Ground, caption: &[String]) -> String {
        // Few lanes are drawn high, many low; the names stand where they fit.
        let pitch = (320.0 / self.lanes.len().max(1) as f64).clamp(3.0, 22.0);
        let base = TOP + pitch * self.lanes.len() as f64;
        let caption = Caption::new(caption, WIDTH - 2.0 * LEFT);
        let bottom = base + BOTTOM + 18.0 * self.kinds.len().div_ceil(LEGEND) as f64 + 18.0;
        let height = bottom + caption.height();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"11\"><title>{title}</title>\
             {backdrop}\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"15\" font-weight=\"bold\">{title}</text>",
            title = escape(&self.title),
            backdrop = ground.backdrop(WIDTH, height)
        );
        let skip = (11.0 / pitch).ceil() as usize;
        for (number, lane) in self.lanes.iter().enumerate() {
            let y = TOP + pitch * number as f64;
            if number % skip == 0 {
                add(
                    &mut svg,
                    format_args!(
                        "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                        LEFT - 5.0,
                        y + pitch / 2.0 + 4.0,
                        escape(&lane.name)
                    ),
                );
            }
            self.draw_lane(&mut svg, ground, lane, y, pitch);
        }
        self.draw_axis(&mut svg, ground, base);
        self.draw_legend(&mut svg, ground, base + BOTTOM);
        caption.draw(&mut svg, LEFT, bottom - 12.0);
        svg.push_str("</svg>");
        svg
    }

    fn draw_lane(&self, svg: &mut String, ground: Ground, lane: &Lane, y: f64, pitch: f64) {
        let high = if pitch > 6.0 { pitch - 2.0 } else { pitch - 0.4 };
        let columns = columns(&lane.bars, self.end);
        let mut start = 0;
        while start < COLUMNS {
            let same = columns[start..].iter().take_while(|&&column| column == columns[start]).count();
            if let Some((kind, pale)) = columns[start] {
                let (x, colour) = (LEFT + start as f64, ground.colour(kind));
                let opacity = if pale { " fill-opacity=\"0.5\"" } else { "" };
                add(
                    svg,
                    format_args!(
                        "<rect x=\"{x}\" y=\"{y:.1}\" width=\"{same}\" height=\"{high:.1}\" fill=\"{colour}\"{opacity}/>"
                    ),
                );
            }
            start += same;
        }
    }

    fn draw_axis(&self, svg: &mut String, ground: Ground, base: f64) {
        let step = nice_step(self.end / f64::from(TICKS));
        // Without time there is a tick at 0 alone.
        let wide = if self.end > 0.0 { COLUMNS as f64 / self.end } else { 0.0 };
        let ticks: Vec<f64> = (0..=TICKS)
            .map(|number| f64::from(number) * step)
            .take_while(|&tick| tick <= self.end * (1.0 + 1e-9))
            .collect();
        for (number, &tick) in ticks.iter().enumerate() {
            let (x, label) = (LEFT + tick * wide, tick_label(tick, step));
            let is_last = number + 1 == ticks.len();
            let unit = if is_last { format!(" {}", escape(&self.unit)) } else { String::new() };
            let anchor = if is_last && x > WIDTH - UNIT_ROOM { "end" } else { "middle" };
            add(svg, format_args!("<path d=\"M{x:.1} {base:.1}v4\" stroke=\"{}\"/>", ground.strong_rule()));
            add(
                svg,
                format_args!(
                    "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{label}{unit}</text>",
                    base + 16.0
                ),
            );
        }
    }

    fn draw_legend(&self, svg: &mut String, ground: Ground, top: f64) {
        let wide = COLUMNS as f64 / LEGEND as f64;
        for (kind, name) in self.kinds.iter().enumerate() {
            let x = LEFT + (kind % LEGEND) as f64 * wide;
            let y = top + 18.0 * (kind / LEGEND) as f64;
            let (colour, name) = (ground.colour(kind), escape(name));
            add(
                svg,
                format_args!(
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"11\" height=\"11\" fill=\"{colour}\"/>"
                ),
            );
            add(svg, format_args!("<text x=\"{:.1}\" y=\"{:.1}\">{name}</text>", x + 15.0, y + 10.0));
        }
    }
}

/// What fills most of each column's time: a kind and whether pale, or `None` for waiting.
fn columns(bars: &[Bar], end: f64) -> Vec<Option<(usize, bool)>> {
    let width = end / COLUMNS as f64;
    let mut result = Vec::with_capacity(COLUMNS);
    let mut next = 0;
    for column in 0..COLUMNS {
        let (from, to) = (column as f64 * width, (column + 1) as f64 * width);
        while bars.get(next).is_some_and(|bar| bar.to <= from) {
            next += 1;
        }
        let mut shares: Vec<((usize, bool), f64)> = Vec::new();
        for bar in bars[next..].iter().take_while(|bar| bar.from < to) {
            let inside = bar.to.min(to) - bar.from.max(from);
            match shares.iter_mut().find(|share| share.0 == (bar.kind, bar.pale)) {
                Some(share) => share.1 += inside,
                None => shares.push(((bar.kind, bar.pale), inside)),
            }
        }
        let busy: f64 = shares.iter().map(|share| share.1).sum();
        let most = shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        result.push(most.filter(|_| busy > width / 2.0).map(|(what, _)| what));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_shows_what_fills_most_of_it() {
        // Columns are one unit wide: half of the first is idle, the second is shared 6:4, the rest is one long bar
        // that ends in the middle of a column.
        let bar = |from, to, kind, pale| Bar { from, to, kind, pale };
        let bars = [
            bar(0.0, 0.4, 1, false),
            bar(1.0, 1.6, 2, true),
            bar(1.6, 2.0, 3, false),
            bar(2.0, 500.7, 4, false),
        ];
        let columns = columns(&bars, COLUMNS as f64);
        assert_eq!(columns[..3], [None, Some((2, true)), Some((4, false))]);
        assert!(columns[2..=500].iter().all(|&column| column == Some((4, false))));
        assert!(columns[501..].iter().all(Option::is_none));
    }

    /// What stands below a tick is the time there, to the pixel.
    #[test]
    fn a_label_tells_the_time_at_its_place() {
        for end in [0.02, 5.1, 7.0, 12.3, 1e6] {
            let svg = Strip { end, unit: "ms".into(), ..Strip::default() }.svg(&[]);
            let label = |text: &str| -> Option<(f64, f64)> {
                let (x, rest) = text.split_once('"')?;
                let (_, time) = rest.split_once('>')?;
                Some((x.parse().ok()?, time.split(['<', ' ']).next()?.parse().ok()?))
            };
            let labels: Vec<(f64, f64)> = svg.split("<text x=\"").skip(1).filter_map(label).collect();
            assert!((3..=6).contains(&labels.len()), "{end}: {labels:?}");
            for (x, time) in labels {
                let place = LEFT + time / end * COLUMNS as f64;
                assert!((x - place).abs() < 1.0, "{end}: {time} stands at {x}, not at {place}");
            }
        }
    }

    #[test]
    fn a_million_bars_make_a_small_picture() {
        let bars = (0..1_000_000)
            .map(|i| Bar { from: f64::from(i), to: f64::from(i) + 0.9, kind: 1, pale: false })
            .collect();
        let lanes = vec![Lane { name: "0".into(), bars }, Lane { name: "1".into(), bars: Vec::new() }];
        let kinds = vec!["root".into(), "e2e4 & more".into()];
        let strip = Strip { title: "t".into(), end: 1e6, unit: "ms".into(), kinds, lanes };
        let svg = strip.svg(&[]);
        assert!(svg.len() < 5000 && svg.contains("e2e4 &amp; more") && svg.contains("1000000 ms"), "{svg}");
        assert!(!Strip::default().svg(&[]).contains("NaN"));
    }
}
