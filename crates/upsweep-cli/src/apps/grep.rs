//! Command `upsweep text grep`: lines that match.
//!
//! On the host a pattern is searched for in a file that is read in parts, each as a whole: few lines match, and a search passes over
//! the others faster than line by line. Patterns that a line end may match, and all on a GPU, are automata, which a device runs over
//! the whole text.

use super::{TextFile, There, failed, open};
use crate::args::apps::Grep;
use crate::device::{Chosen, Work};
use crate::failure::{Failure, Result};
use crate::output::Destination;
use crate::text::{Text, TextForm, open as open_text};
use memchr::{memchr, memchr_iter, memmem, memrchr};
use rayon::prelude::*;
use regex::bytes::{Regex, RegexBuilder};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use upsweep_apps::text;

/// Number of bytes of a file that a thread searches at once: few enough for a core's cache.
const PART: usize = 1 << 18;

pub(crate) fn run(args: &Grep) -> Result<()> {
    let pattern = if args.ignore_case { format!("(?i){}", args.pattern) } else { args.pattern.clone() };
    let new = if args.invert_match { text::Grep::inverted } else { text::Grep::new };
    let grep = new(&pattern).map_err(|e| failed("PATTERN", e))?;
    let chosen = Chosen::open(args.on.device, Work::Computation)?;
    let finder = if chosen.on_host && !args.invert_match { Finder::of(args) } else { None };
    let parts = args.only_matching.then(|| RegexBuilder::new(&pattern).unicode(false).build());
    let parts = parts.transpose().map_err(|e| Failure::Input(format!("PATTERN: {e}")))?;
    let output = Destination::standard_output();
    let mut all = 0;
    output.write(|out| {
        for path in &args.files {
            let form = TextForm { encoding: args.encoding, ..TextForm::default() };
            let mut found = Found { args, parts: &parts, out: &mut *out, file: None, lines: 0 };
            if let [_, _, ..] = args.files[..] {
                found.file = Some(path);
            }
            match &finder {
                Some(finder) => search(path, form, finder, &mut found)?,
                None => match_lines(path, form, (&grep, &chosen), &mut found)?,
            }
            all += found.finish()?;
        }
        Ok(())
    })?;
    if all > 0 { Ok(()) } else { Err(Failure::No) }
}

/// Whether a regular expression is a plain text, of one byte at least.
fn is_plain(pattern: &str) -> bool {
    !pattern.is_empty()
        && !pattern.contains(['\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$', '\n', '\r'])
}

/// Whether a regular expression is one whose matches lie within lines, as far as its text shows: so that a search in many lines does
/// not pass over a line end, and its begins and ends of lines are those of each line alone.
fn is_within_lines(pattern: &str) -> bool {
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        let is_known = |escaped: u8| matches!(escaped, b'b' | b'd' | b'w') || escaped.is_ascii_punctuation();
        if byte == b'\n' || byte == b'\\' && !bytes.next().is_some_and(is_known) {
            return false;
        }
    }
    !["[^", ":^"].iter().any(|negated| pattern.contains(negated)) && !pattern.replace("(?:", "").contains("(?")
}

/// Search for lines in a text of many.
enum Finder<'a> {
    Text(Box<memmem::Finder<'a>>),
    /// Regular expression of a text of many lines, and of one line: the first may find a match that goes over a line end.
    Pattern(Regex, Regex),
}

impl<'a> Finder<'a> {
    /// Returns the search for the lines that a pattern matches; `None` if it is one that has to be searched for line by line.
    fn of(args: &'a Grep) -> Option<Self> {
        let pattern = &args.pattern;
        if !args.ignore_case && is_plain(pattern) {
            return Some(Self::Text(Box::new(memmem::Finder::new(pattern))));
        }
        if args.crlf || !is_within_lines(pattern) {
            return None;
        }
        let mut builder = RegexBuilder::new(pattern);
        builder.unicode(false).case_insensitive(args.ignore_case);
        let line = builder.build().ok()?;
        Some(Self::Pattern(builder.multi_line(true).build().ok()?, line))
    }

    /// Returns the begin and end of the first line that matches, of those that begin at `at` or later; a line begins there.
    fn find(&self, text: &[u8], mut at: usize) -> Option<(usize, usize)> {
        loop {
            let (place, last) = match self {
                Self::Text(finder) => finder.find(text.get(at..)?).map(|place| (at + place, at))?,
                Self::Pattern(many, _) => {
                    many.find_at(text, at.min(text.len())).map(|part| (part.start(), part.end()))?
                }
            };
            let begin = memrchr(b'\n', &text[at..place]).map_or(at, |end| at + end + 1);
            let end = memchr(b'\n', &text[place..]).map_or(text.len(), |end| place + end);
            // Nothing behind the last line end is no line.
            if begin == text.len() {
                return None;
            }
            match self {
                Self::Pattern(_, one) if last > end && !one.is_match(&text[begin..end]) => at = end + 1,
                _ => return Some((begin, end)),
            }
            if at >= text.len() {
                return None;
            }
        }
    }

    /// Number of bytes that are read at once: a plain text is found as fast as it is read, and a pattern by all threads.
    fn reads(&self) -> usize {
        match self {
            Self::Text(_) => PART,
            Self::Pattern(..) => PART * rayon::current_num_threads().max(1),
        }
    }

