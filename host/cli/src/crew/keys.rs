//! Which keys a table takes and which words a key, asked of the type it is read into, so that there
//! is no second list; and the nearest of them to what somebody wrote.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

/// The keys of the table that is read into `T`, or the words for it if `T` is one of several;
/// none if `T` is neither.
pub fn keys_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    match T::deserialize(Introspection) {
        Err(Found(keys)) => keys,
        Ok(_) => &[],
    }
}

/// The nearest of `known` to `written`.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|known| (strsim::osa_distance(written, known), known))
        .filter(|(distance, known)| *distance < known.chars().count())
        .min()
        .map(|(_, known)| known)
}

/// Says what was meant, if anything is near, and what there is.
pub fn suggestion<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let meant = nearest(written, known.iter().copied())
        .map(|nearest| format!("; did you mean `{nearest}`?"))
        .unwrap_or_default();
    match known.as_slice() {
        [] => meant,
        all => format!("{meant} (there is: {})", all.join(", ")),
    }
}

/// A deserializer without data: it learns which fields a struct asks for, or which variants an
/// enum has, and stops there.
struct Introspection;

#[derive(Debug)]
struct Found(&'static [&'static str]);

impl fmt::Display for Found {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "there are {}", self.0.join(", "))
    }
}

impl std::error::Error for Found {}

impl de::Error for Found {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> Deserializer<'de> for Introspection {
    type Error = Found;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Found> {
        Err(Found(fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Found> {
        Err(Found(variants))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Found> {
        Err(Found(&[]))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::{keys_of, nearest, suggestion};

    #[derive(serde::Deserialize)]
    #[allow(dead_code, reason = "only the names of its fields matter")]
    struct Table {
        model: String,
        #[serde(rename = "base-url")]
        base_url: Option<String>,
    }

    #[derive(serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[allow(dead_code, reason = "only the names of its variants matter")]
    enum Word {
        Yes,
        NotYet,
    }

    #[test]
    fn a_type_says_which_keys_its_table_takes_or_which_words_it_is_written_as() {
        assert_eq!(keys_of::<Word>(), ["yes", "not-yet"]);
        assert_eq!(keys_of::<Table>(), ["model", "base-url"]);
        assert_eq!(keys_of::<String>(), [""; 0]);
    }

    #[test]
    fn the_nearest_key_is_found_also_when_letters_changed_places() {
        assert_eq!(nearest("promt", ["model", "prompt"]), Some("prompt"));
        assert_eq!(nearest("tolos", ["model", "tools"]), Some("tools"));
        assert_eq!(nearest("zzzzzz", ["model"]), None);
    }

    #[test]
    fn a_suggestion_also_says_what_there_is() {
        let said = suggestion("modle", ["model", "prompt"]);
        assert_eq!(said, "; did you mean `model`? (there is: model, prompt)");
        assert_eq!(suggestion("x", []), "");
    }
}
