//! Filters and tests a template uses, looked at when a script is read: minijinja refuses an unknown
//! one only once the template is filled.

use minijinja::Template;
use minijinja::machinery::{Instruction, Instructions, get_compiled_template};

use super::error::ScriptError;

#[rustfmt::skip]
const FILTERS: &[&str] = &[
    "abs", "attr", "batch", "bool", "capitalize", "chain", "count", "counted", "cut", "d",
    "default", "dictsort", "e", "escape", "first", "float", "format", "groupby", "indent", "int",
    "items", "join", "last", "length", "lines", "list", "lower", "map", "matches", "max", "min",
    "of", "pprint", "reject", "rejectattr", "replace", "reverse", "round", "safe", "select",
    "selectattr", "slice", "sort", "split", "string", "sum", "title", "trim", "unique", "upper",
    "where", "zip",
];

#[rustfmt::skip]
const TESTS: &[&str] = &[
    "boolean", "defined", "divisibleby", "endingwith", "eq", "equalto", "escaped", "even",
    "false", "filter", "float", "ge", "greaterthan", "gt", "in", "int", "integer", "iterable",
    "le", "lessthan", "lower", "lt", "mapping", "ne", "none", "number", "odd", "safe", "sameas",
    "sequence", "startingwith", "string", "test", "true", "undefined", "upper",
];

/// Refuses a template that uses a filter or a test there is none of.
pub(super) fn check(template: &Template<'_, '_>) -> Result<(), ScriptError> {
    let compiled = get_compiled_template(template);
    let parts = compiled.blocks.values().chain([&compiled.instructions]);
    let unknown = parts.flat_map(instructions).find_map(|instruction| match instruction {
        Instruction::ApplyFilter(name, ..) => unknown("filter", name, FILTERS),
        Instruction::PerformTest(name, ..) => unknown("test", name, TESTS),
        _ => None,
    });
    unknown.map_or(Ok(()), Err)
}

fn instructions<'a>(part: &'a Instructions<'a>) -> impl Iterator<Item = &'a Instruction<'a>> {
    (0..).map_while(|index| part.get(index))
}

fn unknown(what: &str, name: &str, known: &[&str]) -> Option<ScriptError> {
    if known.contains(&name) {
        return None;
    }
    let nearest = known.iter().min_by_key(|known| strsim::osa_distance(name, known))?;
    Some(ScriptError::new(format!("there is no {what} `{name}`; did you mean `{nearest}`?")))
}

#[cfg(test)]
mod tests {
    use super::{FILTERS, TESTS};
    use crate::script::template::ENVIRONMENT;

    /// The names behind a word of what the environment says of itself.
    fn said(word: &str) -> Vec<String> {
        let all = format!("{:?}", *ENVIRONMENT);
        let (_, list) = all.split_once(&format!("{word}: ")).unwrap();
        let end = list.find(['}', ']']).unwrap();
        list[..end].split('"').skip(1).step_by(2).map(str::to_owned).collect()
    }

    fn words(names: Vec<String>) -> Vec<String> {
        let is_word = |name: &String| name.bytes().all(|byte| byte.is_ascii_lowercase());
        names.into_iter().filter(is_word).collect()
    }

    #[test]
    fn the_names_are_those_the_environment_has() {
        assert_eq!(words(said("filters")), FILTERS);
        assert_eq!(words(said("tests")), TESTS);
    }
}
