//! Parameters of kernels: one list makes the host's struct and the kernel's.
//!
//! `params!` asserts the offset of each field on both sides. Captured values follow the fields.

use super::features::Layout;
use super::job::{Begin, Functions};
use std::mem::MaybeUninit;
use upsweep_core::operator::{MAX_VALUES_BYTES, Values};

/// Fixed parameters of a kernel, which precede its initial value and its captured values.
pub(super) trait Fixed: Copy {
    /// Offset in bytes of the field `workspace` in the kernel's struct of parameters.
    const WORKSPACE_AT: usize;

    /// Returns the C++ definition of the kernel's struct of `bytes` bytes, which ends with `values` bytes of captured
    /// values. The text asserts that the offsets of the fields are the host's, and that the size is `bytes`.
    fn text(bytes: usize, values: usize) -> String;
}

/// Defines the host's struct of a kernel's parameters, whose fields are 64-bit addresses and numbers and a workspace;
/// and the C++ text of the same struct for the kernel. A list that begins with `alone` has neither an initial value nor
/// captured values after it.
macro_rules! params {
    (alone $(#[$doc:meta])* struct $Name:ident { $($(#[$field_doc:meta])* $field:ident: $cuda:tt,)* }) => {
        params!(@host $(#[$doc])* struct $Name { $($(#[$field_doc])* $field: $cuda,)* });

        impl $Name {
            /// Returns the C++ definition of the kernel's struct, which asserts that its offsets and its size are the
            /// host's.
            pub(super) fn text() -> String {
                params!(@text "", $Name, size_of::<Self>(), $($field: $cuda,)*)
            }
        }
    };
    ($(#[$doc:meta])* struct $Name:ident { $($(#[$field_doc:meta])* $field:ident: $cuda:tt,)* }) => {
        params!(@host $(#[$doc])* struct $Name { $($(#[$field_doc])* $field: $cuda,)* });

        impl $crate::params::Fixed for $Name {
            const WORKSPACE_AT: usize = std::mem::offset_of!($Name, workspace);
            fn text(bytes: usize, values: usize) -> String {
                let mut given = "    Acc given_init, given_first;\n".to_owned();
                if values > 0 {
                    given += &format!("    alignas(16) unsigned char given_values[{values}];\n");
                }
                params!(@text given, $Name, bytes, $($field: $cuda,)*)
            }
        }
    };
    (@host $(#[$doc:meta])* struct $Name:ident { $($(#[$field_doc:meta])* $field:ident: $cuda:tt,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub(crate) struct $Name { $($(#[$field_doc])* pub(crate) $field: params!(@type $cuda),)* }
    };
    (@text $given:expr, $Name:ident, $bytes:expr, $($field:ident: $cuda:tt,)*) => {{
        let fields = concat!(
            "#include \"memory/layout.cuh\"\nstruct ", stringify!($Name), " {\n",
            $("    ", $cuda, " ", stringify!($field), ";\n",)*
        );
        let mut text = format!("{fields}{}}};\n", $given);
        $(text += &format!(
            "static_assert(__INTADDR__(&(({0} *)0)->{1}) == {2}, \"{0}: {1}\");\n",
            stringify!($Name), stringify!($field), std::mem::offset_of!($Name, $field),
        );)*
        text += &format!("static_assert(sizeof({0}) == {1}, \"{0}: its size\");\n", stringify!($Name), $bytes);
        text
    }};
    (@type "Workspace") => { $crate::Workspace };
    (@type $number_or_address:tt) => { u64 };
}

pub(super) use params;

/// Capacity in bytes for the parameters of a kernel that end with captured values. It stays below 4 KiB, CUDA's limit
/// before version 12.1.
const MOST_BYTES: usize = 1024 + MAX_VALUES_BYTES;
/// Alignment of the captured values: the largest alignment that a type has.
const VALUES_ALIGN: usize = 16;

/// Parameters of a kernel: the fixed ones, the initial value, the first result and the captured values.
#[repr(C, align(64))]
pub(super) struct Params([MaybeUninit<u8>; MOST_BYTES]);

impl Params {
    /// Returns the parameters of a kernel: its fixed ones, how the scan begins, and the captured values. If the
    /// kernel's elements are arrays, with an element of each of `lines` interleaved lines, all lines have the same
    /// initial value and first result.
    pub(super) fn new<F: Fixed>(fixed: F, begin: &Begin, lines: usize, values: &Values) -> Self {
        let mut params = Self([MaybeUninit::uninit(); MOST_BYTES]);
        // SAFETY: the buffer is larger than `F`, aligned to 64 bytes, and exclusively this function's.
        unsafe { params.0.as_mut_ptr().cast::<F>().write(fixed) };
        let mut at = size_of::<F>().next_multiple_of(begin.layout.align);
        let mut put = |at: usize, bytes: &[MaybeUninit<u8>]| {
            debug_assert!(at + bytes.len() <= MOST_BYTES);
            if let Some(place) = params.0.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        };
        for value in [&begin.init, &begin.first] {
            for _ in 0..lines {
                put(at, value.bytes(begin.layout.size));
                at += begin.layout.size;
            }
        }
        put(Self::values_at::<F>(begin.layout, lines), values.bytes());
        params
    }

    /// Returns the offset of the captured values in bytes, for a kernel that scans `lines` lines as one. `layout` is
    /// that of a partial result, the type of the initial value.
    pub(super) fn values_at<F: Fixed>(layout: Layout, lines: usize) -> usize {
        let begin = size_of::<F>().next_multiple_of(layout.align);
        (begin + 2 * lines * layout.size).next_multiple_of(VALUES_ALIGN)
    }

    /// Returns the size of the kernel's struct in bytes, if it ends with `values` bytes of captured values. `layout`
    /// and `lines` are as in `values_at`.
    pub(super) fn bytes<F: Fixed>(layout: Layout, lines: usize, values: usize) -> usize {
        if values > 0 {
            return (Self::values_at::<F>(layout, lines) + values).next_multiple_of(VALUES_ALIGN);
        }
        let begin = size_of::<F>().next_multiple_of(layout.align);
        (begin + 2 * lines * layout.size).next_multiple_of(layout.align.max(align_of::<F>()))
    }
}

/// Capacity in bytes for the parameters of a kernel that end with numbers, such as the coefficients of a recurrence.
const MOST_BYTES_WITH_NUMBERS: usize = 32 << 10;

/// Parameters of a kernel that end with numbers, such as the coefficients of a recurrence. The rest of the capacity
/// stays uninitialised.
#[repr(C, align(64))]
pub(super) struct WithNumbers([MaybeUninit<u8>; MOST_BYTES_WITH_NUMBERS]);

impl WithNumbers {
    /// Returns the fixed parameters, followed by the lists `numbers` in place of the captured values.
    pub(super) fn new<F: Fixed, C: Copy>(fixed: F, functions: &Functions<'_>, numbers: &[&[C]]) -> Self {
        let mut params = Self([MaybeUninit::uninit(); MOST_BYTES_WITH_NUMBERS]);
        const { assert!(size_of::<F>() <= MOST_BYTES_WITH_NUMBERS) };
        // SAFETY: the buffer is at least as large as `F` (asserted above), aligned to 64 bytes, and exclusively this
        // function's.
        unsafe { params.0.as_mut_ptr().cast::<F>().write(fixed) };
        let mut at = Params::values_at::<F>(functions.layouts.acc, 1);
        for &numbers in numbers {
            debug_assert!(at + size_of_val(numbers) <= MOST_BYTES_WITH_NUMBERS);
            if let Some(place) = params.0.get_mut(at..at + size_of_val(numbers)) {
                // SAFETY: `place` and `numbers` have the same number of bytes (`place` by its range). Numbers have no
                // padding.
                unsafe { place.as_mut_ptr().copy_from(numbers.as_ptr().cast(), size_of_val(numbers)) };
            }
            at += size_of_val(numbers);
        }
        params
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> &[MaybeUninit<u8>] {
        &self.0
    }
}
