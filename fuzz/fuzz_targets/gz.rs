//! Every command of the kind `gz` in `calls.txt`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| upsweep_fuzz::all("gz", bytes));
