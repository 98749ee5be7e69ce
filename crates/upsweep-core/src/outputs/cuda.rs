//! Outputs of a kernel: addresses among the values that functions hold, and the text that stores results.

use super::Target;
use crate::error::Result;
use crate::inputs::{Lend, Opening, Reading};
use crate::operator::{Element, Source, Values};

/// A source of device addresses: borrows outputs for a kernel, and the inputs that hold scatter indices.
pub trait LendMut<'a>: Lend<'a> {
    /// Returns the address of an output, borrowed for the kernels that are launched next.
    ///
    /// # Errors
    /// An error when the output is not in the memory of the computing device, or overlaps other outputs.
    fn lend_mut<T: Element>(&mut self, what: &'static str, target: &'a mut Target<'_, T>) -> Result<u64>;
}

/// Collector of the addresses and numbers through which a kernel stores its results.
#[derive(Debug)]
pub struct Storing<'h, L> {
    opening: Opening<'h, L>,
    /// Whether the output is one buffer, whose address is a parameter of the kernel.
    plain: bool,
    /// Address of a plain output, or 0.
    address: u64,
}

impl<'h, L> Storing<'h, L> {
    pub fn new(values: &'h mut Values, lender: L, plain: bool) -> Self {
        Self { opening: Opening::new(values, lender), plain, address: 0 }
    }

    /// Returns the address of a plain output, or 0; the source of addresses; and whether a function has values that its
    /// CUDA text contains.
    pub fn finish(self) -> (u64, L, bool) {
        let (_, lender, in_text) = self.opening.finish();
        (self.address, lender, in_text)
    }

    /// Adds an output that stores each result at its own position.
    pub(super) fn stream<'a, T: Element>(&mut self, what: &'static str, target: &'a mut Target<'_, T>) -> Result<()>
    where
        L: LendMut<'a>,
    {
        if self.plain {
            self.address = self.opening.lender.lend_mut(what, target)?;
            return Ok(());
        }
        self.buffer(what, target)
    }

    /// Adds an output whose address is among the values of functions, from which the C++ text reads it.
    pub(super) fn buffer<'a, T: Element>(&mut self, what: &'static str, target: &'a mut Target<'_, T>) -> Result<()>
    where
        L: LendMut<'a>,
    {
        let address = self.opening.lender.lend_mut(what, target)?;
        self.opening.number(address);
        Ok(())
    }

    pub(super) fn number<T: Element>(&mut self, value: T) {
        self.opening.number(value);
    }

    /// Returns the collector of addresses and numbers for inputs, used for scatter indices. The kernel does not stream
    /// (read from one end to the other) the buffers of such inputs.
    pub(super) fn opening(&mut self) -> &mut Opening<'h, L> {
        self.opening.apart();
        &mut self.opening
    }
}

/// Generator of the C++ text that stores results.
#[derive(Debug)]
pub struct WritingText<'s> {
    pub(super) reading: Reading<'s>,
    /// C++ statements that store the result `value` at position `at`.
    pub element: String,
    /// C++ statements that store a vector of results, the array `from`, from position `at` on.
    pub vector: String,
    /// C++ condition that the address of each buffer is aligned for vectors of results.
    pub aligned: String,
}

impl<'s> WritingText<'s> {
    pub fn new(source: &'s mut Source) -> Self {
        let reading = Reading::apart(source);
        Self { reading, element: String::new(), vector: String::new(), aligned: "true".to_owned() }
    }

    /// Adds the next buffer of the output, in which each result, or its part for this buffer, is stored at the result's
    /// position. `value` is a C++ expression of what is stored.
    pub(super) fn stream<T: Element>(&mut self, value: &str) {
        let ty = T::cuda_type(self.reading.source);
        let address = self.reading.number::<u64>();
        let of = |result: &str| format!("{result}{}", value.strip_prefix("value").unwrap_or_default());
        self.element += &format!("    store_element(({ty}*){address} + at, {});\n", of("value"));
        self.vector += &format!("    store(({ty}*){address} + at, [&](u32 j) {{ return {}; }});\n", of("from[j]"));
        self.aligned += &format!(" && aligned((const {ty}*){address})");
    }

    /// Adds the checks of a scatter's indices, each before its result is stored.
    pub(super) fn check(&mut self) {
        for (right, report) in std::mem::take(&mut self.reading.indices) {
            self.element(&format!("if (!{right}) {report}"));
        }
    }

    /// Adds a C++ statement that stores a part of one result. A vector of results repeats the statement in a loop.
    pub(super) fn element(&mut self, statement: &str) {
        self.element += &format!("    {statement}\n");
        self.vector += &format!(
            "    for (u32 j = 0; j < Store::COUNT; j++) {{\n        const Out& value = from[j];\n        const u64 first = at;\n        \
             {{ const u64 at = first + j; {statement} }}\n    }}\n"
        );
    }
}
