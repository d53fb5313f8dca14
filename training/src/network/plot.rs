//! The losses of a training as a picture.

use super::run::Epoch;
use std::fmt::Write;

/// The picture's size and margins, in pixels.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;
/// Lines across the picture.
const GRID: usize = 5;

/// An SVG with the mean squared error of each epoch: while it was learnt from, and on the held-out games.
pub fn losses(epochs: &[Epoch], title: &str) -> String {
    let curves = [
        ("learnt from", "#1f77b4", epochs.iter().map(|epoch| epoch.training).collect::<Vec<f64>>()),
        (
            "held out",
            "#d62728",
            epochs.iter().map(|epoch| epoch.held_out).filter(|&loss| loss > 0.0).collect(),
        ),
    ];
    let all = || curves.iter().flat_map(|(_, _, losses)| losses).copied().filter(|loss| loss.is_finite());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    // A flat curve still needs a scale.
    let (low, high) = if low < high { (low, high) } else { (high * 0.9, high * 1.1 + f64::EPSILON) };
    let x = |epoch: f64| LEFT + (epoch - 1.0) / (epochs.len().max(2) - 1) as f64 * (WIDTH - LEFT - RIGHT);
    let y = |loss: f64| TOP + (high - loss) / (high - low) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"14\">{}</text>\n",
        escaped(title)
    );
    let mut draw =
        |text: std::fmt::Arguments<'_>| writeln!(svg, "{text}").expect("a String takes everything");
    for line in 0..=GRID {
        let share = line as f64 / GRID as f64;
        let loss = low + share * (high - low);
        draw(format_args!(
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{2:.1}\" y2=\"{2:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{1:.1}\" y=\"{3:.1}\" text-anchor=\"end\">{loss:.5}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y(loss),
            y(loss) + 4.0
        ));
        let epoch = (1.0 + share * (epochs.len().max(1) - 1) as f64).round();
        draw(format_args!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{epoch}</text>",
            x(epoch),
            HEIGHT - BOTTOM + 18.0
        ));
    }
    draw(format_args!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">epoch; mean squared error of the expected points</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 8.0
    ));
    for (number, (name, colour, losses)) in curves.iter().enumerate() {
        let points: Vec<String> = losses
            .iter()
            .enumerate()
            .map(|(epoch, &loss)| format!("{:.1},{:.1}", x(epoch as f64 + 1.0), y(loss)))
            .collect();
        draw(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{colour}\" text-anchor=\"end\">{name}</text>",
            points.join(" "),
            WIDTH - RIGHT - 4.0,
            TOP + 14.0 + 16.0 * number as f64
        ));
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of the `number`-th curve.
    fn points(svg: &str, number: usize) -> Vec<(f64, f64)> {
        let text = svg.split("points=\"").nth(number + 1).unwrap().split('"').next().unwrap();
        let pair = |point: &str| point.split_once(',').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()));
        text.split_whitespace().filter_map(pair).collect()
    }

    #[test]
    fn lower_losses_are_drawn_lower() {
        let epoch = |training, held_out| Epoch { training, held_out, sense: [0; 5] };
        let svg = losses(&[epoch(0.10, 0.11), epoch(0.08, 0.09), epoch(0.07, 0.095)], "H < 64 & more");
        assert!(svg.contains("H &lt; 64 &amp; more"));
        let (learnt, held_out) = (points(&svg, 0), points(&svg, 1));
        assert_eq!((learnt.len(), held_out.len()), (3, 3));
        assert!(learnt.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        assert!(held_out[2].1 < held_out[1].1, "the last held-out loss rises again");
        // The extremes touch the frame: 0.07 its floor, 0.11 its ceiling.
        assert_eq!((learnt[2].1, held_out[0].1), (HEIGHT - BOTTOM, TOP));
    }

    #[test]
    fn nothing_learnt_is_still_a_picture() {
        for epochs in [&[][..], &[Epoch { training: 0.1, held_out: 0.0, sense: [0; 5] }]] {
            let svg = losses(epochs, "short");
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
