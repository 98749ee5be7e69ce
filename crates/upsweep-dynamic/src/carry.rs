//! Carry: what a call on a part of an array hands on to the call on the part that follows.

use crate::{Error, Op, Result, Type};

/// Kind of call that hands on a carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// [`Scan`](crate::Scan)
    Scan,
    /// [`Reduce`](crate::Reduce)
    Reduction,
}

impl Operation {
    const ALL: [Self; 2] = [Self::Scan, Self::Reduction];

    /// Returns the word for the kind.
    fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Reduction => "reduction",
        }
    }
}

/// State that the call on a part of an array hands on to the call on the part that follows: an [`upsweep::Carry`], with the
/// kind of call, the operator and the type of the computation.
///
/// ```
/// use upsweep_dynamic::{Carry, Op, Scan, Values, View};
///
/// let device = upsweep::Device::cpu();
/// let (scan, mut carry) = (Scan::new(Op::Sum), Carry::new());
/// let mut results = Values::U32(vec![0; 3]);
/// scan.run_part(&device, View::U32(&[3, 1, 7]), results.view_mut(), &mut carry)?;
///
/// let mut carry = Carry::from_bytes(&carry.to_bytes()?)?; // to a file, and on another day
/// scan.run_part(&device, View::U32(&[0, 4, 1]), results.view_mut(), &mut carry)?;
/// assert_eq!((results, carry.position()), (Values::U32(vec![11, 15, 16]), 6));
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
#[derive(Debug, Default)]
#[must_use = "a carry does nothing until a call takes it"]
pub struct Carry {
    /// Kind, operator and type of the calls so far; `None` before the first.
    pub(crate) call: Option<(Operation, Op, Type)>,
    pub(crate) carry: upsweep::Carry,
}

impl Carry {
    /// Makes the carry of the first part of an array.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of elements of all parts so far.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.carry.position()
    }

    /// Returns the carry as bytes: a line of text with the kind, the operator and the type, then those of [`upsweep::Carry::to_bytes`].
    /// The line tells signed integers from unsigned ones, which are computed by the same functions.
    ///
    /// # Errors
    /// [`Error::Carry`] before the first part; [`Error::Upsweep`] for `bool`, whose carry stays in memory, and with the fault
    /// of the device.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let Some((operation, op, element)) = self.call else {
            return Err(Error::Carry { reason: "is of no part yet".to_owned() });
        };
        let mut bytes = line(operation, op, element).into_bytes();
        bytes.extend(self.carry.to_bytes()?);
        Ok(bytes)
    }

    /// Makes a carry of the bytes that [`to_bytes`](Self::to_bytes) returned. They are not trusted.
    ///
    /// # Errors
    /// [`Error::Carry`] when the bytes do not begin as those of a carry do; [`Error::Upsweep`] as
    /// [`upsweep::Carry::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let known = |call: (Operation, Op, Type)| {
            let rest = bytes.strip_prefix(line(call.0, call.1, call.2).as_bytes());
            rest.map(|rest| (call, rest))
        };
        let pairs = Op::ALL.iter().flat_map(|&op| Type::ALL.iter().map(move |&element| (op, element)));
        let calls = pairs.flat_map(|(op, element)| Operation::ALL.map(|operation| (operation, op, element)));
        let Some((call, rest)) = calls.filter_map(known).next() else {
            let reason = "does not begin as one of a scan or reduction: it is another file, or cut off".to_owned();
            return Err(Error::Carry { reason });
        };
        Ok(Self { call: Some(call), carry: upsweep::Carry::from_bytes(rest)? })
    }

    /// Copies the carry. Fails for `bool`, as [`to_bytes`](Self::to_bytes) does.
    pub(crate) fn copied(&self) -> Result<Self> {
        Ok(Self { call: self.call, carry: upsweep::Carry::from_bytes(&self.carry.to_bytes()?)? })
    }

    /// Fails if calls of another kind, or with another operator or type, have used the carry.
    ///
    /// # Errors
    /// [`Error::Carry`]
    pub fn expect(&self, operation: Operation, op: Op, element: Type) -> Result<()> {
        match self.call {
            Some(call) if call != (operation, op, element) => {
                let (kind, (other, with, of)) = (operation.name(), call);
                let other = other.name();
                let reason =
                    format!("is of a {other} with {with} in {of}, and this is a {kind} with {op} in {element}");
                Err(Error::Carry { reason })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the line before the bytes of a carry.
fn line(operation: Operation, op: Op, element: Type) -> String {
    format!("upsweep {} {op} {element}\n", operation.name())
}
