//! Carries in files: the options `--carry-in` and `--carry-out`.

use crate::args::Carries;
use crate::asked::Asked;
use crate::failure::{Failure, Result, called};
use crate::output::Destination;
use crate::source::Source;
use std::io::Read;
use std::path::Path;
use upsweep_dynamic::{Carry, Error, Op, Operation, Type};

/// Bytes of the longest carry that is read. One has some hundred, and those of a filter eight for each state of each line.
const LONGEST: u64 = 1 << 26;

/// Carries that the options name.
pub(crate) struct Carried<'a> {
    from: Option<&'a Path>,
    to: Option<Destination>,
}

impl<'a> Carried<'a> {
    /// Resolves the files that the options name, and checks whether an initial value, if there is one, has a place beside
    /// them. It must be called before the program opens anything.
    pub(crate) fn of(
        operation: Operation,
        carries: &'a Carries,
        init: Option<&str>,
        output: &Destination,
    ) -> Result<Self> {
        let reason = match operation {
            Operation::Scan if carries.carry_in.is_some() => {
                "comes before the first part, and its carry has it: leave it out with --carry-in"
            }
            Operation::Reduction if carries.carry_out.is_some() => {
                "is in no carry of a reduction: give it with the last part, without --carry-out"
            }
            _ => "",
        };
        if init.is_some() && !reason.is_empty() {
            return Err(Failure::Input(format!("--init: {reason}")));
        }
        Self::named(carries, output)
    }

    /// Resolves the files that the options name. It must be called before the program opens anything.
    pub(crate) fn named(carries: &'a Carries, output: &Destination) -> Result<Self> {
        let to = carries.carry_out.as_deref().map(|path| Destination::of("--carry-out", path)).transpose()?;
        if to.as_ref().is_some_and(|to| to.is(output)) {
            let name = output.name();
            return Err(Failure::Input(format!("--carry-out and the result cannot both go to {name}")));
        }
        Ok(Self { from: carries.carry_in.as_deref(), to })
    }

    /// Whether an option was given.
    pub(crate) fn is_asked(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Whether the carry after the last value is written.
    pub(crate) fn is_handed_on(&self) -> bool {
        self.to.is_some()
    }

    /// Reads the carry with which a call by `op` in the type `element` begins: that of `--carry-in`, or a new one.
    pub(crate) fn read(&self, operation: Operation, op: Op, element: Type) -> Result<Carry> {
        if let Some(to) = self.to.as_ref().filter(|_| element == Type::Bool) {
            let reason = "the carry of bool values stays in memory: --type u8 computes the same";
            return Err(Failure::Input(format!("--carry-out {}: {reason}", to.name())));
        }
        let Some((name, bytes)) = self.bytes()? else { return Ok(Carry::new()) };
        let wrong = |e: Error| Failure::input(&name, e);
        let carry = Carry::from_bytes(&bytes).map_err(wrong)?;
        carry.expect(operation, op, element).map_err(wrong)?;
        Ok(carry)
    }

    /// Returns the name of the file of `--carry-in`, if there is one, and its bytes.
    pub(crate) fn bytes(&self) -> Result<Option<(String, Vec<u8>)>> {
        let Some(path) = self.from else { return Ok(None) };
        let name = called(path);
        let source = Source::open(path, &name)?;
        let mut bytes = Vec::new();
        source.reader().take(LONGEST).read_to_end(&mut bytes).map_err(|e| Failure::reading(&name, &e))?;
        Ok(Some((name, bytes)))
    }

    /// Writes the carry after the last value to the file of `--carry-out`, which appears whole or not at all. It is
    /// called when the result is in its place: a file that is both carries then is never ahead of the results.
    pub(crate) fn write(&self, carry: &Carry, asked: &Asked<'_>) -> Result<()> {
        if self.to.is_none() {
            return Ok(());
        }
        self.store(&carry.to_bytes().map_err(|e| asked.failed(&e))?)
    }

    /// Writes the bytes of a carry, as [`write`](Self::write) does.
    pub(crate) fn store(&self, bytes: &[u8]) -> Result<()> {
        let Some(to) = &self.to else { return Ok(()) };
        to.write(|out| out.write_all(bytes).map_err(|e| Failure::writing(to.name(), &e)))
    }

    /// Fails if the carry of a scan would lose the initial value, which it has after the first value only.
    pub(crate) fn check_init(&self, carry: &Carry, asked: &Asked<'_>) -> Result<()> {
        let lost = self.to.is_some() && asked.common.init.is_some() && carry.position() == 0;
        let reason = "has no values, and its carry would lose --init: leave this part out";
        if lost { Err(Failure::input(asked.name, reason)) } else { Ok(()) }
    }
}
