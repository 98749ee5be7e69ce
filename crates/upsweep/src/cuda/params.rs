//! What a kernel is given: one list makes the host's struct and the kernel's.

use super::features::Layout;
use super::job::Begin;
use std::mem::MaybeUninit;

/// The parameters that kernels have before what they begin with, as the host and the kernel know them.
pub(super) trait Fixed: Copy {
    /// The definition of the kernel's struct, with the host's offsets and its `bytes` asserted.
    fn text(bytes: usize) -> String;
}

/// Defines the host's struct, of addresses and numbers of 64 bits, and the text of the kernel's.
macro_rules! params {
    ($(#[$doc:meta])* struct $Name:ident { $($(#[$field_doc:meta])* $field:ident: $cuda:tt,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub(super) struct $Name { $($(#[$field_doc])* pub(super) $field: params!(@type $cuda),)* }

        impl $crate::cuda::params::Fixed for $Name {
            fn text(bytes: usize) -> String {
                let mut text = concat!(
                    "#include \"memory/layout.cuh\"\nstruct ", stringify!($Name), " {\n",
                    $("    ", $cuda, " ", stringify!($field), ";\n",)*
                    "    Acc given_init, given_first;\n};\n"
                ).to_owned();
                $(text += &format!(
                    "static_assert(__INTADDR__(&(({0} *)0)->{1}) == {2}, \"{0}: {1}\");\n",
                    stringify!($Name), stringify!($field), std::mem::offset_of!($Name, $field),
                );)*
                text += &format!("static_assert(sizeof({0}) == {bytes}, \"{0}: its size\");\n", stringify!($Name));
                text
            }
        }
    };
    (@type "Workspace") => { $crate::cuda::Workspace };
    (@type $number_or_address:tt) => { u64 };
}

pub(super) use params;

/// The bytes of all of a kernel's parameters; a kernel's are at most 4 KiB.
const MOST_BYTES: usize = 1024;

/// A kernel's parameters: the fixed ones, the initial value and the first result.
#[repr(C, align(64))]
pub(super) struct Params([MaybeUninit<u8>; MOST_BYTES]);

impl Params {
    /// Of a kernel whose elements are those of so many `lines` side by side: then they begin alike.
    pub(super) fn new<F: Fixed>(fixed: F, begin: &Begin, lines: usize) -> Self {
        let mut params = Self([MaybeUninit::uninit(); MOST_BYTES]);
        // SAFETY: the buffer is larger than `F`, aligned to 64 bytes, and nobody else's.
        unsafe { params.0.as_mut_ptr().cast::<F>().write(fixed) };
        let mut at = size_of::<F>().next_multiple_of(begin.layout.align);
        for value in [&begin.init, &begin.first] {
            for _ in 0..lines {
                let bytes = value.bytes(begin.layout.size);
                if let Some(place) = params.0.get_mut(at..at + bytes.len()) {
                    place.copy_from_slice(bytes);
                }
                at += bytes.len();
            }
        }
        debug_assert!(at <= MOST_BYTES);
        params
    }

    /// The size of the kernel's struct, where values are of `layout`.
    pub(super) fn bytes<F: Fixed>(layout: Layout, lines: usize) -> usize {
        let begin = size_of::<F>().next_multiple_of(layout.align);
        (begin + 2 * lines * layout.size).next_multiple_of(layout.align.max(align_of::<F>()))
    }
}
