//! Captions of pictures that stand alone: what was measured and with what, in lines below the drawing.

use super::{add, escape};

/// Height of a line.
const LINE: f64 = 15.0;
/// Mean width of a character at the size of a caption.
const CHARACTER: f64 = 5.6;

/// Sentences broken into lines that fit a picture.
pub(crate) struct Caption {
    lines: Vec<String>,
}

impl Caption {
    /// Breaks each of the `texts` into lines for a picture so many units wide.
    pub(crate) fn new(texts: &[String], width: f64) -> Self {
        let most = (width / CHARACTER).max(20.0) as usize;
        Self { lines: texts.iter().flat_map(|text| broken(text, most)).collect() }
    }

    /// The room it takes.
    pub(crate) fn height(&self) -> f64 {
        if self.lines.is_empty() { 0.0 } else { LINE * (self.lines.len() as f64 + 1.0) }
    }

    /// Draws it below `top`.
    pub(crate) fn draw(&self, svg: &mut String, left: f64, top: f64) {
        for (i, line) in self.lines.iter().enumerate() {
            let y = top + LINE * (i as f64 + 1.0);
            let line = escape(line);
            add(svg, format_args!("<text x=\"{left}\" y=\"{y:.1}\" font-size=\"11\">{line}</text>"));
        }
    }
}

/// Lines of at most so many characters, broken between words where that is possible.
fn broken(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        while word.len() > most {
            lines.push(word.drain(..most).collect());
        }
        let word: String = word.into_iter().collect();
        let last = lines.last_mut().expect("there is a first line");
        match last.chars().count() + 1 + word.chars().count() <= most {
            true if last.is_empty() => *last = word,
            true => *last = format!("{last} {word}"),
            false => lines.push(word),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_longer_than_the_picture_and_lose_no_word() {
        let text = "one two three ".repeat(20) + &"x".repeat(70);
        let lines = broken(&text, 30);
        assert!(lines.iter().all(|line| line.chars().count() <= 30), "{lines:?}");
        let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(without_blanks(&lines.concat()), without_blanks(&text));
        assert!(broken("  ", 30).is_empty());
    }
}
