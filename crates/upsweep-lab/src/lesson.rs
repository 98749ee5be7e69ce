//! Lessons: the documentation of an algorithm's module, parsed into idea, picture, pseudocode, cost and differences
//! from the source. The text stands beside the code that it describes, and nowhere else.
//!
//! A module's text has paragraphs, lists, blocks of code, and headings. In the pseudocode a line may end with the names
//! of the steps that it becomes: `s[t] = x[t]  # load`. Lines that are indented more deeply belong to the same steps.
//! If several kernels have steps of one name, the kernel is named, too: `# sums: load`.

use std::fmt::{self, Display};

/// Text of an algorithm: the documentation of its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Sections of the text; the first one has no heading.
    pub sections: Vec<Section>,
}

/// Section of an algorithm's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Heading of the section.
    pub heading: &'static str,
    /// Paragraphs, items and code of the section.
    pub parts: Vec<Part>,
}

/// Part of a section: a paragraph, an item of a list, or code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Paragraph, in one line. Code in it stands between backticks.
    Prose(String),
    /// Item of a list.
    Item(String),
    /// Lines of code, or of a picture in text.
    Code(Vec<Line>),
}

/// Line of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Text of the line, without the names of steps.
    pub text: &'static str,
    /// Names of the steps that the line becomes in the model.
    pub steps: Vec<StepName>,
}

/// Name of a step of the model, as a line of the pseudocode has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepName {
    /// Name of the kernel, if only the step of one kernel is meant.
    pub kernel: Option<&'static str>,
    /// Label of the step in the kernel.
    pub label: &'static str,
}

impl StepName {
    /// Whether this is the name of the step with this label, in this kernel.
    #[must_use]
    pub fn is(&self, kernel: &str, label: &str) -> bool {
        self.label == label && self.kernel.is_none_or(|own| own == kernel)
    }
}

impl Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kernel {
            Some(kernel) => write!(f, "{kernel}: {}", self.label),
            None => f.write_str(self.label),
        }
    }
}

impl Lesson {
    /// Parses the documentation at the beginning of a module's source.
    pub(crate) fn of(source: &'static str) -> Self {
        let mut sections = vec![Section::default()];
        let mut code: Option<Vec<Line>> = None;
        // Whether the last line ended a paragraph, so that the next one begins another.
        let mut ended = true;
        for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
            let line = line.strip_prefix(' ').unwrap_or(line);
            if line.starts_with("```") {
                match code.take() {
                    Some(lines) => add(&mut sections, Part::Code(lines)),
                    None => code = Some(Vec::new()),
                }
                ended = true;
            } else if let Some(lines) = &mut code {
                let line = Line::of(line, lines);
                lines.push(line);
            } else if let Some(heading) = line.strip_prefix("# ") {
                sections.push(Section { heading, parts: Vec::new() });
                ended = true;
            } else if line.is_empty() {
                ended = true;
            } else if let Some(item) = line.strip_prefix("- ") {
                add(&mut sections, Part::Item(item.to_owned()));
                ended = false;
            } else if ended {
                add(&mut sections, Part::Prose(line.to_owned()));
                ended = false;
            } else if let Some(Part::Prose(text) | Part::Item(text)) =
                sections.last_mut().and_then(|section| section.parts.last_mut())
            {
                text.push(' ');
                text.push_str(line.trim_start());
            }
        }
        Self { sections }
    }

    /// Returns the first section whose heading begins with `heading`.
    #[must_use]
    pub fn section(&self, heading: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.heading.starts_with(heading))
    }

    /// Returns the lines of the section with the pseudocode.
    pub fn pseudocode(&self) -> impl Iterator<Item = &Line> {
        self.section(PSEUDOCODE).into_iter().flat_map(|section| &section.parts).flat_map(|part| match part {
            Part::Code(lines) => lines.as_slice(),
            Part::Prose(_) | Part::Item(_) => &[],
        })
    }
}

/// Number of bytes of the `//!` lines at the beginning of a module's source.
pub(crate) const fn text_of(source: &str) -> usize {
    let source = source.as_bytes();
    let mut end = 0;
    while end + 2 < source.len() && source[end] == b'/' && source[end + 1] == b'/' && source[end + 2] == b'!' {
        while end < source.len() && source[end] != b'\n' {
            end += 1;
        }
        end += 1;
    }
    end
}

/// Returns the first `N` bytes of a text.
pub(crate) const fn beginning<const N: usize>(text: &str) -> [u8; N] {
    let (text, mut bytes, mut at) = (text.as_bytes(), [0; N], 0);
    while at < N {
        bytes[at] = text[at];
        at += 1;
    }
    bytes
}

/// Heading of the section whose code names steps.
pub(crate) const PSEUDOCODE: &str = "Pseudocode";

fn add(sections: &mut [Section], part: Part) {
    if let Some(section) = sections.last_mut() {
        section.parts.push(part);
    }
}

