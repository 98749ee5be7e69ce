//! Run as text: the counts of each step, and the arrays that it wrote.

use super::banks::{self, Item};
use super::hints;
use super::recording::Recording;
use super::{count_of, divergence, name_of, phrases, place_of};
use crate::lesson::{Line, Part, Section};
use crate::machine::Step;
use std::fmt::Write;

/// Rows of the table of an access, which is that of the lecture: each one's name, and its number for a thread.
const TABLE: [(&str, fn(&Item, usize) -> usize); 3] =
    [("thread", |item, _| item.thread), ("word", |item, _| item.word), ("bank", |item, banks| item.word % banks)];

/// Largest number of characters of a line.
const WIDTH: usize = 80;

/// How the output marks the words of memory that a step wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// Star before the word, for output without colours.
    Plain,
    /// Colour of the terminal.
    Colour,
}

/// Formats the whole run: its head, and each step with its counts and the arrays that it wrote.
#[must_use]
pub fn render(recording: &Recording, marks: Marks) -> String {
    let names = recording.run.arrays.iter().map(|array| name_of(array).chars().count());
    let names = names.max().unwrap_or(0).clamp(6, 20);
    let mut page = Page { recording, marks, width: width(recording), names, out: String::new() };
    page.head();
    let (run, mut memory) = (&recording.run, recording.run.memory_after(0));
    for array in
        (0..run.arrays.len()).filter(|&array| run.arrays[array].since == 0 && run.arrays[array].block.is_none())
    {
        page.words(array, &memory[array], &[]);
    }
    let mut kernel = None;
    for (number, step) in run.steps.iter().enumerate() {
        if kernel.replace(step.kernel) != Some(step.kernel) {
            page.line(format_args!("\nkernel {}", step.kernel));
        }
        page.step(number, step, &mut memory);
    }
    page.end();
    page.out
}

/// Width in characters of the widest value.
fn width(recording: &Recording) -> usize {
    let run = &recording.run;
    let initial = run.arrays.iter().flat_map(|array| &array.initial).flatten();
    let written =
        run.steps.iter().flat_map(|step| &step.events).flat_map(|event| &event.writes).map(|place| &place.value);
    let shown = initial.chain(written).map(|value| recording.shown(value).chars().count());
    // A value has room for two characters at least.
    shown.max().unwrap_or(1).max(2)
}

struct Page<'a> {
    recording: &'a Recording,
    marks: Marks,
    /// Widths in characters: of a value, and of an array's name.
    width: usize,
    names: usize,
    out: String,
}

