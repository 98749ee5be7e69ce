//! Backends under test, and buffers in their memory that begin at any element, between guards.

use crate::sample::Sample;
#[cfg(feature = "cuda")]
use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use std::borrow::Cow;
#[cfg(feature = "cuda")]
use std::sync::Arc;
use upsweep::{Device, Element, Input, Output, View, ViewMut};

/// Least number of guard elements before and after each buffer, which no call may write. Before a buffer, its offset
/// adds to it.
const GUARD: usize = 16;

/// Lock of stream captures. cudarc waits for the whole context when it creates a stream, which would end a capture: a
/// capture holds the lock for writing, the creation of a stream for reading.
#[cfg(feature = "cuda")]
pub static CAPTURE: std::sync::RwLock<()> = std::sync::RwLock::new(());

/// Device and stream on which a test case runs.
#[derive(Clone, Debug)]
pub struct Place {
    pub device: Device,
    #[cfg(feature = "cuda")]
    pub stream: Option<Arc<CudaStream>>,
}

impl Place {
    pub fn cpu() -> Self {
        Self {
            device: Device::cpu(),
            #[cfg(feature = "cuda")]
            stream: None,
        }
    }

    /// Creates a place on GPU 0, with a new stream. With `UPSWEEP_TEST_WAVES=none` in the environment, the kernel for
    /// long arrays runs short arrays too.
    #[cfg(feature = "cuda")]
    pub fn cuda() -> Self {
        let context = CudaContext::new(0).expect("a CUDA GPU");
        let _no_capture = CAPTURE.read();
        Self::on(context.new_stream().expect("a stream"))
    }

    #[cfg(feature = "cuda")]
    pub fn on(stream: Arc<CudaStream>) -> Self {
        let device = Device::on_stream(&stream).expect("a CUDA GPU");
        let waves = std::env::var("UPSWEEP_TEST_WAVES").is_ok_and(|waves| waves == "none");
        Self { device: if waves { device.limit_waves(0) } else { device }, stream: Some(stream) }
    }

    pub fn is_cuda(&self) -> bool {
        #[cfg(feature = "cuda")]
        return self.stream.is_some();
        #[cfg(not(feature = "cuda"))]
        return false;
    }

    /// Creates a buffer of `values` that begins `offset` elements after an aligned address.
    pub fn upload<T: Sample>(&self, values: &[T], offset: usize) -> Buffer<T> {
        let mut all = Vec::with_capacity(GUARD + offset + values.len() + GUARD);
        all.resize(GUARD + offset, T::poison());
        all.extend_from_slice(values);
        all.resize(all.len() + GUARD, T::poison());
        Buffer { memory: self.memory(all), start: GUARD + offset, len: values.len() }
    }

    /// Creates a buffer of `len` elements for a call to write, filled with the value `T::poison()`.
    pub fn poisoned<T: Sample>(&self, len: usize, offset: usize) -> Buffer<T> {
        let start = GUARD + offset;
        Buffer { memory: self.memory(vec![T::poison(); start + len + GUARD]), start, len }
    }

    fn memory<T: Element>(&self, values: Vec<T>) -> Memory<T> {
        #[cfg(feature = "cuda")]
        if let Some(stream) = &self.stream {
            return Memory::Cuda(to_cuda(stream, &values));
        }
        Memory::Host(values)
    }
}

/// Elements in a backend's memory, with guards around them. A library call sees the elements alone.
#[derive(Debug)]
pub struct Buffer<T> {
    memory: Memory<T>,
    start: usize,
    len: usize,
}

#[derive(Debug)]
enum Memory<T> {
    Host(Vec<T>),
    #[cfg(feature = "cuda")]
    Cuda(CudaSlice<T>),
}

impl<T: Sample> Buffer<T> {
    /// Returns the elements, on the host.
    ///
    /// # Panics
    /// When an element of a guard has changed.
    #[track_caller]
    pub fn check_guards(&self) -> Vec<T> {
        self.checked().into_owned()
    }

