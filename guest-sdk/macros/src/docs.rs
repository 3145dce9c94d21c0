//! Doc comments as the text that they are for a model.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment of an item, empty if there is none. Lines that were only wrapped are joined;
/// paragraphs and list items stay.
pub(crate) fn text(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for line in attributes.iter().filter_map(line).flat_map(lines) {
        text.push_str(match line.as_str() {
            "" => "\n\n",
            _ if text.is_empty() || text.ends_with('\n') => "",
            _ if starts_item(&line) => "\n",
            _ => " ",
        });
        text.push_str(&line);
    }
    text.trim().to_owned()
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if pair.path.is_ident("doc") => {
            Some(text.value())
        }
        _ => None,
    }
}

/// A block comment is one attribute with many lines.
fn lines(text: String) -> Vec<String> {
    if text.is_empty() {
        return vec![text];
    }
    text.lines().map(|line| line.trim().to_owned()).collect()
}

fn starts_item(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with("* ")
}
