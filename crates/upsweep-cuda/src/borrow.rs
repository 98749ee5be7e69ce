//! Borrows of a call's buffers: their address ranges, and the check that none overlaps the results.

use super::{Cuda, Loan};
use cudarc::driver::{CudaStream, DeviceSlice};
use std::sync::Arc;
use upsweep_core::buffer::View;
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Lend;
use upsweep_core::operator::Element;
use upsweep_core::outputs::{LendMut, Memory, Target};

/// Borrows buffers for the kernels that are launched next. A borrow ends when its [loan](Lender::into_loans) is
/// dropped.
pub(super) struct Lender<'a> {
    cuda: &'a Cuda,
    read: Few<Extent>,
    written: Few<Extent>,
    loans: Few<Loan<'a>>,
    /// Stream of the first output that was borrowed: the one whose next wait reports faults.
    stream: Option<Arc<CudaStream>>,
}

impl<'a> Lender<'a> {
    pub(super) fn new(cuda: &'a Cuda) -> Self {
        Self { cuda, read: Few::new(), written: Few::new(), loans: Few::new(), stream: None }
    }

    /// Checks the buffers borrowed so far. With `in_place` an input and an output may begin at the same address.
    ///
    /// # Errors
    /// [`Error::Overlap`] when an output overlaps an input or another output.
    pub(super) fn check(&self, in_place: bool) -> Result<()> {
        for (i, written) in self.written.iter().enumerate() {
            for read in self.read.iter().filter(|read| !in_place || read.start != written.start) {
                written.must_not_meet(*read)?;
            }
            for other in self.written.iter().take(i) {
                written.must_not_meet(*other)?;
            }
        }
        Ok(())
    }

    /// Borrows a companion buffer, which is read besides the input, and returns its address. The kernels read its first
    /// `elements` elements. `what` names the buffer in errors.
    ///
    /// # Errors
    /// Errors of [`Lend::lend`], and [`Error::Overlap`] when an output overlaps the elements.
    pub(super) fn beside<T>(&mut self, what: &'static str, view: &'a View<'_, T>, elements: usize) -> Result<u64> {
        let (address, loan) = self.cuda.read(what, view)?;
        self.loans.push(loan);
        let extent = Extent::new::<T>(address, elements);
        self.written.iter().try_for_each(|written| written.must_not_meet(extent))?;
        self.read.push(extent);
        Ok(address)
    }

    /// Returns the stream of the first output, and the loans of all buffers.
    pub(super) fn into_loans(self) -> (Option<Arc<CudaStream>>, Few<Loan<'a>>) {
        (self.stream, self.loans)
    }

    /// Takes the address ranges of the borrowed buffers out: first of the buffers that are read, then of those that are
    /// written.
    pub(super) fn take_extents(&mut self) -> [Few<Extent>; 2] {
        [&mut self.read, &mut self.written].map(|few| std::mem::replace(few, Few::new()))
    }
}

impl<'a> Lend<'a> for Lender<'a> {
    fn lend<T: Element>(&mut self, what: &'static str, view: &'a View<'_, T>) -> Result<u64> {
        let (address, loan) = self.cuda.read(what, view)?;
        self.loans.push(loan);
        self.read.push(Extent::new::<T>(address, view.len()));
        Ok(address)
    }
}

impl<'a> LendMut<'a> for Lender<'a> {
    fn lend_mut<T: Element>(&mut self, what: &'static str, target: &'a mut Target<'_, T>) -> Result<u64> {
        let Memory::Cuda(view) = &mut target.0 else {
            return Err(Error::Place { what, found: "host", expected: "CUDA" });
        };
        if self.stream.is_none() {
            self.stream = Some(view.stream().clone());
        }
        let len = view.len();
        let (address, loan) = self.cuda.write(what, view)?;
        self.loans.push(loan);
        self.written.push(Extent::new::<T>(address, len));
        Ok(address)
    }
}

/// List of any length that allocates memory only for entries after the first four.
pub(super) struct Few<T> {
    first: [Option<T>; 4],
    more: Vec<T>,
}

impl<T> Few<T> {
    pub(super) fn new() -> Self {
        Self { first: [const { None }; 4], more: Vec::new() }
    }

    fn push(&mut self, entry: T) {
        match self.first.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(entry),
            None => self.more.push(entry),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().flatten().chain(&self.more)
    }
}

/// Address range in device memory: `bytes` bytes from `start` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    start: u64,
    bytes: u64,
}

impl Extent {
    /// Empty address range, which overlaps no other range.
    pub(super) const NOTHING: Self = Self { start: 0, bytes: 0 };

    pub(super) fn new<T>(start: u64, len: usize) -> Self {
        Self { start, bytes: len as u64 * size_of::<T>() as u64 }
    }

    /// Checks that the two address ranges do not overlap.
    ///
    /// # Errors
    /// [`Error::Overlap`] when both ranges contain the same byte.
    pub(super) fn must_not_meet(self, other: Self) -> Result<()> {
        let apart = self.bytes == 0
            || other.bytes == 0
            || self.start + self.bytes <= other.start
            || other.start + other.bytes <= self.start;
        if apart { Ok(()) } else { Err(Error::Overlap) }
    }
}
