//! Devices: the CPU, or a CUDA GPU with one of its streams.

use crate::array::{Array, Storage};
use upsweep_core::error::{Error, Result};
use upsweep_core::memory;
use upsweep_core::operator::{Element, Number};
use upsweep_core::outputs::Target;
#[cfg(feature = "cuda")]
use upsweep_cuda::Cuda;

/// Device that computes: every CPU core, or one CUDA GPU with one of its streams.
#[derive(Clone, Debug)]
pub struct Device(pub(crate) Backend);

#[derive(Clone, Debug)]
pub(crate) enum Backend {
    Cpu,
    #[cfg(feature = "cuda")]
    Cuda(Cuda),
}

impl Device {
    /// Returns a CUDA GPU if one answers, else every CPU core.
    ///
    /// # Errors
    /// [`Error::Driver`] when a GPU is present but cannot be used.
    pub fn best() -> Result<Self> {
        #[cfg(feature = "cuda")]
        if Cuda::present() {
            return Self::cuda(0);
        }
        Ok(Self::cpu())
    }

    /// Returns the device of every CPU core: the threads of the current rayon pool.
    ///
    /// A call from inside a rayon pool (a `par_iter` closure, a `join`, a `spawn`) waits as rayon does: until its own
    /// work is done, the calling thread may run other tasks of that pool. So hold no lock and no borrow of a `RefCell`
    /// across such a call if other tasks of the pool need it: a task may run on this very thread, and wait for it
    /// forever. A thread that belongs to no pool (of `std::thread::scope`) runs nothing else meanwhile. Arrays below 2
    /// MiB are computed by the calling thread alone.
    #[must_use]
    pub fn cpu() -> Self {
        Self(Backend::Cpu)
    }

    /// Returns the CUDA GPU `ordinal`, on a stream of its own.
    ///
    /// # Errors
    /// [`Error::Device`] without a driver or without a GPU of this ordinal.
    #[cfg(feature = "cuda")]
    pub fn cuda(ordinal: usize) -> Result<Self> {
        Ok(Self(Backend::Cuda(Cuda::new(ordinal)?)))
    }

    /// Returns a device on the caller's own CUDA stream.
    ///
    /// # Errors
    /// [`Error::Driver`] when the GPU cannot be used.
    #[cfg(feature = "cuda")]
    pub fn on_stream(stream: &std::sync::Arc<cudarc::driver::CudaStream>) -> Result<Self> {
        Ok(Self(Backend::Cuda(Cuda::on_stream(stream)?)))
    }

    /// Returns this device for arrays in host memory, of any length. A GPU then copies an array to its memory and the
    /// results back in chunks, while it computes others; the results are those of one call, to the last bit, and the
    /// call waits for them. Scans of a whole array, and sorts of its keys, take host memory so, from one buffer to
    /// another; all else is as with the device itself. The CPU is returned as it is.
    ///
    /// Between pinned (page-locked) arrays the GPU copies by itself, in both directions at once. Pageable ones go
    /// through pinned memory, copied by the threads of the current rayon pool. The device keeps 256 MiB of the GPU's
    /// memory after a scan, and up to 256 MiB of pinned memory, until it is dropped: keep it for several calls.
    ///
    /// A sort keeps its keys on the GPU, if they fit beside some 2 GiB, and takes the GPU's free memory as needed: see
    /// [`streamed_within`](Self::streamed_within) for a limit. Longer arrays are sorted by parts that go back to the
    /// host, to as much memory as the keys have, and then cross the bus once more.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::best()?.streamed();
    /// let (x, mut sums) = (vec![1.0f32; 100_000], vec![0.0; 100_000]);
    /// Scan::new(Sum).run(&device, &x, &mut sums)?;
    /// assert_eq!(sums[99_999], 100_000.0);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    #[must_use]
    pub fn streamed(&self) -> Self {
        match &self.0 {
            Backend::Cpu => self.clone(),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => Self(Backend::Cuda(cuda.streamed(usize::MAX))),
        }
    }

    /// Returns this device for arrays in host memory, as [`streamed`](Self::streamed) does. A sort takes at most `bytes`
    /// bytes of the GPU's memory, or fails with [`Error::OutOfMemory`] if they are too few: some KiB. A scan takes 256
    /// MiB in any case, and what the device keeps of them counts.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::best()?.streamed_within(24 << 30);
    /// let (keys, mut sorted) = (vec![3u32, 1, 2], vec![0; 3]);
    /// Sort::new().run(&device, &keys, &mut sorted)?;
    /// assert_eq!(sorted, [1, 2, 3]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "only GPUs have memory of their own"))]
    #[must_use]
    pub fn streamed_within(&self, bytes: usize) -> Self {
        match &self.0 {
            Backend::Cpu => self.clone(),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => Self(Backend::Cuda(cuda.streamed(bytes))),
        }
    }

