//! A script as it is written. Whoever reads a larger file asks these for the keys they take.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A whole script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptTable {
    /// Names for expressions that several rules use.
    #[serde(default, rename = "let")]
    pub(super) lets: BTreeMap<String, String>,
    pub(super) rules: Vec<RuleTable>,
}

/// One rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleTable {
    /// What the rule is called in errors.
    pub(super) name: Option<String>,
    /// Matches something that came since the last answer.
    pub(super) on: Option<String>,
    /// Each matches something that was ever read.
    #[serde(default)]
    pub(super) seen: Vec<String>,
    /// None matches anything that was ever read.
    #[serde(default)]
    pub(super) unseen: Vec<String>,
    /// None matches anything said or called so far.
    #[serde(default)]
    pub(super) unsaid: Vec<String>,
    /// The answer is given only once mail waits.
    #[serde(default)]
    pub(super) hold: bool,
    pub(super) say: Option<String>,
    #[serde(default)]
    pub(super) calls: Vec<CallTable>,
}

/// One call of a rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallTable {
    pub(super) tool: String,
    /// An expression for a list: the call is made once for each of its elements, `it`.
    pub(super) each: Option<String>,
    #[serde(default)]
    pub(super) arguments: serde_json::Map<String, serde_json::Value>,
}
