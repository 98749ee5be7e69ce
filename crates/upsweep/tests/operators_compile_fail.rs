//! What the macros reject, and in which words. Beside each file that must not compile lies one that must: the nearest
//! code that says the same.

#[test]
fn rejected_and_accepted() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/compile_fail/*_fail.rs");
    tests.pass("tests/compile_fail/*_pass.rs");
}
