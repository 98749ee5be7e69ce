//! The machine model: blocks of threads in warps, memory in banks, barriers, and everything counted.
//!
//! A kernel is Rust code that reads as its CUDA twin does. Between two barriers it takes [`Block::step`]s: a step is what
//! all threads of the block do in lockstep, warp by warp, and the model knows it access by access:
//!
//! ```
//! use upsweep_lab::machine::{Banks, Machine};
//! use upsweep_lab::operator::Operator;
//!
//! // Every thread adds its right neighbour's word to its own.
//! let mut machine = Machine::new(Operator::<i64>::sum(), Banks::ThirtyTwo);
//! let x = machine.array("x", &[3, 1, 7, 0, 4]);
//! machine.launch("neighbours", 1, 4, |block| {
//!     let sum = block.shared("sum", 5);
//!     block.step("load", |t| {
//!         t.copy(x, t.index, sum, t.index);
//!         if t.branch(t.index == 0) {
//!             t.copy(x, 4, sum, 4);
//!         }
//!     });
//!     block.barrier();
//!     block.step("add", |t| {
//!         let left = t.read(sum, t.index);
//!         let right = t.read(sum, t.index + 1);
//!         let both = t.combine(left, right);
//!         t.write(x, t.index, both);
//!     });
//! });
//! assert_eq!(machine.read(x), [4, 8, 7, 4, 4]);
//! let run = machine.finish()?;
//! assert_eq!(run.total().operations, 4);
//! # Ok::<(), upsweep_lab::machine::Fault>(())
//! ```
//!
//! What the model is strict about: a word that is read before it was written, a place outside an array, and a race, two
//! threads at one word, one of them writing, with nothing between that orders them. What orders two accesses: the thread
//! itself; a barrier, for threads of one block; a later step, for threads of one warp, because a warp runs in lockstep; the
//! end of a launch. Words in [status arrays](Machine::status) are the exception, as atomics are on a GPU. Two
//! more faults: a [shuffle](Thread::shuffle) from another warp, and a [wait](Thread::wait) for what nothing before sets.
//! The first fault of all is what [`Machine::finish`] returns.
//!
//! Threads go through a step in lockstep: what comes next in the source is one instruction of all threads of a warp that are
//! there ([`Block::step`]). So the model knows which accesses meet in a bank and at which branches a warp parts.
//!
//! What it leaves out: time. Its cycles are the lecture's rule for shared memory (see [`Counts::cycles`]), which is why
//! they can be computed by hand and compared with what the lecture prints. Global memory costs nothing there.

mod banks;
mod block;
mod counts;
mod fault;
mod launch;
mod memory;
mod model;
mod pending;
mod run;
mod shape;
mod state;
mod thread;
mod warp;

pub use banks::{Banks, WARP};
pub use block::Block;
pub use counts::{Counts, Span};
pub use fault::{Access, Fault, Site};
pub use memory::{Array, Flags, Space, Word};
pub use model::Machine;
pub use run::{ArrayInfo, Event, Place, Run, Step};
pub use shape::{Order, Shape};
pub use thread::Thread;
