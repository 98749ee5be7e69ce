//! Code that the macros and the builders reject, and the messages. `operators/accepted.rs` has accepted code: with that
//! code here, trybuild would build where it now only checks, and compile all that upsweep needs a second time. (The one
//! error that is found only when code is generated, an index past the end, is a test in the documentation of
//! `arith::at_const`.)

#[test]
fn rejected() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*_fail.rs");
}
