//! A TOML document with the place of each key and value.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A table of it.
pub type Table<'i> = DeTable<'i>;

/// What a key of this table has.
pub fn value<'a, 'i>(outer: &'a Table<'i>, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
    outer.iter().find(|(name, _)| text(name) == key).map(|(_, value)| value)
}

/// The table that a key of this table has.
pub fn table<'a, 'i>(outer: &'a Table<'i>, key: &str) -> Option<&'a Table<'i>> {
    value(outer, key)?.get_ref().as_table()
}

/// The elements of the list that a key of this table has.
pub fn list<'a, 'i>(
    outer: &'a Table<'i>,
    key: &str,
) -> impl Iterator<Item = &'a Spanned<DeValue<'i>>> {
    value(outer, key).and_then(|value| value.get_ref().as_array()).into_iter().flatten()
}

/// The tables in the table that a key of this table has, by name.
pub fn members<'a, 'i>(
    document: &'a Table<'i>,
    key: &str,
) -> impl Iterator<Item = (&'a str, &'a Table<'i>)> {
    let named = |(name, value): (&'a Spanned<DeString<'i>>, &'a Spanned<DeValue<'i>>)| {
        Some((text(name), value.get_ref().as_table()?))
    };
    table(document, key).into_iter().flat_map(Table::iter).filter_map(named)
}

/// Where in this text the value at the end of these keys stands, or the last one on the way that
/// is there. In a list a key is a place, from 0.
pub fn locate<'k>(source: &str, keys: impl IntoIterator<Item = &'k str>) -> Option<Range<usize>> {
    let document = DeTable::parse(source).ok()?;
    let mut keys = keys.into_iter();
    let mut found = value(document.get_ref(), keys.next()?)?;
    for key in keys {
        let inner = match found.get_ref() {
            DeValue::Table(table) => value(table, key),
            DeValue::Array(list) => key.parse().ok().and_then(|place: usize| list.get(place)),
            _ => None,
        };
        let Some(inner) = inner else { break };
        found = inner;
    }
    Some(found.span())
}

/// The keys to what stands at this byte of the text, with dots between them; empty if it cannot be
/// said.
pub fn keys_at(source: &str, byte: usize) -> String {
    let Ok(document) = DeTable::parse(source) else { return String::new() };
    let mut keys = inside(document.get_ref(), byte).unwrap_or_default();
    keys.reverse();
    keys.join(".")
}

/// The keys below this table, innermost first. A table under a header has the header's place, not
/// that of what is in it, so all are looked into; the parser bounds how deep they are.
fn inside<'a>(table: &'a Table<'_>, byte: usize) -> Option<Vec<&'a str>> {
    table.iter().find_map(|(name, value)| {
        let mut keys = at(value, byte)?;
        keys.push(text(name));
        Some(keys)
    })
}

fn at<'a>(value: &'a Spanned<DeValue<'_>>, byte: usize) -> Option<Vec<&'a str>> {
    let deeper = match value.get_ref() {
        DeValue::Table(table) => inside(table, byte),
        DeValue::Array(list) => list.iter().find_map(|element| at(element, byte)),
        _ => None,
    };
    deeper.or_else(|| value.span().contains(&byte).then(Vec::new))
}

fn text<'a>(name: &'a Spanned<DeString<'_>>) -> &'a str {
    name.get_ref().as_ref()
}

#[cfg(test)]
mod tests {
    use super::{keys_at, locate};

    const TEXT: &str = "[scripts.a.let]\nb = 'x'\n[[scripts.a.rules]]\nsay = 'first'\n\
                        [[scripts.a.rules]]\nsay = 'second'\n";

    fn found(keys: &[&str]) -> Option<&'static str> {
        locate(TEXT, keys.iter().copied()).map(|span| &TEXT[span])
    }

    #[test]
    fn a_value_is_found_by_its_keys_and_by_its_place_in_a_list() {
        assert_eq!(found(&["scripts", "a", "let", "b"]), Some("'x'"));
        assert_eq!(found(&["scripts", "a", "rules", "1", "say"]), Some("'second'"));
        assert_eq!(found(&["scripts", "a", "rules", "1", "say", "more"]), Some("'second'"));
        assert_eq!(found(&["agents"]), None);
    }

    #[test]
    fn what_stands_somewhere_is_named_by_its_keys() {
        let text = "[agents.lead]\nmodel = 5\ngrants = { workspace = { dir = 7 } }\n";
        assert_eq!(keys_at(text, text.find('5').unwrap()), "agents.lead.model");
        assert_eq!(keys_at(text, text.find('7').unwrap()), "agents.lead.grants.workspace.dir");
        assert_eq!(keys_at("[", 0), "");
    }
}
