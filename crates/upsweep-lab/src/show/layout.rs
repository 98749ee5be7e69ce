//! Layout of a run's picture: a row for each step, a column for each word.
//!
//! A row shows the arrays that its step writes, as they are after it. Arrows come from the last place that showed the
//! words that were read; if that is too far up, the array is shown again first. Threads that keep their reads in a
//! register, or that read each other's registers, are dots between the words.

use super::recording::Recording;
use crate::machine::{Event, Step};
use std::collections::HashMap;

/// Number of rows after an array's line in which the array need not be shown again before it is read.
const NEAR: usize = 2;
/// Number of rows after a register was written in which arrows come from it: more than a scan by shuffles takes.
const KEPT: usize = 8;

/// Contents of a line of the picture: the words of an array, or the threads of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Words of an array, and whether the step wrote each.
    Words {
        /// Index of the array in the run.
        array: usize,
        /// Contents of the array after the row's step.
        values: Vec<Option<String>>,
        /// Whether the row's step wrote the word, for each word.
        written: Vec<bool>,
    },
    /// Threads of a block, and those of them that are drawn.
    Threads {
        /// Number of threads of the block.
        threads: usize,
        /// Indices of the threads that have a value in a register, which are drawn.
        active: Vec<usize>,
    },
}

/// Line of the picture: the words of one array, or the threads of one block.
#[derive(Clone, Debug)]
pub struct Line {
    /// Contents of the line.
    pub shown: Shown,
    /// Whether arrows end at the line.
    pub is_target: bool,
}

/// Row of the picture: a step, or the memory before the first one.
#[derive(Clone, Debug)]
pub struct Row {
    /// Index of the step in the run; [`None`] for the memory before the first.
    pub step: Option<usize>,
    /// Range of the row's lines in [`Layout::lines`].
    pub lines: std::ops::Range<usize>,
}

/// End of an arrow: a word, or a thread, in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Index of the line in [`Layout::lines`].
    pub line: usize,
    /// Index of the word in its array, or of the thread in its block.
    pub index: usize,
}

/// Arrow from a word that was read, or a thread's register, to a word that was written, or a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// End at which the arrow begins.
    pub from: End,
    /// End at which the arrow has its tip.
    pub to: End,
    /// Conflict degree of the read or the write, the larger one; 0 or 1 is no conflict.
    pub degree: u64,
}

/// Rows, lines and arrows of a picture.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Rows of the picture, from top to bottom.
    pub rows: Vec<Row>,
    /// Lines of all rows, from top to bottom.
    pub lines: Vec<Line>,
    /// Arrows, in the order of the steps.
    pub arrows: Vec<Arrow>,
    /// Number of words of the longest array.
    pub columns: usize,
}

impl Layout {
    /// Lays out a recorded run.
    #[must_use]
    pub fn new(recording: &Recording) -> Self {
        let arrays = &recording.run.arrays;
        let mut builder = Builder {
            layout: Self {
                columns: arrays.iter().map(|array| array.initial.len()).max().unwrap_or(0),
                ..Self::default()
            },
            memory: arrays.iter().map(|array| array.initial.clone()).collect(),
            words: HashMap::new(),
            dots: HashMap::new(),
        };
        let given = |array: &usize| arrays[*array].since == 0 && arrays[*array].initial.iter().any(Option::is_some);
        builder.row(None, |builder| {
            for array in (0..arrays.len()).filter(given) {
                builder.show_words(array, &[], 0, false);
            }
        });
        for (number, step) in recording.run.steps.iter().enumerate() {
            if number > 0 && recording.run.steps[number - 1].kernel != step.kernel {
                builder.dots.clear();
            }
            builder.row(Some(number), |builder| builder.step(number, step));
        }
        builder.layout
    }

    /// Number of words or of threads that the line with this index shows.
    #[must_use]
    pub fn places(&self, line: usize) -> usize {
        match &self.lines[line].shown {
            Shown::Words { values, .. } => values.len(),
            Shown::Threads { threads, .. } => *threads,
        }
    }
}

struct Builder {
    layout: Layout,
    memory: Vec<Vec<Option<String>>>,
    /// For each array that was shown: the index of its last line, and the number of that line's step, from 1.
    words: HashMap<usize, (usize, usize)>,
    /// For each (block, thread) that kept a register: the index of its last line, and the number of its step, from 1.
    dots: HashMap<(usize, usize), (usize, usize)>,
}

