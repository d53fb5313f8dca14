//! Files that a page carries inside it, to be kept with one click: the data behind its pictures.

use super::escape;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Above this many bytes a file is linked to where it lies, beside the page, instead of carried inside.
const MOST: usize = 2 << 20;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// Its name; the ending says what it is: `.json`, `.csv`, else plain text.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl Download {
    /// A file of this name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    fn link(&self) -> String {
        let name = escape(&self.name);
        if self.text.len() > MOST {
            return format!("<a href=\"{name}\">{name}</a>");
        }
        let kind = match self.name.rsplit('.').next() {
            Some("json") => "application/json",
            Some("csv") => "text/csv",
            _ => "text/plain",
        };
        let data = STANDARD.encode(&self.text);
        format!("<a download=\"{name}\" href=\"data:{kind};charset=utf-8;base64,{data}\">{name}</a>")
    }
}

/// A line of links; nothing where there are no files.
pub(crate) fn html(files: &[Download]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let links: Vec<String> = files.iter().map(Download::link).collect();
    format!("<p>Data: {}</p>", links.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_out_as_it_went_in() {
        let text = "name,n\n\"a,<b>\",1\u{202f}000\n";
        let html = html(&[Download::new("x.csv", text)]);
        let (_, rest) = html.split_once("base64,").unwrap();
        let (data, _) = rest.split_once('"').unwrap();
        assert_eq!(STANDARD.decode(data).unwrap(), text.as_bytes());
        assert!(html.contains("download=\"x.csv\"") && html.contains("data:text/csv;"), "{html}");
    }

    #[test]
    fn what_is_too_large_lies_beside_the_page() {
        let html = html(&[Download::new("x.json", "1".repeat(MOST + 1))]);
        assert_eq!(html, "<p>Data: <a href=\"x.json\">x.json</a></p>");
    }
}
