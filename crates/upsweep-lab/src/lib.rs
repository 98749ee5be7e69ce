//! The laboratory: the classic algorithms of scan and reduction, on a machine model that counts what their authors count,
//! and, with the feature `cuda`, as CUDA kernels that race on a GPU.
//!
//! From the library it takes the compiler of kernels and, for the race, the scan. Without the feature `cuda` it needs
//! nothing of the library.
//!
//! # Where things are
//!
//! | module | what it does |
//! |---|---|
//! | [`machine`] | runs kernels written in Rust, and records who read and wrote what (`Run`) |
//! | [`algorithms`] | one file an algorithm. Those that share a file differ by a `Variant` (`variant.rs`), whose constants the CUDA kernel gets, too |
//! | [`lesson`] | reads the documentation of an algorithm's module, for pages and `lab show`; the pseudocode names the steps of the model |
//! | [`show`] | makes a recorded run visible: text, pictures, pages |
//! | [`book`] | the chapters of `lab book`: text, and numbers that are counted when the book is made |
//! | [`claims`] | what lectures say. A claim is a function that runs it; `plays.rs` says on which page it can be seen |
//! | [`forecast`] | how long the CUDA kernels should take: from the model's counts, the instructions of the compiled kernels (`forecast/compiled.rs`) and data sheets |
//! | [`live`] | answers the questions of a page, JSON to JSON |
//! | `gpu` (feature `cuda`) | runs and races the algorithms' CUDA kernels |
//!
//! **The machine.** `block.rs` has steps and barriers, `thread.rs` what a thread does in a step, `memory.rs` finds
//! races, `warp.rs` combines what the threads of a warp did as lockstep does, `banks.rs` finds bank conflicts, and
//! `counts.rs` says what is counted. The sizes of the model are parameters (`Shape`): a warp of 4 threads and tiles of
//! 8 elements are no GPU's, but fit on a screen. Kernels ask for them; what no shape changes is counted as on a GPU.
//!
//! **Pictures.** `recording.rs` is a run with its circumstances as text, also up to a fault. `layout.rs` decides which
//! words are in which row, and where arrows begin and end; `svg.rs` draws that. `hints.rs` runs an algorithm to find
//! the lengths that show something. An arrow needs to know which reads a write depends on: the machine tells from their
//! order, and from the values where a thread only copies (the field `flows` of a recorded event).
//!
//! **Pages.** `show/html/` makes them, with the run as JSON (`json.rs`) and the player in `assets/`. `run.js` reads a
//! run, `stage.js` draws one step, `banks.js` its banks, and `tiles.js` tiles. `lane.js` is all that a page shows of a
//! run, and a page has one or two of these. `player.js` moves between steps. A page's Content-Security-Policy forbids
//! it the network.
//!
//! **Live pages** run the same code. A question is what stands in the form of the page. The answer is the run, or the
//! changing parts of the page as `show/html/` makes them, and which words depend on an element: those that are another
//! number if the element is 1 and not 0 among zeros. `upsweep-lab-live` gives that function to WebAssembly as three
//! exports, and needs no library of bindings for one function of text to text. `ask.js` calls it, for `live.js` on an
//! algorithm's page and `compare.js` in a chapter of the book, whose algorithms side by side are counted anew when a
//! reader changes the elements.
//!
//! **The compiled model** is kept as `assets/model.wasm.gz` (180 KB, in base 64 in each page, unpacked by the browser).
//! A build script that needs a second target would make every build fail that has only one. `cargo xtask wasm` compiles
//! it. `cargo xtask wasm --check`, a step of `.ci/run`, compares the bytes if the compiler is the same (`model.rustc`),
//! and the tests in a browser compare the answers of the kept model with those of the library.

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
