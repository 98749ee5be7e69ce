//! Carry: what a call on a part of an array hands on to the call on the part that follows.

use crate::{Error, Op, Result, Type};

/// First word of the line with which the bytes of a carry begin.
const OPERATION: &str = "scan";

/// State that the scan of a part of an array hands on to the scan of the part that follows: an [`upsweep::Carry`], with the
/// operator and the type of the computation.
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
    /// Operator and type of the calls so far; `None` before the first.
    pub(crate) call: Option<(Op, Type)>,
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

    /// Returns the carry as bytes: a line of text with the operator and the type, then those of [`upsweep::Carry::to_bytes`].
    /// The line tells signed integers from unsigned ones, which are computed by the same functions.
    ///
    /// # Errors
    /// [`Error::Carry`] before the first part; [`Error::Upsweep`] for `bool`, whose carry stays in memory, and with the fault
    /// of the device.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let Some((op, element)) = self.call else {
            return Err(Error::Carry { reason: "is of no part yet".to_owned() });
        };
        let mut bytes = line(op, element).into_bytes();
        bytes.extend(self.carry.to_bytes()?);
        Ok(bytes)
    }

    /// Makes a carry of the bytes that [`to_bytes`](Self::to_bytes) returned. They are not trusted.
    ///
    /// # Errors
    /// [`Error::Carry`] when the bytes do not begin as those of a carry do; [`Error::Upsweep`] as
    /// [`upsweep::Carry::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let known = |op, element| bytes.strip_prefix(line(op, element).as_bytes()).map(|rest| ((op, element), rest));
        let pairs = Op::ALL.iter().flat_map(|&op| Type::ALL.iter().map(move |&element| (op, element)));
        let Some((call, rest)) = pairs.filter_map(|(op, element)| known(op, element)).next() else {
            let reason = "does not begin as one of a scan: it is another file, or cut off".to_owned();
            return Err(Error::Carry { reason });
        };
        Ok(Self { call: Some(call), carry: upsweep::Carry::from_bytes(rest)? })
    }

    /// Fails if calls with another operator or type have used the carry.
    ///
    /// # Errors
    /// [`Error::Carry`]
    pub fn expect(&self, op: Op, element: Type) -> Result<()> {
        match self.call {
            Some(call) if call != (op, element) => {
                let (other, of) = call;
                let reason = format!("is of a scan with {other} in {of}, and this one is with {op} in {element}");
                Err(Error::Carry { reason })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the line before the bytes of a carry.
fn line(op: Op, element: Type) -> String {
    format!("upsweep {OPERATION} {op} {element}\n")
}
