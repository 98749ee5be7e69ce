//! How inputs come to a kernel: streams of elements, and numbers among the values that functions hold.
//!
//! To a kernel, an input is streams, values among its parameters, and an expression that reads an element. The address
//! of the first stream is a field of the parameters; other addresses lie among the values of functions. `open` adds
//! these in the order in which the text asks for them. A single buffer is the plain case, and its code has nothing of
//! the others. An index is checked after the loads of several elements; a wrong one is reported as a wrong offset is.

use crate::buffer::View;
use crate::error::Result;
use crate::operator::{Element, Source, Values};

/// Who lends buffers to a kernel.
pub trait Lend<'a> {
    /// The address of a buffer, which is on loan for the kernels that are launched next.
    ///
    /// # Errors
    /// When it is not where the device computes, or overlaps the results.
    fn lend<T: Element>(&mut self, what: &'static str, view: &'a View<'_, T>) -> Result<u64>;
}

/// Gives a kernel what it reads of its inputs.
#[derive(Debug)]
pub struct Opening<'h, L> {
    /// The values, to which addresses and numbers are added.
    values: &'h mut Values,
    /// Who lends the buffers.
    pub lender: L,
    /// The address of the first stream, which is a parameter of its own; 0 if there is none.
    first: u64,
    streams: usize,
    apart: bool,
    /// Whether a function holds values in its text.
    in_text: bool,
}

impl<'h, L> Opening<'h, L> {
    pub fn new(values: &'h mut Values, lender: L) -> Self {
        Self { values, lender, first: 0, streams: 0, apart: false, in_text: false }
    }

    /// A function, which adds its values.
    pub(super) fn function<F>(&mut self, add: impl FnOnce(&mut Values)) {
        let before = self.values.len();
        add(self.values);
        self.in_text |= size_of::<F>() > 0 && self.values.len() == before;
    }

    /// The address of the first stream, or 0; the lender; whether a function holds values in its text.
    pub fn finish(self) -> (u64, L, bool) {
        (self.first, self.lender, self.in_text)
    }

    /// From here on, buffers are not streamed.
    pub fn apart(&mut self) {
        self.apart = true;
    }

    /// A buffer that is streamed.
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

    /// A buffer that the text reads by itself.
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

    /// The place of a number that nobody reads.
    pub(super) fn no_number<T: Element>(&mut self) {
        self.values.skip::<T>();
    }
}

/// Makes the text that reads inputs.
#[derive(Debug)]
pub struct Reading<'s> {
    pub source: &'s mut Source,
    /// The C++ type of each stream's elements, and where its address is: a C++ expression, or empty of the first one's.
    pub streams: Vec<(String, String)>,
    /// A C++ expression for the address of the number of values, where the device knows it.
    pub length: Option<String>,
    /// C++ conditions that indices name elements, and for each a statement that reports that it does not.
    pub indices: Vec<(String, String)>,
    form: Form,
}

/// How the elements of buffers come to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// There is one stream, whose element is `x`.
    Plain,
    /// They are streamed, and are fields of `x`.
    Fields,
    /// They are read where they are asked for.
    Apart,
}

impl<'s> Reading<'s> {
    /// Of streams; `plain` says that the input is one of them and nothing else.
    pub fn new(source: &'s mut Source, plain: bool) -> Self {
        Self {
            source,
            streams: Vec::new(),
            length: None,
            indices: Vec::new(),
            form: if plain { Form::Plain } else { Form::Fields },
        }
    }

    /// Of inputs that are not streamed.
    pub fn apart(source: &'s mut Source) -> Self {
        Self { source, streams: Vec::new(), length: None, indices: Vec::new(), form: Form::Apart }
    }

    /// An expression for the next buffer's element at position `at`.
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

    /// Has `index`, an expression, checked: whether it names an element of `table`, which has `len`.
    pub(super) fn index(&mut self, table: &str, index: &str, len: &str, at: &str) {
        let report = format!("report_index(workspace_header(), {at}, (i64)({index}), {len});");
        self.indices.push((format!("{table}.names({index})"), report));
    }

    /// An expression for the next number.
    pub fn number<T: Element>(&mut self) -> String {
        self.source.value::<T>()
    }
}
