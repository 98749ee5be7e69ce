//! Elements and operators in CUDA C++.

use crate::machine::Word;
use crate::operator::Affine;
use cudarc::driver::CudaSlice;
use upsweep::prelude::{Max, Sum};
use upsweep::{Device, Element, Scan, operator};

/// Composition of x -> m x + c, the left function first, as the library's own scan takes it.
#[operator(identity = Affine { m: 1, c: 0 })]
fn then(f: Affine, g: Affine) -> Affine {
    Affine { m: g.m.wrapping_mul(f.m), c: g.m.wrapping_mul(f.c).wrapping_add(g.c) }
}

/// Element that the kernels can combine.
pub trait GpuElement: Word + Element {
    /// Definition of type T in CUDA C++; then each operator: its name, its identity, and the body of `combine(a, b)`.
    #[doc(hidden)]
    const CUDA: (&'static str, &'static [(&'static str, &'static str, &'static str)]);
    /// Enqueues the library's own inclusive scan of `n` elements.
    #[doc(hidden)]
    fn library_scan(
        operator: &str,
        device: &Device,
        input: &CudaSlice<u8>,
        output: &mut CudaSlice<u8>,
        n: usize,
    ) -> upsweep::Result<()>;
    /// Converts elements to their bytes in memory.
    #[doc(hidden)]
    fn to_bytes(values: &[Self]) -> Vec<u8>;
    /// Converts bytes in memory to elements.
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
}

/// Runs the library's inclusive scan of `n` elements on buffers of bytes.
fn scan<T: Element, O: upsweep::Operator<T>>(
    operator: O,
    device: &Device,
    input: &CudaSlice<u8>,
    output: &mut CudaSlice<u8>,
    n: usize,
) -> upsweep::Result<()> {
    // SAFETY: any bytes are elements of the laboratory's types, and the driver aligns allocations for all of them.
    let (input, output) = unsafe { (input.transmute::<T>(n), output.transmute_mut::<T>(n)) };
    match (input, output) {
        (Some(input), Some(mut output)) => Scan::new(operator).run(device, &input, &mut output),
        _ => Err(upsweep::Error::Length { what: "output", found: 0, expected: n }),
    }
}

macro_rules! integers {
    ($($integer:ty, $cuda:literal, $unsigned:literal, $least:literal);*) => {$(
        impl GpuElement for $integer {
            const CUDA: (&'static str, &'static [(&'static str, &'static str, &'static str)]) = (
                concat!("using T = ", $cuda, ";\n"),
                &[
                    ("sum", "0", concat!("(T)((", $unsigned, ")a + (", $unsigned, ")b)")),
                    ("max", $least, "a > b ? a : b"),
                ],
            );

            fn library_scan(
                operator: &str,
                device: &Device,
                input: &CudaSlice<u8>,
                output: &mut CudaSlice<u8>,
                n: usize,
            ) -> upsweep::Result<()> {
                match operator {
                    "max" => scan::<Self, _>(Max, device, input, output, n),
                    _ => scan::<Self, _>(Sum, device, input, output, n),
                }
            }

            fn to_bytes(values: &[Self]) -> Vec<u8> {
                values.iter().flat_map(|value| value.to_ne_bytes()).collect()
            }

            fn from_bytes(bytes: &[u8]) -> Vec<Self> {
                bytes.as_chunks().0.iter().map(|&bytes| Self::from_ne_bytes(bytes)).collect()
            }
        }
    )*};
}
integers! {
    i32, "int", "unsigned int", "-2147483647 - 1";
    i64, "long long", "unsigned long long", "-9223372036854775807ll - 1"
}

impl GpuElement for Affine {
    const CUDA: (&'static str, &'static [(&'static str, &'static str, &'static str)]) =
        ("struct T { unsigned long long m, c; };\n", &[("affine", "T{1, 0}", "T{b.m * a.m, b.m * a.c + b.c}")]);

    fn library_scan(
        _: &str,
        device: &Device,
        input: &CudaSlice<u8>,
        output: &mut CudaSlice<u8>,
        n: usize,
    ) -> upsweep::Result<()> {
        scan::<Self, _>(Then, device, input, output, n)
    }

    fn to_bytes(values: &[Self]) -> Vec<u8> {
        values.iter().flat_map(|value| [value.m.to_ne_bytes(), value.c.to_ne_bytes()]).flatten().collect()
    }

    fn from_bytes(bytes: &[u8]) -> Vec<Self> {
        let numbers = i64::from_bytes(bytes);
        numbers.as_chunks().0.iter().map(|&[m, c]| Self { m, c }).collect()
    }
}