    /// Returns the elements as [`check_guards`](Self::check_guards) does, in place if they are in host memory.
    #[track_caller]
    pub fn checked(&self) -> Cow<'_, [T]> {
        let all: Cow<'_, [T]> = match &self.memory {
            Memory::Host(all) => Cow::Borrowed(all),
            #[cfg(feature = "cuda")]
            Memory::Cuda(slice) => Cow::Owned(from_cuda(slice)),
        };
        let end = self.start + self.len;
        for i in (0..self.start).chain(end..all.len()) {
            if !all[i].same(&T::poison()) {
                let at = i as isize - self.start as isize;
                panic!("element {at} beside an output of {} was overwritten with {:?}", self.len, all[i]);
            }
        }
        match all {
            Cow::Borrowed(all) => Cow::Borrowed(&all[self.start..end]),
            Cow::Owned(all) => Cow::Owned(all[self.start..end].to_vec()),
        }
    }
}

#[cfg(feature = "cuda")]
impl<T: Sample> Buffer<T> {
    /// Sets every element to `value`, in the order of the buffer's stream.
    pub fn overwrite(&mut self, value: T) {
        let range = self.start..self.start + self.len;
        match &mut self.memory {
            Memory::Host(all) => all[range].fill(value),
            Memory::Cuda(slice) => {
                let stream = slice.stream().clone();
                let values = to_cuda(&stream, &vec![value; range.len()]);
                stream.memcpy_dtod(&values, &mut slice.slice_mut(range)).expect("the copy");
            }
        }
    }
}

impl<T: Element> Input for Buffer<T> {
    type Item = T;
    fn view(&self) -> View<'_, T> {
        let range = self.start..self.start + self.len;
        match &self.memory {
            Memory::Host(all) => View::Host(&all[range]),
            #[cfg(feature = "cuda")]
            Memory::Cuda(slice) => View::Cuda(slice.slice(range)),
        }
    }
}

impl<T: Element> Output for Buffer<T> {
    type Item = T;
    fn view_mut(&mut self) -> ViewMut<'_, T> {
        let range = self.start..self.start + self.len;
        match &mut self.memory {
            Memory::Host(all) => ViewMut::Host(&mut all[range]),
            #[cfg(feature = "cuda")]
            Memory::Cuda(slice) => ViewMut::Cuda(slice.slice_mut(range)),
        }
    }
}

/// Copies `values` to the GPU's memory. cudarc's own `clone_htod` requires its `DeviceRepr`, which an element need not
/// have.
#[cfg(feature = "cuda")]
pub fn to_cuda<T: Element>(stream: &Arc<CudaStream>, values: &[T]) -> CudaSlice<T> {
    let len = size_of_val(values);
    // SAFETY: the first `len` bytes of memory from `values` on are a live slice; padding bytes are only copied.
    let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), len) };
    let memory = stream.clone_htod(bytes).expect("enough GPU memory").leak();
    // SAFETY: `memory` was allocated on this stream, has no other owner after `leak`, and holds `values.len()`
    // elements.
    unsafe { stream.upgrade_device_ptr(memory, values.len()) }
}

/// Returns the elements of `slice`, once its stream has computed them.
#[cfg(feature = "cuda")]
pub fn from_cuda<T: Element>(slice: &CudaSlice<T>) -> Vec<T> {
    let stream = slice.stream();
    let mut values: Vec<T> = Vec::with_capacity(slice.len());
    // SAFETY: the view covers the same memory as bytes.
    let bytes = unsafe { slice.transmute::<u8>(slice.num_bytes()) }.expect("as many bytes");
    // SAFETY: the vector's capacity is at least `slice.num_bytes()` bytes. Nothing reads them before the copy has
    // written them, and every byte is a valid `u8`.
    let target = unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast::<u8>(), slice.num_bytes()) };
    stream.memcpy_dtoh(&bytes, target).expect("the copy to the host");
    stream.synchronize().expect("everything on the stream has run");
    // SAFETY: the copy wrote every element, and elements of the device are valid values of `T`.
    unsafe { values.set_len(slice.len()) };
    values
}
