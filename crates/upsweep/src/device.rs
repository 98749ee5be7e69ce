//! Where upsweep computes, and where its inputs and outputs lie.

#[cfg(feature = "cuda")]
use crate::cuda::Cuda;
use crate::job::Target;
use crate::operator::Element;
use crate::{Error, Operator, Reduce, Result, Scan};

/// A place to compute: every CPU core, or one CUDA GPU with one of its streams.
#[derive(Clone, Debug)]
pub struct Device(pub(crate) Backend);

#[derive(Clone, Debug)]
pub(crate) enum Backend {
    Cpu,
    #[cfg(feature = "cuda")]
    Cuda(Cuda),
}

impl Device {
    /// A CUDA GPU if one answers, else every CPU core.
    ///
    /// # Errors
    /// [`Error::Driver`] when a GPU is there but cannot be used.
    pub fn best() -> Result<Self> {
        #[cfg(feature = "cuda")]
        if Cuda::present() {
            return Self::cuda(0);
        }
        Ok(Self::cpu())
    }

    /// Every CPU core: the threads of the current rayon pool.
    ///
    /// A call from inside a rayon pool (a `par_iter` closure, a `join`, a `spawn`) waits as rayon does: until its own work is
    /// done, the calling thread may run other tasks of that pool. So hold no lock and no borrow of a `RefCell` across a call
    /// there, if other tasks of the pool want the same one: they may run on this very thread, and wait for it forever. A
    /// thread that belongs to no pool (of `std::thread::scope`) runs nothing else meanwhile; and arrays below 2 MiB are
    /// computed by the calling thread alone.
    #[must_use]
    pub fn cpu() -> Self {
        Self(Backend::Cpu)
    }

    /// The CUDA GPU `ordinal`, on a stream of its own.
    ///
    /// # Errors
    /// [`Error::Device`] without a driver or such a GPU.
    #[cfg(feature = "cuda")]
    pub fn cuda(ordinal: usize) -> Result<Self> {
        Ok(Self(Backend::Cuda(Cuda::new(ordinal)?)))
    }

    /// The caller's own CUDA stream.
    ///
    /// # Errors
    /// [`Error::Driver`] when the GPU cannot be used.
    #[cfg(feature = "cuda")]
    pub fn on_stream(stream: &std::sync::Arc<cudarc::driver::CudaStream>) -> Result<Self> {
        Ok(Self(Backend::Cuda(Cuda::on_stream(stream)?)))
    }

    /// Waits until everything that was enqueued is done. On the CPU nothing is ever enqueued.
    ///
    /// # Errors
    /// [`Error::Driver`] with what went wrong on the device, [`Error::Offsets`] when segment offsets were wrong.
    pub fn synchronize(&self) -> Result<()> {
        match &self.0 {
            Backend::Cpu => Ok(()),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.synchronize(),
        }
    }

    /// The CUDA device and its stream; `None` on the CPU.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn as_cuda(&self) -> Option<&Cuda> {
        match &self.0 {
            Backend::Cpu => None,
            Backend::Cuda(cuda) => Some(cuda),
        }
    }

    /// Copies `host` to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the device's memory is too small.
    pub fn upload<T: Element>(&self, host: &[T]) -> Result<Array<T>> {
        match &self.0 {
            Backend::Cpu => {
                let mut array = with_room(host.len())?;
                array.extend_from_slice(host);
                Ok(Array(Storage::Host(array)))
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => Ok(Array(Storage::Cuda(cuda.upload(host)?))),
        }
    }

    /// An array of `len` copies of `value`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the device's memory, or the host's, where the copies are made, is too small.
    pub fn filled<T: Element>(&self, len: usize, value: T) -> Result<Array<T>> {
        let mut host = with_room(len)?;
        host.resize(len, value);
        match &self.0 {
            Backend::Cpu => Ok(Array(Storage::Host(host))),
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => self.upload(&host),
        }
    }

    /// The inclusive scan `out[i] = x[0] ⊕ ... ⊕ x[i]`, in a new array on the device.
    ///
    /// # Errors
    /// As [`Scan::run`].
    pub fn inclusive_scan<I, Op>(&self, input: &I, operator: Op) -> Result<Array<I::Item>>
    where
        I: Input + ?Sized,
        Op: Operator<I::Item>,
    {
        Scan::new(operator).run_to_array(self, input)
    }

    /// The exclusive scan `out[i] = x[0] ⊕ ... ⊕ x[i - 1]`, where `out[0]` is the identity, in a new array on the
    /// device.
    ///
    /// # Errors
    /// As [`Scan::run`].
    pub fn exclusive_scan<I, Op>(&self, input: &I, operator: Op) -> Result<Array<I::Item>>
    where
        I: Input + ?Sized,
        Op: Operator<I::Item>,
    {
        Scan::new(operator).exclusive().run_to_array(self, input)
    }

    /// `x[0] ⊕ ... ⊕ x[n - 1]`, on the host; of nothing, the identity. On CUDA this waits for the result:
    /// [`Reduce::run`] does not.
    ///
    /// # Errors
    /// As [`Reduce::run`].
    pub fn reduce<I, Op>(&self, input: &I, operator: Op) -> Result<I::Item>
    where
        I: Input + ?Sized,
        Op: Operator<I::Item>,
    {
        Reduce::new(operator).run_to_host(self, input)
    }
}

