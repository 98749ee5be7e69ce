//! Damage of files of Parquet and Arrow: what a decoder says of it, in words or by a panic.

use crate::failure::{Failure, one_line};
use crate::names::Columnar;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// Failure because what a file has cannot be read.
pub(super) fn damaged(kind: Columnar, name: &str, reason: &str) -> Failure {
    let reason = one_line(reason);
    Failure::input(name, format!("is damaged, or is no file of {} that can be read: {reason}", kind.name()))
}

thread_local! {
    /// Whether this thread decodes a file, whose damage may make the decoder panic.
    static DECODES: Cell<bool> = const { Cell::new(false) };
}

/// Lets `read` decode what may be damaged: a panic of the decoder is an error with its words, and prints nothing.
pub(super) fn guarded<T>(read: impl FnOnce() -> std::result::Result<T, String>) -> std::result::Result<T, String> {
    static SILENT: Once = Once::new();
    SILENT.call_once(|| {
        let told = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !DECODES.get() {
                told(info);
            }
        }));
    });
    DECODES.set(true);
    // Nothing of what was read stays when the decoder panics.
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    DECODES.set(false);
    read.unwrap_or_else(|panicked| {
        let words = panicked.downcast_ref::<String>().map(String::as_str);
        Err(words.or_else(|| panicked.downcast_ref::<&str>().copied()).unwrap_or("it cannot be decoded").to_owned())
    })
}
