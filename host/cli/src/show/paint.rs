//! Colour: whether there is any, and which means what.

use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

/// When colour is wanted, as `--color` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// On a terminal, unless NO_COLOR says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Paints, or leaves as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The how-manieth agent.
    Agent(usize),
    /// Said by the way: times, ids, bodies.
    Aside,
    /// Worth seeing at once.
    Strong,
    /// Went well.
    Good,
    /// Needs a look.
    Warning,
    /// Went wrong.
    Bad,
}

const AGENTS: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Magenta,
    AnsiColor::Blue,
    AnsiColor::Yellow,
    AnsiColor::BrightGreen,
    AnsiColor::BrightRed,
];

impl Paint {
    /// Plain text.
    pub const OFF: Self = Self { on: false };
    /// Colours.
    pub const ON: Self = Self { on: true };

    /// What `--color` and the surroundings of this stream come to.
    pub fn decide(
        choice: Choice,
        stream: &(impl IsTerminal + anstream::stream::RawStream),
    ) -> Self {
        match choice {
            Choice::Always => Self::ON,
            Choice::Never => Self::OFF,
            Choice::Auto => {
                let found = anstream::AutoStream::choice(stream);
                Self { on: found != anstream::ColorChoice::Never }
            }
        }
    }

    /// The text in the colour of its role.
    pub fn paint(self, role: Role, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let style = style(role);
        format!("{style}{text}{style:#}")
    }
}

fn style(role: Role) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match role {
        Role::Agent(place) => colour(AGENTS[place % AGENTS.len()]).bold(),
        Role::Aside => Style::new().dimmed(),
        Role::Strong => Style::new().bold(),
        Role::Good => colour(AnsiColor::Green),
        Role::Warning => colour(AnsiColor::Yellow),
        Role::Bad => colour(AnsiColor::Red).bold(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Paint, Role};

    #[test]
    fn without_colour_a_text_is_left_as_it_is() {
        assert_eq!(Paint::OFF.paint(Role::Bad, "broken"), "broken");
    }

    #[test]
    fn with_colour_every_style_is_ended_where_its_text_ends() {
        let painted = Paint::ON.paint(Role::Good, "fine");
        assert!(painted.starts_with("\u{1b}[32m") && painted.ends_with("fine\u{1b}[0m"));
    }
}
