//! A checkpoint from anywhere: its header, its description, and its tensors in both precisions.
#![no_main]

use std::path::PathBuf;

use demo::train::checkpoint::Stored;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(stored) = Stored::decode(PathBuf::from("nowhere/file"), bytes.to_vec()) {
        let _ = stored.parameters::<f32>();
        let _ = stored.state::<f64>();
    }
});
