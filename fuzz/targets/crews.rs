#![no_main]
use switchboard_cli as _;
use switchboard_sandbox as _;
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = switchboard_sandbox::inspect(data);
});
