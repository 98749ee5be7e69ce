//! Reductions of an array in parts.

use super::{Call, Carry, numbers};
use crate::device::{Backend, Device};
use crate::options::{Options, expect_identity, expect_length};
use crate::reduce::Reduce;
use std::any::{TypeId, type_name};
use upsweep_core::call::carry::{self, Carried};
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
use upsweep_core::halves::{InF32, sums_in_f32};
use upsweep_core::init::{Init, InitSource};
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::{Function, Map, Operator, Source, Stores};
use upsweep_core::outputs::{Outputs, Write};
use upsweep_core::segments::{Kind, SegmentKind, Whole};
use upsweep_core::shape::Shape;
use upsweep_core::steps::{JobSteps, Parts};

impl<Op, M, F, V> Reduce<'_, Op, M, F, Whole, V> {
    /// Reduces `input`, a part of an array, after the parts before it, and stores the total of all of them in `output`, one
    /// element. `carry` has the state after the parts before, and then the state after this one: see
    /// [`carry`](crate::carry). So an array of any length is reduced in parts, and the total is that of one call on the
    /// whole array. A new carry is that of the first part. An initial value comes before that.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let x: Vec<f32> = (0..100_000).map(|i| (i % 10) as f32 * 0.1).collect();
    /// let (mut total, mut carry) = ([0.0], Carry::new());
    /// for part in x.chunks(12_345) {
    ///     Reduce::new(Sum).run_with_carry(&device, part, &mut total, &mut carry)?;
    /// }
    /// assert_eq!(total[0], device.reduce(&x, Sum)?); // the same bits
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// On CUDA float sums and products take a launch for each subtree of the tree that a part has: one for parts whose
    /// ends are multiples of a large power of two, up to some forty for others.
    ///
    /// # Errors
    /// As [`run`](Self::run). The carry is then as before, unless the device tells an error later. [`Error::Carry`] when
    /// it is of another call. [`Error::Options`] with an axis, and with counted elements.
    pub fn run_with_carry<'x, 'y, X, Y>(&self, device: &Device, input: X, output: Y, carry: &mut Carry) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Outputs<'y>,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        Y::Value: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Value>,
        V: Init<M::Output>,
    {
        let (input, output) = (input.given(), output.given());
        let len = len_of::<X::Item>(&input)?;
        let Options { operator, map, finish, axis, .. } = self.options;
        let refused = |reason| Err(Error::Options { options: "a part of an array", reason });
        if axis.is_some() {
            return refused("each line has a total of its own: reduce the lines by themselves");
        }
        if X::Item::COUNTED {
            return refused("the device knows how many they are: give a slice of them");
        }
        if let Some(found) = Y::Item::len(&output, "output")? {
            expect_length("output", found, 1)?;
        }
        let init = self.options.init.source();
        if len == 0 && carry.position() == 0 {
            expect_identity(&operator, !init.is_none(), "a reduction of what may be empty")?;
        }
        let types = TypeId::of::<(Reduce<'static, Op, M, F>, M::Output, X::Value, Y::Value)>();
        let words = const { words::<X::Item, Y::Item, Op, M, F>() };
        let call = || call::<X::Item, Y::Item, Op, M>(&operator, &map);
        let carried = carry.open(device, (Some((types, Kind::Whole)), &call), words, numbers::<M::Output>())?;
        let (shape, input) = (Shape::line(len), Elements::Given(input));
        let steps = Parts::<X::Item, Y::Item, Op, M, F>::new(operator, map, finish);
        if const { sums_in_f32::<M::Output, Op>() } {
            run(device, input, (output, shape, init), InF32(steps), carried)?;
        } else {
            run(device, input, (output, shape, init), steps, carried)?;
        }
        carry.advance(len);
        Ok(())
    }
}

/// Reduces a part on its backend.
fn run<'x, 'y, 'a, S: JobSteps>(
    device: &Device,
    input: Elements<'x, S::In>,
    (output, shape, init): (<S::Out as Write>::Given<'y>, Shape, InitSource<'a, S::Given>),
    steps: S,
    carried: Carried<'_>,
) -> Result<()> {
    let job = Job { input, output, shape, init, segments: SegmentKind::Whole, steps };
    match &device.0 {
        Backend::Cpu => upsweep_cpu::reduce::run_part(job, carried),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => upsweep_cuda::reduce::run_part(cuda, job, carried),
    }
}

/// Returns what calls that share a carry with this one have in common.
fn call<I, O, Op, M>(operator: &Op, map: &M) -> Call
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
{
    let mut source = Source::new();
    map.cuda_function(&mut source);
    operator.cuda_function(&mut source);
    let (operator, value) = (type_name::<Op>(), type_name::<M::Output>());
    let types = format!("{} to {}", type_name::<I::Value>(), type_name::<O::Value>());
    Call::new(&format!("a reduction by {operator} of {value} from {types}"), &source)
}

/// Returns the number of words of the state of a reduction by `Op`.
const fn words<I, O, Op, M, F>() -> usize
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
{
    if sums_in_f32::<M::Output, Op>() {
        carry::words_of_total::<InF32<I, O, Op, M, F>>()
    } else {
        carry::words_of_total::<Parts<I, O, Op, M, F>>()
    }
}
