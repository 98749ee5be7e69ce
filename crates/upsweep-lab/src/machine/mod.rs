//! Machine model: blocks of threads in warps, memory in banks, barriers, and counts of all actions.
//!
//! A kernel is Rust code that reads like its CUDA twin. Between two barriers it takes [`Block::step`]s. A step is code
//! that all threads of the block run in lockstep, warp by warp, and the model knows each of its accesses:
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
//! The model is strict about three things: a read of an unwritten word, an index outside an array, and a race (two
//! threads at one word, one of them writing, with nothing between that orders them). Two accesses are ordered by the
//! thread itself; by a barrier, for threads of one block; by a later step, for threads of one warp, because a warp runs
//! in lockstep; by the end of a launch. Words in [status arrays](Machine::status) are the exception, like atomics on a
//! GPU. Two more faults are a [shuffle](Thread::shuffle) from another warp, and a [wait](Thread::wait) for a flag that
//! nothing before sets. [`Machine::finish`] returns the first fault of all.
//!
//! Threads go through a step in lockstep: the next action in the source is one instruction of all threads of a warp at
//! it ([`Block::step`]). So the model knows which accesses meet in a bank and where a warp diverges.
//!
//! The model leaves out time. Its cycles are the lecture's rule for shared memory (see [`Counts::cycles`]), so they can
//! be computed by hand and compared with the numbers that the lecture prints. Global memory costs nothing there.

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
