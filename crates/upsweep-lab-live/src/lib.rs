//! WebAssembly module of the laboratory's model: one question after the other, as text in memory shared with the page.
//!
//! The page calls `room`, writes its question there, calls `answer`, and reads as many bytes as that returns from where
//! `said` points. `upsweep_lab::live` defines questions and answers. `cargo xtask wasm` compiles this crate.

use std::cell::RefCell;

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for a question of `bytes` bytes, and returns its address; the page then writes the question there.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(bytes, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question that the page has written; returns the number of bytes of the answer.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let answer = QUESTION.with_borrow(|question| upsweep_lab::live::answer(&String::from_utf8_lossy(question)));
    let bytes = answer.len();
    ANSWER.set(answer);
    bytes
}

/// Returns the address of the answer.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn said() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
