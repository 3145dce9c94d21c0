//! How much work compiling a component will be. Compiling cannot be stopped once it has begun, and
//! a few kilobytes can be made to take hours, so the work is estimated before.

mod function;

use wasmparser::{
    BinaryReaderError, FuncValidatorAllocations, Parser, Payload, ValidPayload, Validator,
};

use crate::engine::features;

/// What every function is, and every crossing between component and core module.
const FUNCTION: u64 = 400;

/// The work of compiling this, a unit of it being about a microsecond where it is meant to be much
/// and less in code that means well. It is counted until it is more than `enough`.
///
/// # Errors
/// When it is not valid, in the words in which the compiler would say so.
pub(crate) fn of(component: &[u8], enough: u64) -> Result<u64, BinaryReaderError> {
    let mut validator = Validator::new_with_features(features());
    let mut kept = FuncValidatorAllocations::default();
    let mut work = 0_u64;
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload?;
        if let Payload::ComponentCanonicalSection(section) = &payload {
            work += u64::from(section.count()) * FUNCTION;
        }
        if let ValidPayload::Func(function, body) = validator.payload(&payload)? {
            let (its, given_back) = function::work(function, kept, &body)?;
            kept = given_back;
            work = work.saturating_add(its).saturating_add(FUNCTION);
        }
        if work > enough {
            break;
        }
    }
    Ok(work)
}
