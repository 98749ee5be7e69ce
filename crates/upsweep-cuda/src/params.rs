//! What a kernel is given: one list makes the host's struct and the kernel's.
//!
//! `params!` asserts the offset of each field on both sides. The values that functions hold follow the fields.

use super::features::Layout;
use super::job::{Begin, Functions};
use std::mem::MaybeUninit;
use upsweep_core::operator::{MAX_VALUES_BYTES, Values};

/// The parameters that kernels have before what they begin with, as the host and the kernel know them.
pub(super) trait Fixed: Copy {
    /// Where the workspace is in them.
    const WORKSPACE_AT: usize;

    /// The definition of the kernel's struct, with the host's offsets and its `bytes` asserted; it ends with so many bytes of
    /// `values`.
    fn text(bytes: usize, values: usize) -> String;
}

/// Defines the host's struct, of addresses and numbers of 64 bits, and the text of the kernel's. After `alone` a kernel has
/// them without what a job's functions begin with and hold.
macro_rules! params {
    (alone $(#[$doc:meta])* struct $Name:ident { $($(#[$field_doc:meta])* $field:ident: $cuda:tt,)* }) => {
        params!(@host $(#[$doc])* struct $Name { $($(#[$field_doc])* $field: $cuda,)* });

        impl $Name {
            /// The definition of the kernel's struct, with the host's offsets and size asserted.
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

/// The bytes of all of a kernel's parameters; a kernel's are at most 4 KiB.
const MOST_BYTES: usize = 1024 + MAX_VALUES_BYTES;
/// Values begin at a multiple of it, which is the largest alignment there is.
const VALUES_ALIGN: usize = 16;

/// A kernel's parameters: the fixed ones, the initial value, the first result and the values that functions hold.
#[repr(C, align(64))]
pub(super) struct Params([MaybeUninit<u8>; MOST_BYTES]);

impl Params {
    /// Of a kernel whose elements are those of so many `lines` side by side: then they begin alike.
    pub(super) fn new<F: Fixed>(fixed: F, begin: &Begin, lines: usize, values: &Values) -> Self {
        let mut params = Self([MaybeUninit::uninit(); MOST_BYTES]);
        // SAFETY: the buffer is larger than `F`, aligned to 64 bytes, and nobody else's.
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

    /// Where the values of functions begin, where what is combined is of `layout`.
    pub(super) fn values_at<F: Fixed>(layout: Layout, lines: usize) -> usize {
        let begin = size_of::<F>().next_multiple_of(layout.align);
        (begin + 2 * lines * layout.size).next_multiple_of(VALUES_ALIGN)
    }

    /// The size of the kernel's struct, with so many bytes of `values`.
    pub(super) fn bytes<F: Fixed>(layout: Layout, lines: usize, values: usize) -> usize {
        if values > 0 {
            return (Self::values_at::<F>(layout, lines) + values).next_multiple_of(VALUES_ALIGN);
        }
        let begin = size_of::<F>().next_multiple_of(layout.align);
        (begin + 2 * lines * layout.size).next_multiple_of(layout.align.max(align_of::<F>()))
    }
}

/// The most bytes of parameters that end with numbers.
const MOST_BYTES_WITH_NUMBERS: usize = 32 << 10;

/// A kernel's parameters, of which only those that there are have been written.
#[repr(C, align(64))]
pub(super) struct WithNumbers([MaybeUninit<u8>; MOST_BYTES_WITH_NUMBERS]);

impl WithNumbers {
    /// The fixed parameters, and numbers where the values of functions are otherwise.
    pub(super) fn new<F: Fixed, C: Copy>(fixed: F, functions: &Functions<'_>, numbers: &[&[C]]) -> Self {
        let mut params = Self([MaybeUninit::uninit(); MOST_BYTES_WITH_NUMBERS]);
        const { assert!(size_of::<F>() <= MOST_BYTES_WITH_NUMBERS) };
        // SAFETY: there is room for it, aligned, and it is nobody else's.
        unsafe { params.0.as_mut_ptr().cast::<F>().write(fixed) };
        let mut at = Params::values_at::<F>(functions.layouts.acc, 1);
        for &numbers in numbers {
            debug_assert!(at + size_of_val(numbers) <= MOST_BYTES_WITH_NUMBERS);
            if let Some(place) = params.0.get_mut(at..at + size_of_val(numbers)) {
                // SAFETY: so many bytes lie there; numbers have no padding.
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
