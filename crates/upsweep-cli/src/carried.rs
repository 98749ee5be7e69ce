//! Carries in files: the options `--carry-in` and `--carry-out`.

use crate::args::Carries;
use crate::asked::Asked;
use crate::failure::{Failure, Result, called};
use crate::output::Destination;
use crate::source::Source;
use std::io::Read;
use std::path::Path;
use upsweep_dynamic::{Carry, Error, Op, Operation, Type};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the longest carry that is read. One has some hundred, and those of a filter eight for each state of each line.
const LONGEST: u64 = 1 << 26;

/// Beginning of the carry of a command that hands on a few numbers.
const BEGIN: &str = "upsweep ";

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
        Self::named(carries, &[output])
    }

    /// Resolves the files that the options name. It must be called before the program opens anything.
    pub(crate) fn named(carries: &'a Carries, outputs: &[&Destination]) -> Result<Self> {
        let to = carries.carry_out.as_deref().map(|path| Destination::of("--carry-out", path)).transpose()?;
        let same = |output: &&&Destination| to.as_ref().is_some_and(|to| to.is(output));
        if let Some(output) = outputs.iter().find(same) {
            let name = output.name();
            return Err(Failure::Input(format!("--carry-out and the result cannot both go to {name}")));
        }
        Ok(Self { from: carries.carry_in.as_deref(), to })
    }

    /// Fails if an option was given, for this reason.
    pub(crate) fn refuse(&self, reason: &str) -> Result<()> {
        let given = [("--carry-in", self.from.is_some()), ("--carry-out", self.to.is_some())];
        given
            .iter()
            .find(|(_, given)| *given)
            .map_or(Ok(()), |(option, _)| Err(Failure::Input(format!("{option}: {reason}"))))
    }

    /// Whether an option was given.
    pub(crate) fn is_asked(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Whether values came before the first one.
    pub(crate) fn is_handed_in(&self) -> bool {
        self.from.is_some()
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

    /// Reads the numbers that a call of this kind has handed on, from the file of `--carry-in` if there is one.
    pub(crate) fn numbers(&self, of: &str) -> Result<Option<Vec<u64>>> {
        let Some((name, bytes)) = self.bytes()? else { return Ok(None) };
        let wrong = |reason: String| Failure::input(&name, format!("the carry {reason}"));
        let none = || wrong("does not begin as one of a command: it is another file, or cut off".to_owned());
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(none)?;
        let (line, rest) = bytes.split_at(end + 1);
        let found = line.strip_prefix(BEGIN.as_bytes()).and_then(|line| std::str::from_utf8(line).ok());
        let found = found.ok_or_else(none)?.trim_end();
        if found != of {
            return Err(wrong(format!("is of {found}, and this is {of}")));
        }
        let words: Vec<u64> = rest.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        let content = bytes.len().checked_sub(size_of::<u64>()).and_then(|end| bytes.get(..end)).unwrap_or_default();
        match words.split_last() {
            Some((&sum, numbers)) if rest.len() % 8 == 0 && sum == xxh3_64(content) => Ok(Some(numbers.to_vec())),
            _ => Err(wrong("is cut off, or damaged".to_owned())),
        }
    }

    /// Writes numbers that a call of this kind hands on, as [`write`](Self::write) does a carry: a line with the kind, the numbers,
    /// and a checksum.
    pub(crate) fn store_numbers(&self, of: &str, numbers: &[u64]) -> Result<()> {
        if self.to.is_none() {
            return Ok(());
        }
        let mut bytes = format!("{BEGIN}{of}\n").into_bytes();
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        self.store(&bytes)
    }

    /// Fails if the carry of a scan would lose the initial value, which it has after the first value only.
    pub(crate) fn check_init(&self, carry: &Carry, asked: &Asked<'_>) -> Result<()> {
        let lost = self.to.is_some() && asked.common.init.is_some() && carry.position() == 0;
        let reason = "has no values, and its carry would lose --init: leave this part out";
        if lost { Err(Failure::input(asked.name, reason)) } else { Ok(()) }
    }
}
