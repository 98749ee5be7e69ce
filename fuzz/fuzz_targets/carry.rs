//! Every command of the kind `carry` in `calls.txt`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| upsweep_fuzz::all("carry", bytes));
