//! What several targets share. The targets themselves are in `targets/`, a property each.

pub mod family;
pub mod made;
pub mod restart;
