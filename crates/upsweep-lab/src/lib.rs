//! The laboratory: the classic algorithms of scan and reduction, on a machine model that counts what their authors count.

#![forbid(unsafe_code)]

pub mod algorithm;
pub mod algorithms;
pub mod machine;
pub mod operator;
pub mod sample;
pub mod show;
