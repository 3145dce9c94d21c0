//! What several targets share. The targets themselves are in `targets/`, a property each.

pub mod asked;
pub mod family;
pub mod made;
pub mod restart;

#[cfg(feature = "sandbox")]
pub mod bench;
#[cfg(feature = "sandbox")]
pub mod edited;
