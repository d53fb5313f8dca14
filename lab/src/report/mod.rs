//! Reports from studies: each becomes a [`figures::Report`], and a JSON document.

pub mod studies;

use serde::Serialize;

/// Version of the JSON documents; raised when a field changes its meaning or disappears.
pub const SCHEMA: u32 = 1;

/// One line of JSON: the study's own fields with `schema` and `study` before them.
pub fn json<T: Serialize>(study: &str, result: &T) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        schema: u32,
        study: &'a str,
        #[serde(flatten)]
        result: &'a T,
    }
    serde_json::to_string(&Document { schema: SCHEMA, study, result })
}
