//! Sort by fields: structs in the order of their fields that are marked `#[key]`, the first field first.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[derive(Element, Clone, Copy, PartialEq, Debug)]
//! #[repr(C)]
//! struct Sale {
//!     id: u32,
//!     #[key]
//!     town: u16,
//!     #[key]
//!     price: f32,
//! }
//!
//! let sale = |id, town, price| Sale { id, town, price };
//! let (device, sales) = (Device::cpu(), [sale(0, 7, 2.5), sale(1, 3, 9.0), sale(2, 7, -1.0)]);
//! let mut sorted = [sale(0, 0, 0.0); 3];
//! Sort::by_fields().run(&device, &sales, &mut sorted)?;
//! assert_eq!(sorted.map(|sale| sale.id), [1, 2, 0]);
//!
//! let mut order = [0u32; 3];
//! Sort::by_fields().descending().indices().run(&device, &sales, &mut order)?;
//! assert_eq!(order, [0, 2, 1]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** By [`Key`] for each field, except that all NaN are one key: the last, ascending and descending. A sort is
//! stable.
//! Fields marked `#[key]` are integers, `bool`, `char`, `f16`, `bf16`, `f32` or `f64`.
//!
//! **Cost.** The fields become one key of 32, 64 or 128 bits, and the structs are sorted like
//! [`Sort::by_key`](crate::sort_by_key). Fields of more than 128 bits together take several such sorts, from the last
//! fields on. An input that is no buffer is computed into memory of the device first, by a pass of a
//! [`Transform`](crate::Transform).

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::Device;
use crate::scan::Scan;
use crate::sort::{Indices, Keys, Sort};
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output, View};
use upsweep_core::error::Result;
use upsweep_core::inputs::Gather;
use upsweep_core::inputs::Inputs;
use upsweep_core::key::{Index, Key};
use upsweep_core::operator::builtin::Last;
use upsweep_core::operator::{Element, Map, MapWith};
use upsweep_core::segments::Offset;

/// Struct with fields marked `#[key]`: `#[derive(Element)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fields to sort by",
    label = "no field is marked #[key]",
    note = "mark fields of a struct with #[derive(Element)] as #[key], or give Sort::by_key a function"
)]
pub trait Fields: Element {
    /// Number of sorts that the fields take: the number of their parts. A part is neighbouring fields that fit in one
    /// key.
    #[doc(hidden)]
    const PARTS: usize;
    /// Calls `sort` once for each part, with the function that makes one key of the part's fields, from the last part
    /// to the first.
    ///
    /// # Errors
    /// Errors of `sort`.
    #[doc(hidden)]
    fn each<S: SortPart<Self>>(sort: &mut S, descending: bool) -> Result<()>;
}

/// Stable sort that is called for each part of the fields in turn: neighbouring fields that fit in one key.
#[doc(hidden)]
pub trait SortPart<T: Element> {
    /// Sorts by the keys that `key` makes of the structs.
    ///
    /// # Errors
    /// Errors of a sort.
    fn by<F, K>(&mut self, key: F) -> Result<()>
    where
        F: Copy,
        MapWith<F>: Map<T, (T,), Output = K>,
        K: Key;
}

/// Sort by fields, with its options: see the [module](self). Build it once, run it often.
///
/// `W` is the kind of its results: [`Keys`], the structs, or [`Indices`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a sort does nothing until it is run"]
pub struct SortByFields<W = Keys> {
    descending: bool,
    makes: PhantomData<W>,
}

impl Sort {
    /// Makes the sort of structs by their fields marked `#[key]`. See [`sort_by_fields`](crate::sort_by_fields).
    pub fn by_fields() -> SortByFields {
        SortByFields { descending: false, makes: PhantomData }
    }
}

impl SortByFields {
    /// Stores the positions of the sorted structs in the input instead of the structs: `u32`, `u64` or `usize`.
    pub fn indices(self) -> SortByFields<Indices> {
        SortByFields { descending: self.descending, makes: PhantomData }
    }
}

impl<W> SortByFields<W> {
    /// Sorts in descending order. Structs with equal fields keep their order, and NaN stay at the end.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }
}

impl SortByFields {
    /// Sorts `input` into `output`, which has as many elements. On CUDA the work is enqueued on the device's stream and
    /// the call returns at once; it cannot be captured in a graph.
    ///
    /// # Errors
    /// As [`Sort::by_key`](crate::sort_by_key::SortByKey::run).
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value: Fields>,
        O: Output<Item = X::Value> + ?Sized,
    {
        let input = of_known_length(device, input)?;
        self.sort(device, &input.room(), output)
    }

    /// Sorts `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x, Value: Fields>,
    {
        let input = of_known_length(device, input)?;
        let mut output = device.to_be_written(input.room().len())?;
        self.sort(device, &input.room(), &mut output)?;
        Ok(output)
    }

    /// Sorts `input` into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x, Value: Fields>,
    {
        self.run_to_array(device, input)?.into_vec()
    }

    fn sort<T, O>(&self, device: &Device, input: &View<'_, T>, output: &mut O) -> Result<()>
    where
        T: Fields,
        O: Output<Item = T> + ?Sized,
    {
        T::each(&mut Structs { device, input, output, between: None, left: T::PARTS }, self.descending)
    }
}

/// Structs to sort, and their order after the parts of the fields sorted by so far.
struct Structs<'a, I: Input + ?Sized, O: ?Sized> {
    device: &'a Device,
    input: &'a I,
    output: &'a mut O,
    between: Option<Array<I::Item>>,
    left: usize,
}

