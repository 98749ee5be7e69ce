//! What the macros and the builders reject, and in which words. `operators/accepted.rs` has what they accept: with that
//! here, trybuild would build where it now only checks, and compile all that upsweep needs a second time. (What is found
//! only when code is generated, an index past the end, is a test in the documentation of `arith::at_const`.)

#[test]
fn rejected() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*_fail.rs");
}
