//! Lines that are one element longer than those of the input: the border of a scan along axes.

use crate::device::{Backend, Device};
#[cfg(feature = "cuda")]
use crate::options::Options;
use crate::scan::Scan;
use upsweep_core::buffer::Input;
use upsweep_core::call::Elements;
#[cfg(feature = "cuda")]
use upsweep_core::call::Job;
use upsweep_core::error::Result;
#[cfg(feature = "cuda")]
use upsweep_core::halves::{InF32, sums_in_f32};
#[cfg(feature = "cuda")]
use upsweep_core::init::InitSource;
#[cfg(feature = "cuda")]
use upsweep_core::inputs::{Apply, Gather, Inputs};
use upsweep_core::memory;
use upsweep_core::operator::{Element, Map, Operator};
#[cfg(feature = "cuda")]
use upsweep_core::operator::{Same, function};
use upsweep_core::outputs::Target;
#[cfg(feature = "cuda")]
use upsweep_core::segments::{SegmentKind, Whole};
#[cfg(feature = "cuda")]
use upsweep_core::steps::Parts;
#[cfg(feature = "cuda")]
use upsweep_cuda::Cuda;

/// Index of the input's element to read for index `at` of an array whose lines are padded by one element. The padding
/// reads the line's last element; its value does not matter.
#[cfg(feature = "cuda")]
#[function]
fn before_border(#[param] len: u64, #[param] inner: u64, at: u64) -> u64 {
    let line = (len + 1) * inner;
    let rest = at % line;
    let along = rest / inner;
    let inside = if along < len { along } else { len - 1 };
    (at / line * len + inside) * inner + rest % inner
}

/// Scans lines of `len` elements, `inner` lines interleaved, as lines padded by one element of any value.
pub(super) fn longer<X, O, Op, M>(
    device: &Device,
    scan: &Scan<'_, Op, M>,
    input: &X,
    (len, inner): (usize, usize),
    output: Target<'_, O>,
) -> Result<()>
where
    X: Input + ?Sized,
    O: Element,
    M: Map<X::Item, Output = O>,
    Op: Operator<O>,
{
    match &device.0 {
        Backend::Cpu => {
            let x = input.view().on_host("input")?;
            let mut longer = memory::room(x.len() / len * (len + 1))?;
            for lines in x.chunks_exact(len * inner) {
                longer.extend_from_slice(lines);
                longer.extend_from_slice(&lines[(len - 1) * inner..]);
            }
            scan.dispatch::<X::Item, O>(device, Elements::Given(longer.view()), output, longer.len(), None)
        }
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => {
            let (count, len, inner) = (output.len() as u64, len as u64, inner as u64);
            let input = Gather::of(input).at(Apply(BeforeBorder { len, inner }, 0..count));
            on_cuda(cuda, scan, input, output)
        }
    }
}

/// Runs [`Scan::run`] on a CUDA device only: nothing is compiled for the CPU.
#[cfg(feature = "cuda")]
fn on_cuda<'x, X, O, Op, M>(cuda: &Cuda, scan: &Scan<'_, Op, M>, input: X, output: Target<'_, O>) -> Result<()>
where
    X: Inputs<'x>,
    O: Element,
    M: Map<X::Value, X::Args, Output = O>,
    Op: Operator<O>,
{
    let Options { operator, map, .. } = scan.options;
    let shape = scan.options.shape(output.len())?;
    let (input, init, segments) = (Elements::Given(input.given()), InitSource::None, SegmentKind::Whole);
    let steps = Parts::<X::Item, O, Op, M, Same>::new(operator, map, Same);
    if const { sums_in_f32::<O, Op>() } {
        let job = Job::<_, Whole> { input, output, shape, init, segments, steps: InF32(steps) };
        upsweep_cuda::scan::run(cuda, job, scan.direction, None)
    } else {
        let job = Job::<_, Whole> { input, output, shape, init, segments, steps };
        upsweep_cuda::scan::run(cuda, job, scan.direction, None)
    }
}

/// Copies an array of `shape` into one of the shape `padded`, where an axis may have one more element at its start.
pub(super) fn pad<O: Element>(x: &[O], shape: &[usize], padded: &[usize], identity: O, y: &mut [O]) {
    let ([n, rest @ ..], [m, larger @ ..]) = (shape, padded) else { return y.copy_from_slice(x) };
    let (one, of): (usize, usize) = (rest.iter().product(), larger.iter().product());
    let (border, y) = y.split_at_mut((m - n) * of);
    border.fill(identity);
    if rest == larger {
        y.copy_from_slice(x);
    } else if one == 0 {
        y.fill(identity);
    } else {
        for (x, y) in x.chunks_exact(one).zip(y.chunks_exact_mut(of)) {
            pad(x, rest, larger, identity, y);
        }
    }
}