impl Page<'_> {
    /// Appends a line. Writing to a string cannot fail.
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        let _infallible = writeln!(self.out, "{text}");
    }

    fn head(&mut self) {
        let recording = self.recording;
        let algorithm = recording.algorithm;
        self.wrapped(&format!("{}: ", algorithm.name), algorithm.title);
        self.line(format_args!("{}", recording.summary()));
        if let Some(heads) = recording.segments() {
            let heads = heads.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            self.wrapped("segments begin at ", &heads);
        }
        self.wrapped("source  ", algorithm.source);
        self.lesson();
        for (options, words) in hints(algorithm) {
            self.wrapped_by("try  ", "     ", &format!("{options}   {words}"));
        }
        let mark = match self.marks {
            Marks::Plain => "marked *",
            Marks::Colour => "in colour",
        };
        self.line(format_args!("\n-- the run --\nwords that a step wrote are {mark}; . holds nothing yet"));
        if recording.shown(&recording.identity) == "id" {
            self.line(format_args!("id is the identity, {}", recording.identity));
        }
        self.line(format_args!("\nbefore"));
    }

    /// Appends the text of the algorithm.
    fn lesson(&mut self) {
        for Section { heading, parts } in self.recording.algorithm.lesson().sections {
            if !heading.is_empty() {
                self.line(format_args!("\n-- {heading} --"));
            }
            for (number, part) in parts.iter().enumerate() {
                if number > 0 || heading.is_empty() {
                    self.line(format_args!(""));
                }
                match part {
                    Part::Prose(text) => self.wrapped_by("", "", text),
                    Part::Item(text) => self.wrapped_by("- ", "  ", text),
                    Part::Code(lines) => lines.iter().for_each(|line| self.code(line)),
                }
            }
        }
    }

    /// Appends a line of code, with the names of its steps.
    fn code(&mut self, line: &Line) {
        let names: Vec<String> = line.steps.iter().map(ToString::to_string).collect();
        match names.is_empty() {
            true => self.line(format_args!("  {}", line.text)),
            false => {
                let names = format!("# {}", names.join(", "));
                let gap = (WIDTH - 2).saturating_sub(line.text.chars().count() + names.chars().count()).max(1);
                self.line(format_args!("  {}{:gap$}{names}", line.text, ""));
            }
        }
    }

    fn step(&mut self, number: usize, step: &Step, memory: &mut [Vec<Option<String>>]) {
        let mut written: Vec<(usize, Vec<usize>)> = Vec::new();
        for place in step.events.iter().flat_map(|event| &event.writes) {
            memory[place.array][place.index] = Some(place.value.clone());
            match written.iter_mut().find(|(array, _)| *array == place.array) {
                Some((_, words)) => words.push(place.index),
                None => written.push((place.array, vec![place.index])),
            }
        }
        written.sort_unstable_by_key(|&(array, _)| array);
        let blocks = self.recording.run.steps.iter().any(|step| step.block > 0);
        let block = if blocks { format!(" (block {})", step.block) } else { String::new() };
        let title = format!("\nstep {}  {}{block}: ", number + 1, step.label);
        let mut notes = phrases(&step.counts);
        notes.extend(divergence(&step.divergent));
        self.wrapped(&title, &notes.join(", "));
        for (array, words) in &written {
            self.words(*array, &memory[*array], words);
        }
        self.registers(number, step);
        self.banks(step);
        if written.is_empty() {
            self.line(format_args!("  nothing is written: threads keep what they found in registers"));
        }
        for _ in 0..step.counts.barriers {
            self.line(format_args!("  {:-<1$}", "barrier ", WIDTH - 2));
        }
    }

    /// Appends the registers that the step's threads wrote, with the values of all threads.
    fn registers(&mut self, number: usize, step: &Step) {
        let kept = |name: &str| step.events.iter().any(|event| event.kept.iter().any(|(own, _)| *own == name));
        for (name, values) in self.recording.run.registers_after(number + 1).iter().filter(|(name, _)| kept(name)) {
            let words: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or(".")).collect();
            self.wrapped_by("    ", "        ", &format!("registers {name}: {}", words.join(" ")));
        }
    }

    /// Appends the threads and banks of the step's worst access, if words of one bank collide in it.
    fn banks(&mut self, step: &Step) {
        let worst = banks::accesses(&self.recording.run, step).into_iter().rev().max_by_key(|access| access.degree);
        let Some(access) = worst.filter(|access| access.degree > 1) else { return };
        let array = name_of(&self.recording.run.arrays[access.array]);
        let verb = if access.write { "write to" } else { "read of" };
        self.line(format_args!("    the worst access, a {verb} {array}, takes {} turns", access.degree));
        let banks = self.recording.shape.banks.number();
        for items in access.items.chunks(16) {
            for (title, of) in TABLE {
                let cells: String = items.iter().map(|item| format!("{:>4}", of(item, banks))).collect();
                self.line(format_args!("    {title:<7}{cells}"));
            }
        }
    }

    /// Appends the words of an array in lines. Each line but the first begins with the index of its first word.
    fn words(&mut self, array: usize, words: &[Option<String>], written: &[usize]) {
        let (name, names) = (name_of(&self.recording.run.arrays[array]), self.names);
        let cell = self.width + 2;
        let in_line = (WIDTH.saturating_sub(names + 3) / cell).max(1);
        // A line has a multiple of 8 words if it can, so that indices can be counted.
        let in_line = if words.len() > in_line && in_line >= 8 { in_line / 8 * 8 } else { in_line };
        for (number, line) in words.chunks(in_line).enumerate() {
            let mut text = match number {
                0 => format!("  {name:<names$}"),
                _ => format!("  {:>names$}", format!("+{} ", number * in_line)),
            };
            for (index, word) in line.iter().enumerate().map(|(at, word)| (number * in_line + at, word)) {
                let value = word.as_deref().map_or(".", |value| self.recording.shown(value));
                let changed = written.contains(&index);
                let star = if changed && self.marks == Marks::Plain { "*" } else { "" };
                let padded = format!("{:>cell$}", format!("{star}{value}"));
                match changed && self.marks == Marks::Colour {
                    true => text.push_str(&padded.replace(value, &format!("\x1b[1;32m{value}\x1b[0m"))),
                    false => text.push_str(&padded),
                }
            }
            self.line(format_args!("{}", text.trim_end()));
        }
    }

    /// Appends `text` after `title`, in lines of at most `WIDTH` characters.
    fn wrapped(&mut self, title: &str, text: &str) {
        self.wrapped_by(title, "    ", text);
    }

    /// Appends `text` after `title`; lines but the first begin with `indent`.
    fn wrapped_by(&mut self, title: &str, indent: &str, text: &str) {
        let mut line = title.to_owned();
        let mut length = title.trim_start_matches('\n').chars().count();
        for word in text.split_inclusive(' ') {
            if length + word.trim_end().chars().count() > WIDTH {
                line.truncate(line.trim_end().len());
                line.push('\n');
                line.push_str(indent);
                length = indent.len();
            }
            line.push_str(word);
            length += word.chars().count();
        }
        self.line(format_args!("{line}"));
    }

    fn end(&mut self) {
        let recording = self.recording;
        let (total, inner, span) = (recording.run.total(), recording.run.inner(), recording.run.span());
        let mut notes = vec![
            format!("work {}", count_of(total.operations, "operation", "operations")),
            format!("depth {}", span.operations),
            count_of(total.barriers, "barrier", "barriers"),
        ];
        if total.shuffles > 0 {
            notes.push(count_of(total.shuffles, "shuffle", "shuffles"));
        }
        self.wrapped("\ntotal   ", &notes.join(", "));
        for (counts, title) in [(&inner, "without loads and stores"), (&total, "with them")] {
            let parts = [
                count_of(counts.cycles, "cycle", "cycles"),
                count_of(counts.conflicts, "conflict", "conflicts"),
                count_of(counts.divergent_branches, "divergent branch", "divergent branches"),
            ];
            self.wrapped(&format!("  {title}: "), &parts.join(", "));
        }
        let mut arrays: Vec<String> = Vec::new();
        for array in recording.run.arrays.iter().filter(|array| array.block.is_none_or(|block| block == 0)) {
            let words = count_of(array.initial.len() as u64, "word", "words");
            let line = format!("{:<7} {words} of {}", array.name, place_of(array));
            if !arrays.contains(&line) {
                self.line(format_args!("{line}"));
                arrays.push(line);
            }
        }
        match (&recording.fault, recording.is_right()) {
            (Some(fault), _) => self.wrapped("fault   ", &fault.to_string()),
            (None, Some(true)) => self.line(format_args!("result  as it should be")),
            _ => self.wrapped("result  WRONG, should be ", &recording.expected.join(" ")),
        }
    }
}