    /// Returns the begins and ends of the lines of `text` that match.
    fn lines(&self, text: &[u8]) -> Vec<(usize, usize)> {
        let (mut parts, mut begin) = (Vec::new(), 0);
        while begin < text.len() {
            let rest = text.len().min(begin + PART);
            let end = memchr(b'\n', &text[rest..]).map_or(text.len(), |end| rest + end + 1);
            parts.push((begin, end));
            begin = end;
        }
        let in_part = |(mut at, end): (usize, usize)| {
            let mut lines = Vec::new();
            while let Some(line) = self.find(&text[..end], at) {
                lines.push(line);
                at = end.min(line.1 + 1);
            }
            lines
        };
        match parts[..] {
            [part] => in_part(part),
            _ => parts.into_par_iter().flat_map_iter(in_part).collect(),
        }
    }
}

/// Lines of a file that were found.
struct Found<'a> {
    args: &'a Grep,
    /// Regular expression of the parts of a line that are written.
    parts: &'a Option<Regex>,
    out: &'a mut dyn Write,
    /// File, if lines begin with its name.
    file: Option<&'a Path>,
    /// Number of lines so far.
    lines: u64,
}

impl Found<'_> {
    /// Takes a line, without its end, and its number from 0 on.
    fn take(&mut self, line: &[u8], number: u64) -> Result<()> {
        self.lines += 1;
        if self.args.count {
            return Ok(());
        }
        let line = if self.args.crlf { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        match self.parts {
            None => self.write(number, line),
            Some(parts) => {
                let parts = parts.find_iter(line).map(|part| part.as_bytes());
                parts.filter(|part| !part.is_empty()).try_for_each(|part| self.write(number, part))
            }
        }
        .map_err(|e| Failure::writing(Destination::standard_output().name(), &e))
    }

    fn write(&mut self, number: u64, text: &[u8]) -> std::io::Result<()> {
        if let Some(file) = self.file {
            write!(self.out, "{}:", file.display())?;
        }
        if self.args.line_number {
            write!(self.out, "{}:", number + 1)?;
        }
        self.out.write_all(text)?;
        self.out.write_all(b"\n")
    }

    /// Writes the number of lines, if that was asked for, and returns it.
    fn finish(self) -> Result<u64> {
        if self.args.count {
            let file = self.file.map_or_else(String::new, |file| format!("{}:", file.display()));
            writeln!(self.out, "{file}{}", self.lines)
                .map_err(|e| Failure::writing(Destination::standard_output().name(), &e))?;
        }
        Ok(self.lines)
    }
}

/// Finds the lines of a file, part by part.
fn search(path: &Path, form: TextForm, finder: &Finder<'_>, found: &mut Found<'_>) -> Result<()> {
    let (file, name) = open(path)?;
    let Text { mut reader, .. } = open_text(file, form, &name)?;
    // Bytes that were read, from the begin of a line on; and the number of lines before them.
    let (mut bytes, mut len, mut number) = (vec![0; finder.reads()], 0, 0);
    loop {
        if len == bytes.len() {
            bytes.resize(2 * len, 0);
        }
        let read = match reader.read(&mut bytes[len..]) {
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            read => read.map_err(|e| Failure::reading(&name, &e))?,
        };
        let whole = match memrchr(b'\n', &bytes[len..len + read]) {
            _ if read == 0 => len,
            Some(last) => len + last + 1,
            None => 0,
        };
        len += read;
        number += search_lines(&bytes[..whole], finder, number, found)?;
        bytes.copy_within(whole..len, 0);
        len -= whole;
        if read == 0 {
            return Ok(());
        }
    }
}

/// Finds the lines of `text`; `number` is that of the first line. Returns the number of line ends, if lines are numbered.
fn search_lines(text: &[u8], finder: &Finder<'_>, number: u64, found: &mut Found<'_>) -> Result<u64> {
    let numbered = found.args.line_number;
    let ends = |text: &[u8]| if numbered { memchr_iter(b'\n', text).count() as u64 } else { 0 };
    let (mut at, mut before) = (0, 0);
    for (begin, end) in finder.lines(text) {
        before += ends(&text[at..begin]);
        found.take(&text[begin..end], number + before)?;
        before += u64::from(end < text.len());
        at = text.len().min(end + 1);
    }
    Ok(before + ends(&text[at..]))
}

/// Finds the lines of a file that an automaton accepts.
fn match_lines(
    path: &Path,
    form: TextForm,
    (grep, chosen): (&text::Grep, &Chosen),
    found: &mut Found<'_>,
) -> Result<()> {
    let TextFile { bytes: mut text, name, .. } = TextFile::read(path, form)?;
    if found.args.crlf {
        let mut kept = Vec::with_capacity(text.len());
        let mut rest = &text[..];
        while let Some(at) = memmem::find(rest, b"\r\n") {
            kept.extend(&rest[..at]);
            rest = &rest[at + 1..];
        }
        kept.extend(rest);
        text = kept;
    }
    let library = |e| failed(&name, upsweep_apps::Error::Library(e));
    let there = There::of(chosen, &text).map_err(library)?;
    if found.args.count {
        found.lines = grep.count(&chosen.device, &there).map_err(|e| failed(&name, e))?;
        return Ok(());
    }
    let lines = grep.run(&chosen.device, &there).map_err(|e| failed(&name, e))?;
    let [starts, ends, numbers] = [&lines.starts, &lines.ends, &lines.numbers].map(|x| x.to_vec().map_err(library));
    let (starts, ends, numbers) = (starts?, ends?, numbers?);
    for ((&start, &end), &number) in starts.iter().zip(&ends).zip(&numbers) {
        found.take(text.get(start as usize..end as usize).unwrap_or_default(), number)?;
    }
    Ok(())
}
