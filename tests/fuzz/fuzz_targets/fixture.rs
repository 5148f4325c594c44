//! Reference numbers from anywhere.
#![no_main]

use std::path::Path;

use demo::verify::Fixture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = Fixture::decode(Path::new("nowhere/file"), bytes);
});