impl<I: Input + ?Sized, O: Output<Item = I::Item> + ?Sized> SortPart<I::Item> for Structs<'_, I, O> {
    fn by<F, K>(&mut self, key: F) -> Result<()>
    where
        F: Copy,
        MapWith<F>: Map<I::Item, (I::Item,), Output = K>,
        K: Key,
    {
        self.left -= 1;
        let Self { device, input, between, .. } = self;
        let sort = Sort::by_key(key);
        if self.left == 0 {
            return match between {
                Some(from) => sort.run(device, &*from, self.output),
                None => sort.run(device, *input, self.output),
            };
        }
        let sorted = match between {
            Some(from) => sort.run_to_array(device, &*from)?,
            None => sort.run_to_array(device, *input)?,
        };
        self.between = Some(sorted);
        Ok(())
    }
}

impl SortByFields<Indices> {
    /// Stores in `output` the positions that the sorted structs have in `input`. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once; it cannot be captured in a graph.
    ///
    /// # Errors
    /// As [`run`](SortByFields::run), and those of [`Sort::indices`].
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value: Fields>,
        O: Output<Item: Index + Offset> + ?Sized,
    {
        let input = of_known_length(device, input)?;
        let (input, left) = (&input.room(), <X::Value as Fields>::PARTS);
        X::Value::each(&mut Positions { device, input, output, between: None, left }, self.descending)
    }

    /// Stores the positions in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x, Value: Fields>,
        O: Index + Offset,
    {
        let input = of_known_length(device, input)?;
        let mut output = device.to_be_written(input.room().len())?;
        self.run(device, &input.room(), &mut output)?;
        Ok(output)
    }

    /// Stores the positions in a vector on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x, Value: Fields>,
        O: Index + Offset,
    {
        self.run_to_array(device, input)?.into_vec()
    }
}

/// Structs whose positions are sorted, and the order of these after the parts of the fields sorted by so far.
struct Positions<'a, I: ?Sized, O: Output + ?Sized> {
    device: &'a Device,
    input: &'a I,
    output: &'a mut O,
    between: Option<Array<O::Item>>,
    left: usize,
}

impl<I: Input + ?Sized, O: Output<Item: Index + Offset> + ?Sized> SortPart<I::Item> for Positions<'_, I, O> {
    fn by<F, K>(&mut self, key: F) -> Result<()>
    where
        F: Copy,
        MapWith<F>: Map<I::Item, (I::Item,), Output = K>,
        K: Key,
    {
        self.left -= 1;
        let Self { device, input, output, between, left } = self;
        let Some(before) = between else {
            let sort = Sort::by_key(key).indices();
            if *left == 0 {
                return sort.run(device, *input, *output);
            }
            *between = Some(sort.run_to_array(device, *input)?);
            return Ok(());
        };
        let mut keys: Array<K> = Scan::new(Last).map(key).run_to_array(device, Gather::of(*input).at(&*before))?;
        Sort::pairs().run_in_place(device, (&mut keys, before))?;
        if *left == 0 { Scan::new(Last).run(device, &*before, &mut **output) } else { Ok(()) }
    }
}

/// Functions that map a field's value to an unsigned number, whose order is that of the values, or with `descending`
/// the reverse.
#[doc(hidden)]
pub mod in_order {
    use half::{bf16, f16};
    use upsweep_core::operator::function;

    macro_rules! unsigned {
        ($($name:ident $t:ident;)*) => { $(
            #[function(helper)]
            pub fn $name(x: $t, descending: bool) -> $t {
                if descending { !x } else { x }
            }
        )* };
    }
    unsigned! { of_u8 u8; of_u16 u16; of_u32 u32; of_u64 u64; of_u128 u128; of_usize usize; }

    macro_rules! signed {
        ($($name:ident $t:ident $bits:ident;)*) => { $(
            #[function(helper)]
            pub fn $name(x: $t, descending: bool) -> $bits {
                let ascending = (x as $bits) ^ (1 << ($bits::BITS - 1));
                if descending { !ascending } else { ascending }
            }
        )* };
    }
    signed! { of_i8 i8 u8; of_i16 i16 u16; of_i32 i32 u32; of_i64 i64 u64; of_i128 i128 u128; of_isize isize u64; }

    macro_rules! floats {
        ($($name:ident $t:ident $bits:ident;)*) => { $(
            #[function(helper)]
            pub fn $name(x: $t, descending: bool) -> $bits {
                // -0 takes the bits of +0.
                let own = x.to_bits();
                let bits = if own == 1 << ($bits::BITS - 1) { 0 } else { own };
                let ascending = if bits >> ($bits::BITS - 1) == 1 { !bits } else { bits ^ (1 << ($bits::BITS - 1)) };
                if x.is_nan() {
                    $bits::MAX
                } else if descending {
                    !ascending
                } else {
                    ascending
                }
            }
        )* };
    }
    floats! { of_f16 f16 u16; of_bf16 bf16 u16; of_f32 f32 u32; of_f64 f64 u64; }

    #[function(helper)]
    pub fn of_bool(x: bool, descending: bool) -> u8 {
        if x == descending { 0 } else { 1 }
    }

    #[function(helper)]
    pub fn of_char(x: char, descending: bool) -> u32 {
        if descending { !(x as u32) } else { x as u32 }
    }
}
