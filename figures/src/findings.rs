//! Many findings on one page: each with its verdict in colour, its number and interval, the command that
//! measures it again, and a link of its own. A filter chooses by words and by verdict; without scripts all
//! of them are shown.

use super::escape;
use super::table::fixed;

/// What colour a verdict has. The word stands beside it, so that nothing is said by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It holds.
    Good,
    /// It does not.
    Bad,
    /// Both.
    Mixed,
    /// Neither.
    Open,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Good => "k-good",
            Tone::Bad => "k-bad",
            Tone::Mixed => "k-mixed",
            Tone::Open => "k-open",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its place on the page, for links: letters, digits and hyphens.
    pub id: String,
    /// The heading under which it stands. Findings of one group follow each other.
    pub group: String,
    /// What is said.
    pub claim: String,
    /// By whom: entries separated by commas or semicolons, each with a source's key as its first word.
    pub source: String,
    /// Its verdict: an index into [`Findings::tags`].
    pub tag: usize,
    /// What was found.
    pub value: String,
    /// More, by name.
    pub details: Vec<(String, String)>,
    /// The number on which the verdict rests and the ends of its interval, in percent.
    pub interval: Option<(f64, f64, f64)>,
    /// What measures it again.
    pub command: String,
}

/// Findings with their verdicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The verdicts.
    pub tags: Vec<(String, Tone)>,
    /// The sources: a key, and what it stands for.
    pub sources: Vec<(String, String)>,
    /// The findings.
    pub rows: Vec<Finding>,
}

const SCRIPT: &str = include_str!("findings.js");

/// Half the width of the picture of an interval.
const HALF: f64 = 110.0;

impl Findings {
    /// As HTML.
    pub fn html(&self) -> String {
        let mut groups = String::new();
        for rows in self.rows.chunk_by(|a, b| a.group == b.group) {
            let articles: String = rows.iter().map(|row| self.article(row)).collect();
            let heading = rows.first().map_or_else(String::new, |row| escape(&row.group));
            groups += &format!("<section><h2>{heading}</h2>{articles}</section>");
        }
        let source = |(i, (key, what)): (usize, &(String, String))| {
            format!("<dt id=\"source-{i}\">{}</dt><dd>{}</dd>", escape(key), escape(what))
        };
        let sources: String = self.sources.iter().enumerate().map(source).collect();
        format!(
            "<div>{}{groups}<h2>Sources</h2><dl>{sources}</dl><script>{SCRIPT}</script></div>",
            self.form()
        )
    }

    fn form(&self) -> String {
        let choice = |(i, (name, tone)): (usize, &(String, Tone))| {
            let count = self.rows.iter().filter(|row| row.tag == i).count();
            format!(
                "<label class=\"{}\"><input type=\"checkbox\" value=\"{i}\" checked> <span \
                 class=\"tag\">{}</span> \
                 ({count})</label>",
                tone.class(),
                escape(name)
            )
        };
        let choices: String = self.tags.iter().enumerate().map(choice).collect();
        format!(
            "<form class=\"ff\" role=\"search\" aria-label=\"Choose findings\" hidden><label>Words <input \
             type=\"search\">\
             </label><fieldset><legend>Verdict</legend>{choices}</fieldset><p><output></output></p></form>"
        )
    }

    fn article(&self, row: &Finding) -> String {
        let (name, tone) = self.tags.get(row.tag).cloned().unwrap_or((String::new(), Tone::Open));
        let detail =
            |(name, value): &(String, String)| format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
        let details: String = row.details.iter().filter(|(_, value)| !value.is_empty()).map(detail).collect();
        let details = if details.is_empty() { details } else { format!("<dl>{details}</dl>") };
        let id = escape(&row.id);
        format!(
            "<article class=\"fi {}\" id=\"{id}\" data-tag=\"{}\"><h3>{} <a href=\"#{id}\" \
             aria-label=\"Link to this \
             finding\">#</a></h3><p><span class=\"tag\">{}</span> \
             ({})</p><p>{}</p>{}{details}<p><code>{}</code></p>\
             </article>",
            tone.class(),
            row.tag,
            escape(&row.claim),
            escape(&name),
            self.linked(&row.source),
            escape(&row.value),
            row.interval.map_or_else(String::new, picture),
            escape(&row.command)
        )
    }

