//! Components as somebody could have damaged them.

use arbitrary::{Result, Unstructured};
use switchboard_cli::crew::builtin::COMPONENTS;

/// A built-in component with changes in it, or these bytes as they are: the first one says which.
pub fn edited(input: &[u8]) -> Vec<u8> {
    let Some((base, rest)) = input.split_first() else { return Vec::new() };
    let base = usize::from(*base).checked_sub(1).and_then(|place| COMPONENTS.get(place));
    let Some(base) = base else { return rest.to_vec() };
    let mut component = base.bytes.to_vec();
    let mut edits = Unstructured::new(rest);
    while !edits.is_empty() && edit(&mut component, &mut edits).is_ok() {}
    component
}

/// One change.
fn edit(component: &mut Vec<u8>, edits: &mut Unstructured<'_>) -> Result<()> {
    let most = component.len().saturating_sub(1);
    let at = place(edits)?.min(most);
    let short = usize::from(edits.arbitrary::<u8>()?);
    let end = (at + short).min(component.len());
    match edits.arbitrary::<u8>()? % 5 {
        0 => component[at..end].fill(edits.arbitrary()?),
        1 => drop(component.drain(at..end)),
        2 => {
            let words: Vec<u8> =
                (0..short % 16).map(|_| edits.arbitrary()).collect::<Result<_>>()?;
            component.splice(at..at, words);
        }
        3 => {
            let again = component[at..end].to_vec();
            component.splice(at..at, again);
        }
        _ => {
            let byte = component.get_mut(at).ok_or(arbitrary::Error::NotEnoughData)?;
            *byte = edits.arbitrary()?;
        }
    }
    Ok(())
}

/// Where: three bytes are enough for the largest of them.
fn place(edits: &mut Unstructured<'_>) -> Result<usize> {
    let [low, middle, high]: [u8; 3] = edits.arbitrary()?;
    Ok(usize::from(low) | usize::from(middle) << 8 | usize::from(high) << 16)
}
