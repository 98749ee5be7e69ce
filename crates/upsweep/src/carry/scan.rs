//! Scans of an array in parts.

use super::{Call, Carry, numbers};
use crate::device::Device;
use crate::options::Options;
use crate::scan::Scan;
use std::any::TypeId;
use upsweep_core::call::Elements;
use upsweep_core::call::carry;
use upsweep_core::error::{Error, Result};
use upsweep_core::halves::{InF32, sums_in_f32};
use upsweep_core::init::Init;
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::{Function, Map, Operator, Source, Stores};
use upsweep_core::outputs::{Outputs, Write};
use upsweep_core::segments::{Kind, SegmentKind, Segmentation};
use upsweep_core::steps::Parts;

impl<Op, M, F, G, V> Scan<'_, Op, M, F, G, V> {
    /// Scans `input`, a part of an array, into `output`, after the parts before it. `carry` has the state after those, and
    /// then the state after this one: see [`carry`](crate::carry). So an array of any length is scanned in parts, and
    /// they have the results of one call on the whole array. A new carry is that of the first part. An initial value
    /// comes before that, or in each segment.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (mut out, mut carry) = ([0; 3], Carry::new());
    /// Scan::new(Sum).run_with_carry(&device, &[1, 2, 3], &mut out, &mut carry)?;
    /// assert_eq!(out, [1, 3, 6]);
    /// Scan::new(Sum).run_with_carry(&device, &[4, 5, 6], &mut out, &mut carry)?;
    /// assert_eq!(out, [10, 15, 21]);
    ///
    /// // Segments go on, too: the second part begins with the key with which the first ended.
    /// let mut carry = Carry::new();
    /// Scan::new(Sum).segments(Segments::Keys(&[7, 7, 8])).run_with_carry(&device, &[1, 1, 1], &mut out, &mut carry)?;
    /// assert_eq!(out, [1, 2, 1]);
    /// Scan::new(Sum).segments(Segments::Keys(&[8, 8, 9])).run_with_carry(&device, &[1, 1, 1], &mut out, &mut carry)?;
    /// assert_eq!(out, [2, 3, 1]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run). The carry is then as before, unless the device tells an error later. [`Error::Carry`] when
    /// it is of another call. [`Error::Options`] in reverse, which counts from the array's end; with several lines along
    /// an axis; with segments by offsets; and with counted elements.
    pub fn run_with_carry<'x, 'y, X, Y>(&self, device: &Device, input: X, output: Y, carry: &mut Carry) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Outputs<'y>,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        Y::Value: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Value>,
        G: Segmentation,
        V: Init<M::Output>,
    {
        let input = input.given();
        let len = len_of::<X::Item>(&input)?;
        self.expect_parts(len, X::Item::COUNTED)?;
        let call = || self.call::<X::Item, Y::Item>();
        let types = TypeId::of::<(Op, M, M::Output, F, X::Value, Y::Value, G::Key, G::Same)>();
        let words = const { words::<X::Item, Y::Item, Op, M, F, G>() };
        let any_bits = numbers::<M::Output>() && (G::KIND as u8 != Kind::Keys as u8 || numbers::<G::Key>());
        let carried = carry.open(device, (Some((types, G::KIND)), &call), words, any_bits)?;
        self.dispatch::<X::Item, Y::Item>(device, Elements::Given(input), output.given(), len, Some(carried))?;
        carry.advance(len);
        Ok(())
    }

    /// Checks that an array of this scan may have parts that are scanned one after the other.
    fn expect_parts(&self, len: usize, counted: bool) -> Result<()>
    where
        G: Segmentation,
    {
        let Options { axis, .. } = self.options;
        let lines = self.options.shape(len)?.lines();
        let reason = match G::KIND {
            _ if self.direction.reverse => "it counts from the array's end, which is not known: scan the parts forward",
            Kind::Offsets => "they are of the whole array: give head flags or keys",
            _ if axis.is_some() && lines > 1 => "each line has a carry of its own: scan the lines by themselves",
            _ if counted => "the device knows how many they are: give a slice of them",
            _ => return Ok(()),
        };
        Err(Error::Options { options: "a part of an array", reason })
    }

    /// Returns what calls that share a carry with this one have in common.
    fn call<I, O>(&self) -> Call
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        G: Segmentation,
    {
        use std::any::type_name as name;
        let Options { operator, map, .. } = self.options;
        let mut source = Source::new();
        map.cuda_function(&mut source);
        operator.cuda_function(&mut source);
        let segments = match self.options.segments.kind() {
            SegmentKind::Keys(_, same) => {
                same.cuda_function(&mut source);
                format!(" by keys of {}", name::<G::Key>())
            }
            SegmentKind::HeadFlags(_) => " by head flags".to_owned(),
            SegmentKind::Whole | SegmentKind::Offsets(_) => String::new(),
        };
        let (operator, value) = (name::<Op>(), name::<M::Output>());
        let types = format!("{} to {}", name::<I::Value>(), name::<O::Value>());
        Call::new(&format!("a scan by {operator} of {value} from {types}{segments}"), &source)
    }
}

/// Returns the number of words of the state of a scan by `Op`.
const fn words<I, O, Op, M, F, G>() -> usize
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
    G: Segmentation,
{
    if sums_in_f32::<M::Output, Op>() {
        carry::words::<InF32<I, O, Op, M, F>, G>()
    } else {
        carry::words::<Parts<I, O, Op, M, F>, G>()
    }
}
