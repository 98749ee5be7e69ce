//! The laboratory: the classic algorithms of scan and reduction, on a machine model that counts what their authors count,
//! and, with the feature `cuda`, as CUDA kernels that race on a GPU.

#![cfg_attr(not(feature = "cuda"), forbid(unsafe_code))]

pub mod algorithm;
pub mod algorithms;
pub mod book;
pub mod claims;
pub mod fenwick;
pub mod forecast;
#[cfg(feature = "cuda")]
pub mod gpu;
pub mod lesson;
pub mod live;
pub mod machine;
pub mod operator;
pub mod sample;
pub mod show;
mod variant;