/// Whether a thread is drawn as a dot in a step: it writes no word, or it reads another thread's register.
fn keeps(event: &Event) -> bool {
    event.writes.is_empty() || !event.shuffles.is_empty()
}

impl Builder {
    fn row(&mut self, step: Option<usize>, fill: impl FnOnce(&mut Self)) {
        let first = self.layout.lines.len();
        fill(self);
        self.layout.rows.push(Row { step, lines: first..self.layout.lines.len() });
    }

    fn step(&mut self, number: usize, step: &Step) {
        let now = number + 1;
        for array in distinct(step.events.iter().flat_map(|event| &event.reads).map(|place| place.array)) {
            if self.words.get(&array).is_none_or(|&(_, then)| then + NEAR < now) {
                self.show_words(array, &[], now, false);
            }
        }
        let read_from = self.words.clone();
        let source = |array: usize, index: usize| read_from.get(&array).map(|&(line, _)| End { line, index });
        let registers = self.dots.clone();
        let register = |thread: usize| {
            let dot = registers.get(&(step.block, thread)).filter(|&&(_, then)| then + KEPT >= now);
            dot.map(|&(line, _)| End { line, index: thread })
        };
        let active: Vec<usize> = step.events.iter().filter(|event| keeps(event)).map(|event| event.thread).collect();
        let dots = self.layout.lines.len();
        if !active.is_empty() {
            self.dots.extend(active.iter().map(|&thread| ((step.block, thread), (dots, now))));
            let shown = Shown::Threads { threads: step.counts.threads as usize, active };
            self.layout.lines.push(Line { shown, is_target: true });
        }
        self.write(step, now);

        for event in &step.events {
            let dot = keeps(event).then_some(End { line: dots, index: event.thread });
            if let Some(dot) = dot {
                for read in &event.reads {
                    self.arrow(source(read.array, read.index), Some(dot), read.degree);
                }
                // A thread that combines a value from another thread has an arrow from its own register, too.
                let own = (!event.shuffles.is_empty() && event.operations > 0).then_some(event.thread);
                for &from in event.shuffles.iter().chain(&own) {
                    self.arrow(register(from), Some(dot), 0);
                }
            } else {
                for &(read, write) in &event.flows {
                    let (read, write) = (&event.reads[read], &event.writes[write]);
                    let to = self.target(write.array, write.index);
                    self.arrow(source(read.array, read.index), to, read.degree.max(write.degree));
                }
            }
            for (place, write) in event.writes.iter().enumerate() {
                let flows = event.flows.iter().any(|&(_, to)| to == place);
                if dot.is_some() || !flows {
                    let to = self.target(write.array, write.index);
                    self.arrow(dot.or_else(|| register(event.thread)), to, write.degree);
                }
            }
        }
    }

    /// Applies the writes of the step to the arrays' contents, and shows these arrays.
    fn write(&mut self, step: &Step, now: usize) {
        let writes = || step.events.iter().flat_map(|event| &event.writes);
        for write in writes() {
            self.memory[write.array][write.index] = Some(write.value.clone());
        }
        for array in distinct(writes().map(|place| place.array)) {
            let written: Vec<usize> = writes().filter(|place| place.array == array).map(|place| place.index).collect();
            self.show_words(array, &written, now, true);
        }
    }

    fn show_words(&mut self, array: usize, wrote: &[usize], now: usize, is_target: bool) {
        let values = self.memory[array].clone();
        let mut written = vec![false; values.len()];
        wrote.iter().for_each(|&index| written[index] = true);
        self.words.insert(array, (self.layout.lines.len(), now));
        self.layout.lines.push(Line { shown: Shown::Words { array, values, written }, is_target });
    }

    fn target(&self, array: usize, index: usize) -> Option<End> {
        self.words.get(&array).map(|&(line, _)| End { line, index })
    }

    /// Adds an arrow if both its ends exist: a faulty kernel may access words that do not.
    fn arrow(&mut self, from: Option<End>, to: Option<End>, degree: u64) {
        if let Some((from, to)) = from.zip(to)
            && from.index < self.layout.places(from.line)
            && to.index < self.layout.places(to.line)
        {
            self.layout.arrows.push(Arrow { from, to, degree });
        }
    }
}

/// Returns the numbers in rising order, each once.
fn distinct(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