    /// Waits until all enqueued work is done. On the CPU nothing is ever enqueued.
    ///
    /// # Errors
    /// [`Error::Driver`] with the fault of the device, [`Error::Offsets`] when segment offsets were wrong.
    pub fn synchronize(&self) -> Result<()> {
        match &self.0 {
            Backend::Cpu => Ok(()),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.synchronize(),
        }
    }

    /// Returns the CUDA device and its stream; `None` on the CPU.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn as_cuda(&self) -> Option<&Cuda> {
        match &self.0 {
            Backend::Cpu => None,
            Backend::Cuda(cuda) => Some(cuda),
        }
    }

    /// Limits short scans to `tiles` tiles a block, in place of the plan's own limit. For tests.
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    #[must_use]
    pub fn limit_waves(mut self, tiles: usize) -> Self {
        if let Backend::Cuda(cuda) = &mut self.0 {
            cuda.limit_waves(tiles);
        }
        self
    }

    /// Copies `host` to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the device's memory is too small.
    pub fn upload<T: Element>(&self, host: &[T]) -> Result<Array<T>> {
        match &self.0 {
            Backend::Cpu => {
                let mut array = memory::room(host.len())?;
                array.extend_from_slice(host);
                Ok(Array(Storage::Host(array)))
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => Ok(Array(Storage::Cuda(cuda.upload(host)?))),
        }
    }

    /// Makes an array of `len` copies of `value`. On CUDA the device fills it: for numbers the work is enqueued, and
    /// for other values the call waits.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the device's memory is too small.
    pub fn filled<T: Element>(&self, len: usize, value: T) -> Result<Array<T>> {
        match &self.0 {
            Backend::Cpu => {
                let mut host = memory::room(len)?;
                host.resize(len, value);
                Ok(Array(Storage::Host(host)))
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => Ok(Array(Storage::Cuda(cuda.filled(len, value)?))),
        }
    }

    /// Makes an array of `len` numbers that are still to be written. Their values are unspecified until they are
    /// written: on CUDA, what the memory held before.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let mut sums = device.room::<u32>(3)?;
    /// Scan::new(Sum).run(&device, &[1, 2, 3], &mut sums)?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 6]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the device's memory is too small.
    pub fn room<T: Number>(&self, len: usize) -> Result<Array<T>> {
        match &self.0 {
            Backend::Cpu => self.filled(len, T::ZERO),
            // Every bit pattern is a value of a number type, so the memory need not be initialised.
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => Ok(Array(Storage::Cuda(cuda.allocate(len)?))),
        }
    }
}

impl Device {
    /// Makes an array of `len` zeros in the host's memory that the device copies from and to as fast as the bus allows: on
    /// CUDA its pages are locked (pinned) for every GPU of the process. On the CPU it is an array as any other.
    ///
    /// To lock pages takes as long as to fill them several times: keep such an array for many calls. What is locked the
    /// system cannot use for anything else.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let mut host: Array<u32> = device.pinned(3)?;
    /// host.as_mut_slice().unwrap().copy_from_slice(&[3, 1, 7]);
    /// let input = device.upload(host.as_slice().unwrap())?;
    /// let sums: Array<u32> = Scan::new(Sum).run_to_array(&device, &input)?;
    /// sums.copy_to(host.as_mut_slice().unwrap())?;
    /// assert_eq!(host.as_slice(), Some(&[3, 4, 11][..]));
    /// // A device for arrays in host memory takes it as it is.
    /// Scan::new(Sum).run_in_place(&Device::cpu(), &mut host)?;
    /// assert_eq!(host.to_vec()?, [3, 7, 18]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the host's memory is too small, or the system locks no more pages.
    pub fn pinned<T: Element>(&self, len: usize) -> Result<Array<T>> {
        match &self.0 {
            Backend::Cpu => self.to_be_written(len),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => Ok(Array(Storage::Locked(cuda.locked(len)?))),
        }
    }
}

impl Device {
    /// Returns an error for work that would wait for the device while its stream is being captured into a CUDA graph.
    /// `doing` names the work.
    ///
    /// # Errors
    /// [`Error::Driver`] when the device's stream is being captured.
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "only CUDA streams are captured"))]
    pub(crate) fn refuse_in_capture(&self, doing: &'static str) -> Result<()> {
        match &self.0 {
            Backend::Cpu => Ok(()),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.refuse_in_capture(doing),
        }
    }

    /// Makes a new array of `len` elements, all of which a call will write: zeros on the host, unspecified on a CUDA
    /// device.
    pub(crate) fn to_be_written<T: Element>(&self, len: usize) -> Result<Array<T>> {
        self.compute_array(len, |target| {
            target.fill_with_zeros();
            Ok(())
        })
    }

    /// Makes a new array of `len` elements, all of which `compute` writes when it returns `Ok`.
    pub(crate) fn compute_array<T: Element>(
        &self,
        len: usize,
        compute: impl FnOnce(Target<'_, T>) -> Result<()>,
    ) -> Result<Array<T>> {
        match &self.0 {
            Backend::Cpu => {
                let mut array = memory::room(len)?;
                compute(Target::on_the_host(array.as_mut_ptr(), len))?;
                // SAFETY: the capacity is at least `len`, and a computation that succeeds writes all `len` elements.
                unsafe { array.set_len(len) };
                Ok(Array(Storage::Host(array)))
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                let mut array = cuda.allocate(len)?;
                compute(Target::new(upsweep_core::buffer::ViewMut::Cuda(array.as_view_mut())))?;
                Ok(Array(Storage::Cuda(array)))
            }
        }
    }
}