    /// The source's entries, those with a key linked to what it stands for.
    fn linked(&self, source: &str) -> String {
        let entry = |entry: &str| {
            let key = entry.trim().split(' ').next().unwrap_or_default();
            match self.sources.iter().position(|(known, _)| known == key) {
                Some(place) => format!("<a href=\"#source-{place}\">{}</a>", escape(entry.trim())),
                None => escape(entry.trim()),
            }
        };
        source.split([',', ';']).map(entry).collect::<Vec<_>>().join(", ")
    }
}

/// The interval as a bar around zero; nothing where it cannot be drawn.
fn picture((mean, low, high): (f64, f64, f64)) -> String {
    if ![mean, low, high].iter().all(|number| number.is_finite()) {
        return String::new();
    }
    // Round, and never so close that a small interval looks large.
    let reach = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];
    let widest = low.abs().max(high.abs()).max(mean.abs());
    let reach = reach.into_iter().find(|&reach| reach >= widest).unwrap_or(widest);
    let at = |number: f64| 120.0 + HALF * number / reach;
    let (from, to, middle) = (at(low), at(high), at(mean));
    let number = |number: f64| fixed(number, 1);
    format!(
        "<svg viewBox=\"0 0 240 34\" role=\"img\" font-family=\"sans-serif\" font-size=\"11\"><title>{} %, \
         interval from {} to \
         {}</title><path d=\"M10 10H230\" stroke=\"var(--rule)\"/><path d=\"M120 3V17\" \
         stroke=\"var(--soft)\"/>\
         <path d=\"M{from:.1} 10H{to:.1}\" stroke=\"var(--tone)\" stroke-width=\"3\"/><circle \
         cx=\"{middle:.1}\" cy=\"10\" \
         r=\"4\" fill=\"var(--tone)\"/><text x=\"10\" y=\"30\">-{reach} %</text><text x=\"120\" y=\"30\" \
         text-anchor=\"middle\">\
         0</text><text x=\"230\" y=\"30\" text-anchor=\"end\">+{reach} %</text></svg>",
        number(mean),
        number(low),
        number(high)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(id: &str, group: &str, source: &str) -> Finding {
        Finding {
            id: id.into(),
            group: group.into(),
            claim: "a < b".into(),
            source: source.into(),
            tag: 1,
            value: "1".into(),
            details: vec![("rule".into(), String::new())],
            interval: Some((-10.0, -20.0, 5.0)),
            command: "program".into(),
        }
    }

    #[test]
    fn findings_stand_in_their_groups_and_lead_to_their_sources() {
        let findings = Findings {
            tags: vec![("holds".into(), Tone::Good), ("does not".into(), Tone::Bad)],
            sources: vec![("M".into(), "Marsland".into())],
            rows: vec![finding("a", "1", "M 3.2, X"), finding("b", "1", "X"), finding("c", "2", "MX")],
        };
        let html = findings.html();
        assert_eq!((html.matches("<section>").count(), html.matches("<article").count()), (2, 3));
        assert_eq!(html.matches("<a href=\"#source-0\">M 3.2</a>, X").count(), 1);
        assert_eq!(html.matches("href=\"#source").count(), 1);
        assert!(html.contains("holds</span> (0)") && html.contains("does not</span> (3)"), "{html}");
        assert!(!html.contains("<dt>rule</dt>"), "an empty detail is left out");
    }

    /// From -20 to 20: the interval's ends and its middle lie where the numbers say.
    #[test]
    fn an_interval_is_drawn_to_scale() {
        let svg = picture((-10.0, -20.0, 5.0));
        assert!(
            svg.contains("M10.0 10H147.5") && svg.contains("cx=\"65.0\"") && svg.contains("+20 %"),
            "{svg}"
        );
        assert!(picture((0.0, f64::NAN, 1.0)).is_empty());
    }
}
