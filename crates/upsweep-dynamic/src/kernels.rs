//! Compiled calls of the library: one function for each pair of a type and an operator.
//!
//! The pairs are 51 instead of 71, because signed integers are computed as unsigned ones where their bits are the same.
//!
//! Every call runs through these functions, the command line's `bench` too. A pair takes a second or two to compile, so
//! there are few of them. Flags and keys become offsets on the host, so that there is one kind of segments.

use crate::buffer::Buffer;
use crate::{Error, Op, Value};
use half::f16;
use upsweep::operator::Same;
use upsweep::operator::builtin::{And, Max, Min, Or, Product, Sum, Xor};
use upsweep::segments::Segmentation;
use upsweep::{Carry, Device, Init, Operator, Reduce, Result, Scan, Segments};

/// Options of a scan or reduction of elements of type `T`, the same for every operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a, T> {
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
    pub(crate) init: Option<T>,
    pub(crate) axis: Option<(&'a [usize], usize)>,
    /// Offsets of the segments, if there are any.
    pub(crate) offsets: Option<&'a Buffer<'a, u64>>,
}

/// Input and output of a scan: two buffers, or one in place, or two of a part of an array.
#[derive(Debug)]
pub(crate) enum Buffers<'a, 'x, 'y, T: Clone> {
    Apart(&'a Buffer<'x, T>, &'a mut Buffer<'y, T>),
    InPlace(&'a mut Buffer<'y, T>),
    Part(&'a Buffer<'x, T>, &'a mut Buffer<'y, T>, &'a mut Carry),
}

/// Input and output of a reduction: two buffers, or two of a part of an array.
#[derive(Debug)]
pub(crate) enum Total<'a, 'x, 'y, T: Clone> {
    Whole(&'a Buffer<'x, T>, &'a mut Buffer<'y, T>),
    Part(&'a Buffer<'x, T>, &'a mut Buffer<'y, T>, &'a mut Carry),
}

/// Functions compiled for one operator on elements of type `T`.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<T: Value> {
    pub(crate) scan: fn(&Options<'_, T>, &Device, Buffers<'_, '_, '_, T>) -> Result<()>,
    pub(crate) reduce: fn(&Options<'_, T>, &Device, Total<'_, '_, '_, T>) -> Result<()>,
    pub(crate) plain_scan: fn(&[T], &mut [T]),
    pub(crate) plain_reduce: fn(&[T]) -> Option<T>,
}

impl<T: Value> Kernels<T> {
    fn new<O: Operator<T> + Default>() -> Self {
        Self {
            scan: scan::<T, O>,
            reduce: reduce::<T, O>,
            plain_scan: plain_scan::<T, O>,
            plain_reduce: plain_reduce::<T, O>,
        }
    }
}

fn scan<T: Value, O: Operator<T> + Default>(
    options: &Options<'_, T>,
    device: &Device,
    buffers: Buffers<'_, '_, '_, T>,
) -> Result<()> {
    let mut scan = Scan::new(O::default());
    if options.exclusive {
        scan = scan.exclusive();
    }
    if options.reverse {
        scan = scan.reverse();
    }
    if let Some((shape, axis)) = options.axis {
        scan = scan.axis(shape, axis);
        if axis + 1 == shape.len() {
            scan = scan.portable();
        }
    }
    match (options.offsets, options.init) {
        (None, None) => run_scan(&scan, device, buffers),
        (None, Some(init)) => run_scan(&scan.init(init), device, buffers),
        (Some(offsets), None) => run_scan(&scan.segments(Segments::Offsets(offsets)), device, buffers),
        (Some(offsets), Some(init)) => run_scan(&scan.segments(Segments::Offsets(offsets)).init(init), device, buffers),
    }
}

fn run_scan<T: Value, O: Operator<T>, S: Segmentation, V: Init<T>>(
    scan: &Scan<'_, O, Same, Same, S, V>,
    device: &Device,
    buffers: Buffers<'_, '_, '_, T>,
) -> Result<()> {
    match buffers {
        Buffers::Apart(input, output) => scan.run(device, input, output),
        Buffers::InPlace(data) => scan.run_in_place(device, data),
        Buffers::Part(input, output, carry) => scan.run_with_carry(device, input, output, carry),
    }
}

fn reduce<T: Value, O: Operator<T> + Default>(
    options: &Options<'_, T>,
    device: &Device,
    total: Total<'_, '_, '_, T>,
) -> Result<()> {
    let mut reduce = Reduce::new(O::default());
    if let Some((shape, axis)) = options.axis {
        reduce = reduce.axis(shape, axis);
    }
    let (input, output) = match total {
        Total::Whole(input, output) => (input, output),
        // A part has no segments: the caller checks that.
        Total::Part(input, output, carry) => {
            return match options.init {
                None => reduce.run_with_carry(device, input, output, carry),
                Some(init) => reduce.init(init).run_with_carry(device, input, output, carry),
            };
        }
    };
    match (options.offsets, options.init) {
        (None, None) => reduce.run(device, input, output),
        (None, Some(init)) => reduce.init(init).run(device, input, output),
        (Some(offsets), None) => reduce.segments(Segments::Offsets(offsets)).run(device, input, output),
        (Some(offsets), Some(init)) => {
            reduce.segments(Segments::Offsets(offsets)).init(init).run(device, input, output)
        }
    }
}

/// Computes the inclusive scan of `x` by a sequential loop: the baseline of upsweep's measurements.
fn plain_scan<T: Value, O: Operator<T> + Default>(x: &[T], out: &mut [T]) {
    let operator = O::default();
    let mut so_far: Option<T> = None;
    for (x, out) in x.iter().zip(out) {
        let with = so_far.map_or(*x, |so_far| operator.combine(so_far, *x));
        *out = with;
        so_far = Some(with);
    }
}

fn plain_reduce<T: Value, O: Operator<T> + Default>(x: &[T]) -> Option<T> {
    let operator = O::default();
    x.iter().copied().reduce(|a, b| operator.combine(a, b))
}

/// Returns the compiled functions of `op` for `T`.
pub(crate) fn kernels<T: Computed>(op: Op) -> std::result::Result<Kernels<T>, Error> {
    T::kernels(op).ok_or(Error::Operator { op, element: T::TYPE })
}

/// Element type, with the operators that are compiled for it.
pub(crate) trait Computed: Value {
    /// Returns the functions compiled for `op`. There are none if the type does not have the operator, or if the
    /// unsigned type of the same size computes the same bits.
    fn kernels(op: Op) -> Option<Kernels<Self>>;
}

macro_rules! compiled {
    ($($($t:ident)*: $ops:tt;)*) => { $(compiled! { @types $ops $($t)* })* };
    (@types $ops:tt $($t:ident)*) => { $(compiled! { @one $t $ops })* };
    (@one $t:ident [$($op:ident)*]) => {
        impl Computed for $t {
            fn kernels(op: Op) -> Option<Kernels<Self>> {
                match op {
                    $(Op::$op => Some(Kernels::new::<$op>()),)*
                    #[allow(unreachable_patterns, reason = "some types have every operator")]
                    _ => None,
                }
            }
        }
    };
}
compiled! {
    u8 u16 u32 u64: [Sum Product Min Max And Or Xor];
    i8 i16 i32 i64: [Min Max];
    f16 f32 f64: [Sum Product Min Max];
    bool: [And Or Xor];
}
