//! Blelloch's scan with a division in every round: the exclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁. It does the same steps as
//! `blelloch`, and its CUDA kernel asks for what the course says in words: threads 0 to n / (2 stride) - 1 work.
//!
//! ```text
//!             d, which is halved    n / (2 stride)
//!    round 1  t < 256               t < 512 / 2
//!    round 2  t < 128               t < 512 / 4
//!    round 3  t < 64                t < 512 / 8      the same threads
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[i] = x[i]                                 two elements a thread  # load
//! for stride = 1, 2, ..., n/2:
//!     barrier
//!     if t < n / (2 stride):                                         # up
//!         right = 2 stride (t + 1) - 1,  left = right - stride
//!         s[right] = s[left] ⊕ s[right]
//! barrier
//! if t == 0: s[n - 1] = identity                                     # root
//! for stride = n/2, ..., 2, 1:
//!     barrier
//!     if t < n / (2 stride):                                         # down
//!         right = 2 stride (t + 1) - 1,  left = right - stride
//!         old = s[left]
//!         s[left] = s[right]
//!         s[right] = s[right] ⊕ old
//! barrier
//! y[i] = s[i]                                                        # store
//! ```
//!
//! # Cost
//!
//! That of `blelloch`: the model counts no instructions.
//!
//! # On a GPU
//!
//! For 2²⁶ elements on an H200 this kernel takes 1003 µs, and padded 978 µs; `blelloch` takes 747 µs and 537 µs. The
//! compiler does not know that the stride is a power of two, so a round divides: 18 of its 28 to 33 instructions, in
//! every warp, idle or not. The kernel waits for its instructions, and the turns of shared memory pass meanwhile. So a
//! division costs more than all conflicts, and hides them: padding saves 2 % here, and 28 % there.
//!
//! # What differs from the course
//!
//! It says so of the threads that work, and its code has no division: it asks whether 2 stride (t + 1) - 1 lies below
//! n. The form is here because it is easily written, and because a race of it alone would teach that padding does not
//! pay.

pub(super) use super::blelloch::run;
