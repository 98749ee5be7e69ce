//! Inputs of a kernel: streams of elements, and numbers among the values that functions hold.
//!
//! To a kernel, an input is streams, values among its parameters, and an expression that reads an element. The address
//! of the first stream is a field of the parameters; other addresses are among the values of functions. `open` adds the
//! values in the order in which the text reads them. A single buffer is the plain case, and its code has nothing of the
//! others. An index is checked after the loads of several elements; a wrong index is reported as a wrong offset is.

use crate::buffer::View;
use crate::error::Result;
use crate::operator::{Element, Source, Values};

/// A source of device addresses: borrows buffers for a kernel.
pub trait Lend<'a> {
    /// Returns the address of a buffer, borrowed for the kernels that are launched next.
    ///
    /// # Errors
    /// An error when the buffer is not in the memory of the computing device, or overlaps the results.
    fn lend<T: Element>(&mut self, what: &'static str, view: &'a View<'_, T>) -> Result<u64>;
}

/// Collects the addresses and numbers through which a kernel reads its inputs.
#[derive(Debug)]
pub struct Opening<'h, L> {
    /// Values of functions, to which addresses and numbers are added.
    values: &'h mut Values,
    /// Source of the addresses of buffers on the device. It borrows the buffers for the kernel.
    pub lender: L,
    /// Address of the first stream (a buffer that the kernel reads from end to end), which is a parameter of the
    /// kernel; 0 if there is no stream.
    first: u64,
    streams: usize,
    apart: bool,
    /// Whether the CUDA text of a function contains the values that the function holds, because it does not add them to
    /// the kernel's values.
    in_text: bool,
}

impl<'h, L> Opening<'h, L> {
    pub fn new(values: &'h mut Values, lender: L) -> Self {
        Self { values, lender, first: 0, streams: 0, apart: false, in_text: false }
    }

    /// Adds the values that a function of the type `F` holds: `add` adds them.
    pub(super) fn function<F>(&mut self, add: impl FnOnce(&mut Values)) {
        let before = self.values.len();
        add(self.values);
        self.in_text |= size_of::<F>() > 0 && self.values.len() == before;
    }

    /// Returns the address of the first stream, or 0 if there is none; the source of addresses; and whether a function
    /// has values that its CUDA text contains.
    pub fn finish(self) -> (u64, L, bool) {
        (self.first, self.lender, self.in_text)
    }

    /// Makes all buffers that are added later gathered ones: the kernel reads their elements at their use, and does not
    /// stream them.
    pub fn apart(&mut self) {
        self.apart = true;
    }

    /// Adds a buffer that the kernel streams (reads from one end to the other) or, after a call of
    /// [`apart`](Self::apart), gathers.
    pub(super) fn stream<'a, T: Element>(&mut self, what: &'static str, view: &'a View<'_, T>) -> Result<()>
    where
        L: Lend<'a>,
    {
        let address = self.lender.lend(what, view)?;
        if self.streams == 0 && !self.apart {
            self.first = address;
        } else {
            self.values.push(address);
        }
        self.streams += 1;
        Ok(())
    }

    /// Adds a buffer that is not a stream: the generated text contains the expression that reads its elements.
    pub fn buffer<'a, T: Element>(&mut self, what: &'static str, view: &'a View<'_, T>) -> Result<()>
    where
        L: Lend<'a>,
    {
        let address = self.lender.lend(what, view)?;
        self.values.push(address);
        Ok(())
    }

    pub fn number<T: Element>(&mut self, value: T) {
        self.values.push(value);
    }

    /// Adds padding for a number that the kernel does not read.
    pub(super) fn no_number<T: Element>(&mut self) {
        self.values.skip::<T>();
    }
}

/// Generator of the C++ text that reads the inputs of a kernel.
#[derive(Debug)]
pub struct Reading<'s> {
    pub source: &'s mut Source,
    /// C++ type of each stream's elements, and the C++ expression of its address, which is empty for the first stream.
    pub streams: Vec<(String, String)>,
    /// C++ expression of the address of the number of values, where it is in device memory.
    pub length: Option<String>,
    /// C++ conditions that indices are in range, each with the statement that reports an index that is not.
    pub indices: Vec<(String, String)>,
    form: Form,
}

/// Form in which the generated C++ text reads the elements of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// One stream, whose element is `x`.
    Plain,
    /// Streams, whose elements are fields of `x`.
    Fields,
    /// Gathered: each element is read at its use.
    Apart,
}

impl<'s> Reading<'s> {
    /// Creates a generator of text that reads buffers as streams. `plain`: the input is one buffer and nothing else.
    pub fn new(source: &'s mut Source, plain: bool) -> Self {
        Self {
            source,
            streams: Vec::new(),
            length: None,
            indices: Vec::new(),
            form: if plain { Form::Plain } else { Form::Fields },
        }
    }

    /// Creates a generator of text that gathers: it reads each element at its use, and no buffer is streamed.
    pub fn apart(source: &'s mut Source) -> Self {
        Self { source, streams: Vec::new(), length: None, indices: Vec::new(), form: Form::Apart }
    }

    /// Returns a C++ expression for the element at position `at` of the next buffer.
    pub(super) fn stream<T: Element>(&mut self, at: &str) -> String {
        let ty = T::cuda_type(self.source);
        if self.form == Form::Apart {
            return format!("((const {ty}*){})[{at}]", self.source.value::<u64>());
        }
        let number = self.streams.len();
        let address = if number == 0 { String::new() } else { self.source.value::<u64>() };
        self.streams.push((ty, address));
        if self.form == Form::Plain { "x".to_owned() } else { format!("x.s{number}") }
    }

    /// Adds a check that `index` names an element of `table`, which has `len` elements. All are C++ expressions, and
    /// `at` is the position of the index.
    pub(super) fn index(&mut self, table: &str, index: &str, len: &str, at: &str) {
        let report = format!("report_index(workspace_header(), {at}, (i64)({index}), {len});");
        self.indices.push((format!("{table}.names({index})"), report));
    }

    /// Returns a C++ expression for the next of the numbers that [`Opening::number`] added.
    pub fn number<T: Element>(&mut self) -> String {
        self.source.value::<T>()
    }
}
