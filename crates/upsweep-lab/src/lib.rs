//! Laboratory: the classic algorithms of scan and reduction, on a machine model that counts the operations and accesses
//! that their authors count, and, with the feature `cuda`, as CUDA kernels that race on a GPU.
//!
//! From the library it takes the compiler of kernels and, for the race, the scan. Without the feature `cuda` it needs
//! nothing of the library.
//!
//! # Where things are
//!
//! | module | task |
//! |---|---|
//! | [`machine`] | runs kernels written in Rust, and records the threads' accesses (`Run`) |
//! | [`algorithms`] | one file an algorithm. Algorithms that share a file differ by a `Variant` (`variant.rs`), whose constants the CUDA kernel gets, too |
//! | [`lesson`] | reads the documentation of an algorithm's module, for pages and `lab show`; the pseudocode names the steps of the model |
//! | [`show`] | makes a recorded run visible: text, pictures, pages |
//! | [`book`] | the chapters of `lab book`: text, and numbers that are counted when the book is made |
//! | [`claims`] | statements of lectures. A claim is a function that runs it; `plays.rs` names the page on which it can be seen |
//! | [`forecast`] | predicted times of the CUDA kernels: from the model's counts, the instructions of the compiled kernels (`forecast/compiled.rs`) and data sheets |
//! | [`live`] | answers the questions of a page, JSON to JSON |
//! | `gpu` (feature `cuda`) | runs and races the algorithms' CUDA kernels |
//!
//! **The machine.** `block.rs` has steps and barriers, `thread.rs` the actions of a thread in a step. `memory.rs` finds
//! races, `warp.rs` combines the actions of a warp's threads in lockstep, `banks.rs` finds bank conflicts, and
//! `counts.rs` defines the counts. The sizes of the model are parameters (`Shape`): a warp of 4 threads and tiles of 8
//! elements are no GPU's, but fit on a screen. Kernels ask for them; counts that no shape changes are those of a GPU.
//!
//! **Pictures.** `recording.rs` is a run with its circumstances as text, also up to a fault. `layout.rs` puts words
//! into rows and arrows between them; `svg.rs` draws the layout. `hints.rs` runs an algorithm to find the lengths that
//! show something. An arrow needs the reads that a write depends on: the machine finds them by their order, and by the
//! values if a thread only copies (the field `flows` of a recorded event).
//!
//! **Pages.** `show/html/` makes them, with the run as JSON (`json.rs`) and the player in `assets/`. `run.js` reads a
//! run, `stage.js` draws one step, `banks.js` its banks, and `tiles.js` tiles. `lane.js` is all that a page shows of a
//! run; a page has one or two lanes. `player.js` moves between steps. A page's Content-Security-Policy forbids it the
//! network.
//!
//! **Live pages** run the same code. A question is the contents of the page's form. The answer is the run, or the
//! changing parts of the page as `show/html/` makes them, and the words that depend on an element: those that are
//! another number if the element is 1 and not 0 among zeros. `upsweep-lab-live` exports that function to WebAssembly as
//! three functions, and needs no library of bindings for one function of text to text. `ask.js` calls it, for `live.js`
//! on an algorithm's page and for `compare.js` in a chapter of the book, which counts its algorithms anew when a reader
//! changes the elements.
//!
//! **The compiled model** is kept as `assets/model.wasm.gz` (180 KB, in base 64 in each page, unpacked by the browser).
//! A build script that needs a second target would break every build that has only one. `cargo xtask wasm` compiles it.
//! `cargo xtask wasm --check`, a step of `.ci/run`, compares the bytes if the compiler is the same (`model.rustc`), and
//! the tests in a browser compare the answers of the kept model with those of the library.

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