impl Device {
    /// # Errors
    /// [`Error::Driver`] when the device's stream is being captured: `doing` would wait for it.
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "only CUDA streams are captured"))]
    pub(crate) fn refuse_in_capture(&self, doing: &'static str) -> Result<()> {
        match &self.0 {
            Backend::Cpu => Ok(()),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.refuse_in_capture(doing),
        }
    }

    /// A new array of `len` elements, all of which `compute` writes when it returns `Ok`.
    pub(crate) fn compute_array<T: Element>(
        &self,
        len: usize,
        compute: impl FnOnce(Target<'_, T>) -> Result<()>,
    ) -> Result<Array<T>> {
        match &self.0 {
            Backend::Cpu => {
                let mut array = with_room(len)?;
                compute(Target::Host { start: array.as_mut_ptr(), len, borrow: std::marker::PhantomData })?;
                // SAFETY: the capacity is at least `len`, and a computation that succeeds writes all `len` elements.
                unsafe { array.set_len(len) };
                Ok(Array(Storage::Host(array)))
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                let mut array = cuda.allocate(len)?;
                compute(Target::Cuda(array.as_view_mut()))?;
                Ok(Array(Storage::Cuda(array)))
            }
        }
    }
}

/// An empty vector with room for `len` elements.
fn with_room<T>(len: usize) -> Result<Vec<T>> {
    let mut array = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    array.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(array)
}

/// Elements in a device's memory: what [`Device::upload`] returns.
#[derive(Debug)]
pub struct Array<T>(pub(crate) Storage<T>);

#[derive(Debug)]
pub(crate) enum Storage<T> {
    Host(Vec<T>),
    #[cfg(feature = "cuda")]
    Cuda(cudarc::driver::CudaSlice<T>),
}

impl<T: Element> Array<T> {
    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, on the host. On CUDA this waits until they are computed.
    ///
    /// # Errors
    /// [`Error::Driver`] with what went wrong on the device.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        match &self.0 {
            Storage::Host(x) => Ok(x.clone()),
            #[cfg(feature = "cuda")]
            Storage::Cuda(x) => crate::cuda::download(x),
        }
    }
}

/// Elements that a call reads, where they lie.
#[derive(Debug)]
pub enum View<'a, T> {
    /// In the host's memory.
    Host(&'a [T]),
    /// In a CUDA device's memory.
    #[cfg(feature = "cuda")]
    Cuda(cudarc::driver::CudaView<'a, T>),
}

/// Elements that a call writes, where they lie.
#[derive(Debug)]
pub enum ViewMut<'a, T> {
    /// In the host's memory.
    Host(&'a mut [T]),
    /// In a CUDA device's memory.
    #[cfg(feature = "cuda")]
    Cuda(cudarc::driver::CudaViewMut<'a, T>),
}

macro_rules! lengths {
    ($($view:ident),*) => { $(
        impl<T> $view<'_, T> {
            /// The number of elements.
            #[must_use]
            pub fn len(&self) -> usize {
                match self {
                    Self::Host(x) => x.len(),
                    #[cfg(feature = "cuda")]
                    Self::Cuda(x) => x.len(),
                }
            }

            /// Whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    )* };
}
lengths! { View, ViewMut }

/// What a call can read: slices, vectors and arrays of the host, upsweep's [`Array`], cudarc's slices and views.
pub trait Input {
    /// The elements.
    type Item: Element;
    /// The elements, where they lie.
    fn view(&self) -> View<'_, Self::Item>;
}

/// What a call can write: the mutable forms of what it can read.
pub trait Output {
    /// The elements.
    type Item: Element;
    /// The elements, where they lie.
    fn view_mut(&mut self) -> ViewMut<'_, Self::Item>;
}

macro_rules! host_buffers {
    ($([$($generic:tt)*] $buffer:ty),* $(,)?) => { $(
        impl<T: Element, $($generic)*> Input for $buffer {
            type Item = T;
            fn view(&self) -> View<'_, T> { View::Host(self.as_ref()) }
        }
        impl<T: Element, $($generic)*> Output for $buffer {
            type Item = T;
            fn view_mut(&mut self) -> ViewMut<'_, T> { ViewMut::Host(self.as_mut()) }
        }
    )* };
}
host_buffers! { [] [T], [] Vec<T>, [] Box<[T]>, [const N: usize] [T; N] }

impl<T: Element> Input for Array<T> {
    type Item = T;
    fn view(&self) -> View<'_, T> {
        match &self.0 {
            Storage::Host(x) => View::Host(x),
            #[cfg(feature = "cuda")]
            Storage::Cuda(x) => View::Cuda(x.as_view()),
        }
    }
}
impl<T: Element> Output for Array<T> {
    type Item = T;
    fn view_mut(&mut self) -> ViewMut<'_, T> {
        match &mut self.0 {
            Storage::Host(x) => ViewMut::Host(x),
            #[cfg(feature = "cuda")]
            Storage::Cuda(x) => ViewMut::Cuda(x.as_view_mut()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_larger_than_memory_are_errors() {
        let device = Device::cpu();
        let filled = |len| device.filled(len, 1u64).map(drop);
        assert_eq!(filled(usize::MAX), Err(Error::OutOfMemory { bytes: usize::MAX }));
        // Not too many bytes for a vector, and more than there are addresses.
        assert_eq!(filled(1 << 59), Err(Error::OutOfMemory { bytes: 1 << 62 }));
        assert_eq!(filled(3), Ok(()));
    }
}
