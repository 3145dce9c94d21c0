//! A component that means well, with more parts added to its bytes.

use crate::guest::{ECHO, Guest, leb};

/// Says what it is told.
pub(crate) fn good() -> Vec<u8> {
    Guest::new(ECHO).build()
}

/// The good one with this module in it, and so many instances of that.
pub(crate) fn with_module(items: &str, instances: usize) -> Vec<u8> {
    let module = wat::parse_str(format!("(module {items})")).unwrap();
    with_part(CORE_MODULE, CORE_INSTANCES, &module, instances)
}

/// The good one with this component in it, and so many instances of that.
pub(crate) fn with_component(items: &str, instances: usize) -> Vec<u8> {
    let component = wat::parse_str(format!("(component {items})")).unwrap();
    with_part(COMPONENT, INSTANCES, &component, instances)
}

const CORE_MODULE: u8 = 1;
const CORE_INSTANCES: u8 = 2;
const COMPONENT: u8 = 4;
const INSTANCES: u8 = 5;
const HEADER: usize = 8;

fn with_part(kind: u8, instances_kind: u8, part: &[u8], instances: usize) -> Vec<u8> {
    let mut component = good();
    let place = sections(&component).filter(|found| *found == kind).count();
    append(&mut component, kind, part);
    if instances > 0 {
        let mut list = Vec::new();
        leb(&mut list, instances);
        for _ in 0..instances {
            // It is made of the part, and nothing is handed in.
            list.push(0);
            leb(&mut list, place);
            list.push(0);
        }
        append(&mut component, instances_kind, &list);
    }
    component
}

fn append(component: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    component.push(kind);
    leb(component, bytes.len());
    component.extend_from_slice(bytes);
}

/// The kinds of its sections, in order.
fn sections(component: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = &component[HEADER..];
    std::iter::from_fn(move || {
        let (kind, after) = rest.split_first()?;
        let digits = after.iter().take_while(|byte| **byte >= 0x80).count() + 1;
        let digit = |size, byte: &u8| (size << 7) | usize::from(byte & 0x7f);
        let size = after[..digits].iter().rev().fold(0, digit);
        rest = &after[digits + size..];
        Some(*kind)
    })
}