impl Device {
    /// Makes two new arrays of `len` elements each, all of which `compute` writes when it returns `Ok`.
    pub(crate) fn compute_two<A: Element, B: Element>(
        &self,
        len: usize,
        compute: impl FnOnce(Target<'_, A>, Target<'_, B>) -> Result<()>,
    ) -> Result<(Array<A>, Array<B>)> {
        let mut second = None;
        let first = self.compute_array(len, |first| {
            second = Some(self.compute_array(len, |second| compute(first, second))?);
            Ok(())
        })?;
        second.map(|second| (first, second)).ok_or(Error::OutOfMemory { bytes: 0 })
    }
}

impl Device {
    /// Returns one value on the host, which `compute` writes when it returns `Ok`. On CUDA this waits for it.
    pub(crate) fn compute_one<T: Element>(&self, compute: impl FnOnce(Target<'_, T>) -> Result<()>) -> Result<T> {
        match &self.0 {
            Backend::Cpu => {
                let missing = Error::Length { what: "output", found: 0, expected: 1 };
                self.compute_array(1, compute)?.into_vec()?.first().copied().ok_or(missing)
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                cuda.compute_one(|one| compute(Target::new(upsweep_core::buffer::ViewMut::Cuda(one))))
            }
        }
    }

    pub(crate) fn is_cpu(&self) -> bool {
        matches!(self.0, Backend::Cpu)
    }

    /// Makes a new array in host memory with room for `room` elements. Its length is the number that `compute` returns:
    /// `compute` has written that many at its beginning.
    pub(crate) fn compute_some<T: Element>(
        &self,
        room: usize,
        compute: impl FnOnce(Target<'_, T>) -> Result<usize>,
    ) -> Result<Array<T>> {
        let mut array = memory::room(room)?;
        let len = compute(Target::on_the_host(array.as_mut_ptr(), room))?;
        // SAFETY: the capacity is at least `room`, and a computation that succeeds writes as many elements as it
        // returns in `len`.
        unsafe { array.set_len(len.min(room)) };
        array.shrink_to_fit();
        Ok(Array(Storage::Host(array)))
    }
}

impl Device {
    /// Makes a new array with room for `room` elements. On the host it has as many as `compute` returns, which has
    /// written them at its beginning; on CUDA it has all, and those that `compute` does not write are unspecified.
    pub(crate) fn compute_counted<T: Element>(
        &self,
        room: usize,
        compute: impl FnOnce(Target<'_, T>) -> Result<usize>,
    ) -> Result<Array<T>> {
        if self.is_cpu() {
            self.compute_some(room, compute)
        } else {
            self.compute_array(room, |target| compute(target).map(drop))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::error::Error;

    #[test]
    fn arrays_larger_than_memory_are_errors() {
        let device = Device::cpu();
        let filled = |len| device.filled(len, 1u64).map(drop);
        assert_eq!(filled(usize::MAX), Err(Error::OutOfMemory { bytes: usize::MAX }));
        // 2^62 bytes are within the largest size of a vector, but more than there are addresses.
        assert_eq!(filled(1 << 59), Err(Error::OutOfMemory { bytes: 1 << 62 }));
        assert_eq!(filled(3), Ok(()));
    }
}
