//! Parts of an array that are scanned one after the other.

use crate::buffer::{Buffer, on_host};
use crate::carry::{Carry, Operation};
use crate::check::Results;
use crate::kernels::{Buffers, Computed, Options, kernels};
use crate::running::RunningCheck;
use crate::values::copied;
use crate::{Error, Number, Op, Result, Scan, Type, Values, View, ViewMut};
use upsweep::Device;

impl Scan<'_> {
    /// Scans `x`, a part of an array, to `out`, after the parts before it. `carry` has the state after those, and then the
    /// state after this one. The parts have the results of one call on the whole array,
    /// bit for bit if the operator [keeps them](crate::Op::keeps_bits_in_parts). An initial value
    /// comes before the first part alone. In reverse, parts come from the end of the array.
    ///
    /// # Errors
    /// As [`run`](Self::run). [`Error::Carry`] when the carry is of another operator or type. [`Error::Options`] when `out`
    /// has another type than the computation. [`Error::Upsweep`] along an axis of several lines, and with
    /// segments, as [`upsweep::Scan::run_with_carry`].
    pub fn run_part(&self, device: &Device, x: View<'_>, out: ViewMut<'_>, carry: &mut Carry) -> Result<()> {
        let typed = self.common.typed(x)?;
        let x = typed.view();
        let (op, element) = (self.common.op, x.element());
        if out.element() != element {
            let reason = "they have different types: give one of the type in which the scan computes";
            return Err(Error::Options { options: "x and out", reason });
        }
        carry.expect(Operation::Scan, op, element)?;
        let heads = self.common.begin(x.len(), element)?;
        let (x, out) = if op.keeps_bits() { (x.unsigned(), out.unsigned()) } else { (x, out) };
        let offsets = heads.on(device)?;
        let options = Part { exclusive: self.exclusive, reverse: self.reverse, offsets: offsets.as_ref() };
        macro_rules! of_types {
            ($($variant:ident)*) => {
                match (x, out) {
                    $((View::$variant(x), ViewMut::$variant(out)) => {
                        let options = options.typed(self.common.initial(element)?, self.common.axis);
                        run(op, device, &options, x, out, &mut carry.carry)?;
                    })*
                    _ => {}
                }
            };
        }
        of_types! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
        carry.call = Some((Operation::Scan, op, element));
        Ok(())
    }

    /// Makes the [check for overflow](Self::check_overflow) of parts that are scanned one after the other, `len` elements
    /// of type `of` in all, after those of `carry`. Returns `None` if all results fit, whatever the elements are.
    ///
    /// ```
    /// use upsweep_dynamic::{Carry, Error, Op, Scan, Type, View};
    ///
    /// let (scan, carry) = (Scan::new(Op::Sum), Carry::new());
    /// assert!(scan.running_check(&carry, Type::U8, 1)?.is_none());
    /// let mut check = scan.running_check(&carry, Type::U8, 3)?.expect("three may be more than 255");
    /// for (part, fits) in [(View::U8(&[200, 55]), true), (View::U8(&[1]), false)] {
    ///     let extent = check.measure(part)?;
    ///     assert_eq!(check.part(part, extent).is_ok(), fits);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Operator`]; [`Error::Inexact`] for the initial value; [`Error::Carry`] when the carry is of another operator
    /// or type.
    pub fn running_check(&self, carry: &Carry, of: Type, len: usize) -> Result<Option<RunningCheck>> {
        let element = self.common.accumulate.unwrap_or(of);
        self.common.begin(0, element)?;
        let total = self.handed(carry)?.map(Number::Integer);
        let results = Results::Scan { exclusive: self.exclusive, reverse: self.reverse };
        Ok(RunningCheck::new(self.common.op, total, (element, results), (of, len)))
    }

    /// Returns the total of all parts so far, which a scan of integers hands on: before the first part the initial value,
    /// if there is one. `None` for float types.
    fn handed(&self, carry: &Carry) -> Result<Option<i128>> {
        let op = self.common.op;
        let Some((_, _, element)) = carry.call.filter(|_| carry.position() > 0) else {
            return Ok(self.common.init.and_then(Number::integer));
        };
        carry.expect(Operation::Scan, op, element)?;
        // The first result of an exclusive scan is the total before. The carry itself must stay as it is.
        let mut copy = carry.copied()?;
        let (x, mut out) = (Values::zeroed(element, 1)?, Values::zeroed(element, 1)?);
        Scan::new(op).exclusive().run_part(&Device::cpu(), x.view(), out.view_mut(), &mut copy)?;
        crate::with_values!(out, out => Ok(out.first().and_then(|&total| Number::from(total).integer())))
    }
}

/// [`Options`] of a part whose type is not known yet.
struct Part<'a> {
    exclusive: bool,
    reverse: bool,
    offsets: Option<&'a Buffer<'a, u64>>,
}

impl<'a> Part<'a> {
    fn typed<T>(&self, init: Option<T>, axis: Option<(&'a [usize], usize)>) -> Options<'a, T> {
        Options { exclusive: self.exclusive, reverse: self.reverse, init, axis, offsets: self.offsets }
    }
}

fn run<T: Computed>(
    op: Op,
    device: &Device,
    options: &Options<'_, T>,
    x: &[T],
    out: &mut [T],
    carry: &mut upsweep::Carry,
) -> Result<()> {
    if options.reverse {
        // The parts of the reversed array come in its order.
        let mut reversed = copied(x)?;
        reversed.reverse();
        run(op, device, &Options { reverse: false, ..*options }, &reversed, out, carry)?;
        out.reverse();
        return Ok(());
    }
    let (kernels, x) = (kernels::<T>(op)?, Buffer::new(device, x)?);
    if on_host(device) {
        return Ok((kernels.scan)(options, device, Buffers::Part(&x, &mut Buffer::Borrowed(out), carry))?);
    }
    let mut results = Buffer::zeroed(device, out.len())?;
    (kernels.scan)(options, device, Buffers::Part(&x, &mut results, carry))?;
    results.copy_to(out)
}
