//! Every command of the kind `npz` in `calls.txt`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| upsweep_fuzz::all("npz", bytes));
