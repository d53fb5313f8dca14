//! Reports from studies: each becomes a [`figures::Report`], and a JSON document.

pub mod studies;

use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the JSON documents; raised when a field changes its meaning or disappears.
pub const SCHEMA: u32 = 1;

/// One line of JSON: the study's own fields, with `schema`, `study` and `facts`, where the figures come from,
/// before them.
pub fn json<T: Serialize>(
    study: &str,
    facts: &[(String, String)],
    result: &T,
) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        schema: u32,
        study: &'a str,
        facts: BTreeMap<&'a str, &'a str>,
        #[serde(flatten)]
        result: &'a T,
    }
    let facts = facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    serde_json::to_string(&Document { schema: SCHEMA, study, facts, result })
}