impl Line {
    /// Parses a line of code; `before` are the lines of the same code before it.
    fn of(line: &'static str, before: &[Self]) -> Self {
        let (text, names) = line.rsplit_once(" # ").unwrap_or((line, ""));
        let (kernel, labels) = match names.split_once(": ") {
            Some((kernel, labels)) => (Some(kernel), labels),
            None => (None, names),
        };
        let own = labels.split(", ").filter(|label| !label.is_empty());
        let steps: Vec<StepName> = own.map(|label| StepName { kernel, label }).collect();
        let text = text.trim_end();
        if !steps.is_empty() {
            return Self { text, steps };
        }
        // Without names of its own, the line has the steps of the line that encloses it.
        let over = before.iter().rev().find(|line| indent(line.text) < indent(text));
        Self { text, steps: over.map(|line| line.steps.clone()).unwrap_or_default() }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Algorithm, Input, Setup};
    use crate::algorithms::ALGORITHMS;
    use crate::machine::{Banks, Shape};
    use crate::operator::Operator;
    use crate::show::Recording;
    use std::collections::BTreeSet;

    fn prose(text: &str) -> Part {
        Part::Prose(text.to_owned())
    }

    #[test]
    fn paragraphs_lists_code_and_headings() {
        let source = "//! One\n//! line.\n//!\n//! ```text\n//!   x # y\n//! ```\n//!\n//! # Cost\n//!\n//! - a\n//!   b\n//! - c\n\
                      use x;\n//! no";
        let lesson = Lesson::of(source);
        let code = vec![Line { text: "  x", steps: vec![StepName { kernel: None, label: "y" }] }];
        let item = |text: &str| Part::Item(text.to_owned());
        let cost = Section { heading: "Cost", parts: vec![item("a b"), item("c")] };
        assert_eq!(lesson.sections, [Section { heading: "", parts: vec![prose("One line."), Part::Code(code)] }, cost]);
        assert!(lesson.section("Co").is_some() && lesson.section("What").is_none());
    }

    #[test]
    fn what_a_line_is_in_names_its_steps() {
        let source = "//! # Pseudocode\n//! ```text\n//! for:\n//!     barrier\n//!     if:  # up, k\n//!         a\n//!         b # one: \
                      down\n//!     c\n//! ```";
        let lesson = Lesson::of(source);
        let steps: Vec<Vec<&str>> =
            lesson.pseudocode().map(|line| line.steps.iter().map(|step| step.label).collect()).collect();
        assert_eq!(steps, [&[][..], &[], &["up", "k"], &["up", "k"], &["down"], &[]]);
        let down = lesson.pseudocode().nth(4).map(|line| line.steps[0]);
        assert!(down.is_some_and(|down| down.is("one", "down") && !down.is("two", "down")));
    }

    /// Returns the kernels and labels of an algorithm's steps, in runs that are long enough to have all of them.
    fn steps_of(algorithm: &Algorithm) -> BTreeSet<(&'static str, &'static str)> {
        let mut steps = BTreeSet::new();
        let shape = Shape { warp: 4, tile: Some(8), ..Shape::from(Banks::Four) };
        for n in [13, 16, 32, 150].into_iter().filter(|&n| algorithm.takes_on(shape, n).is_ok()) {
            let input = Input { values: &vec![1; n], heads: &vec![false; n] };
            let setup = Setup { operator: Operator::<i64>::sum(), shape, records: false };
            let (_, run, _) = algorithm.run_to_fault(setup, &input).unwrap();
            steps.extend(run.steps.iter().map(|step| (step.kernel, step.label)));
        }
        steps
    }

    #[test]
    fn every_step_is_a_line_of_the_pseudocode_and_every_name_a_step() {
        for algorithm in ALGORITHMS {
            let lesson = algorithm.lesson();
            let steps = steps_of(algorithm);
            for (kernel, label) in &steps {
                let mut names = lesson.pseudocode().flat_map(|line| &line.steps);
                assert!(names.any(|name| name.is(kernel, label)), "{}: {kernel}, {label}", algorithm.name);
            }
            // Every name in the pseudocode is one of the steps, except in forms that race: their runs end early.
            for name in lesson.pseudocode().flat_map(|line| &line.steps).filter(|_| !algorithm.is_faulty()) {
                assert!(steps.iter().any(|(kernel, label)| name.is(kernel, label)), "{}: {name:?}", algorithm.name);
            }
        }
    }

    #[test]
    fn every_algorithm_says_what_it_is_what_it_costs_and_what_differs() {
        for algorithm in ALGORITHMS {
            let lesson = algorithm.lesson();
            let has = |heading: &str| lesson.section(heading).is_some_and(|section| !section.parts.is_empty());
            assert!(has(PSEUDOCODE) && has("Cost") && has("What differs"), "{}", algorithm.name);
            let idea = &lesson.sections[0].parts;
            assert!(matches!(idea[0], Part::Prose(_)), "{}", algorithm.name);
            assert!(idea.iter().any(|part| matches!(part, Part::Code(_))), "{}", algorithm.name);
        }
    }

    #[test]
    fn a_recording_knows_its_text() {
        let input = Input { values: &[3, 1, 7, 0], heads: &[false; 4] };
        let blelloch = crate::algorithms::by_name("blelloch").unwrap();
        let recording = Recording::of(blelloch, Operator::<i64>::sum(), Banks::ThirtyTwo, &input).unwrap();
        let text = crate::show::text::render(&recording, crate::show::text::Marks::Plain);
        for words in ["On the way up each node", "# down", "What differs from the papers", "The depth is 2 log₂ n"] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}
