//! A recorded pass from anywhere: decoded, encoded again, and shown as a page.
#![no_main]

use autodiff_core::report::{Document, document_page};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(document) = Document::decode(bytes) {
        // What can be read can be written, and is then the same.
        let text = document.encode().unwrap_or_default();
        let again = Document::decode(text.as_bytes()).ok();
        assert_eq!(again.as_ref(), Some(&document));
        let _ = document_page(&document);
    }
});
