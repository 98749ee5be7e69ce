//! What a kernel is given: one list makes the host's struct and the kernel's.

use super::features::Layout;
use super::job::Begin;
use std::mem::MaybeUninit;

/// The parameters that kernels have before what they begin with, as the host and the kernel know them.
pub(super) trait Fixed: Copy {
    /// The definition of the kernel's struct, with the host's offsets asserted.
    fn text() -> String;
}

/// Defines the host's struct, of addresses and numbers of 64 bits, and the text of the kernel's.
macro_rules! params {
    ($(#[$doc:meta])* struct $Name:ident { $($(#[$field_doc:meta])* $field:ident: $cuda:tt,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub(super) struct $Name { $($(#[$field_doc])* pub(super) $field: params!(@type $cuda),)* }

        impl $crate::cuda::params::Fixed for $Name {
            fn text() -> String {
                let mut text = concat!(
                    "#include \"memory/layout.cuh\"\nstruct ", stringify!($Name), " {\n",
                    $("    ", $cuda, " ", stringify!($field), ";\n",)*
                    "    Acc given_init, given_first;\n};\n"
                ).to_owned();
                $(text += &format!(
                    "static_assert(__INTADDR__(&(({0} *)0)->{1}) == {2}, \"{0}: {1}\");\n",
                    stringify!($Name), stringify!($field), std::mem::offset_of!($Name, $field),
                );)*
                text
            }
        }
    };
    (@type "Workspace") => { $crate::cuda::Workspace };
    (@type $number_or_address:tt) => { u64 };
}

params! {
    /// Of the kernels that scan tiles.
    struct ScanParams {
        input: "const In*",
        output: "Out*",
        /// Elements.
        n: "u64",
        /// ROWS: elements a row.
        row: "u64",
        /// See `row_of` in `tile/heads.cuh`.
        row_reciprocal: "u64",
        /// The bits 0, row, 2 * row, ... below 64.
        row_pattern: "u64",
        /// FLAGS: an element's flag; KEYS: its key.
        head_source: "const void*",
        /// OFFSETS: segments + 1 of them.
        offsets: "const Offset*",
        segments: "u64",
        /// OFFSETS: how many of them each tile checks.
        share: "u64",
        /// A reduction stores no result beyond this.
        outputs: "u64",
        /// Null, or where a reduction by flags or keys stores the number of segments.
        count: "u64*",
        /// Null, or where a scan of the whole array stores what follows it.
        carry: "Given*",
        /// Null, or where the initial value lies.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

params! {
    /// Of the reduction of a whole array.
    struct ReduceParams {
        input: "const In*",
        output: "Out*",
        /// Elements.
        n: "u64",
        /// Elements a part; a multiple of a block's step.
        part: "u64",
        /// Whether to leave in the L2 cache what is there.
        streamed: "u64",
        /// Null, or where the initial value lies.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

params! {
    /// Of the kernel of interleaved lines.
    struct ColumnsParams {
        input: "const In*",
        output: "Out*",
        /// Or chunks of lines; a multiple of VECTOR, as `inner` is where VECTOR is not 1.
        lines: "u64",
        /// Elements a line.
        len: "u64",
        /// Lines that are interleaved with each other.
        inner: "u64",
        /// Elements a chunk, of which the last one of a line may have fewer.
        chunk: "u64",
        /// Chunks a line.
        chunks: "u64",
        /// Null, or for each chunk of each line the inclusive prefix at its end.
        prefixes: "const Acc*",
        /// Null, or where the initial value lies.
        init_from: "const Given*",
    }
}

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
