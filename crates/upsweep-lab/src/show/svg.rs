//! Picture of a whole run, as SVG: rows are steps, columns are words.

use super::layout::{Arrow, End, Layout, Row, Shown};
use super::palette::{COLOURS, STYLE};
use super::recording::Recording;
use super::{DEGREES, degree_class, divergence, name_of, phrases};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// Draws a picture in a file of its own.
#[must_use]
pub fn render(recording: &Recording) -> String {
    file(&Picture::new(recording, Sizes::FULL).draw(true))
}

/// Draws a picture as a part of a page, which has the styles.
pub(super) fn part(recording: &Recording) -> Markup {
    Picture::new(recording, Sizes::FULL).draw(false)
}

/// Draws a small picture of a run, without any text.
pub(super) fn thumbnail(recording: &Recording) -> Markup {
    Picture::new(recording, Sizes::SMALL).draw_small()
}

/// Formats an SVG element as the contents of a file.
pub(super) fn file(svg: &Markup) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", svg.0)
}

/// Lengths in a picture, in pixels.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    /// Margins left of the picture's first column and right of its last one.
    margins: [i64; 2],
    head: i64,
    cell: i64,
    /// Gaps over a line of words or threads: over one at which arrows end, and over any other.
    gaps: [i64; 2],
    /// Smallest height of the row of a step.
    row: i64,
    /// Length of the barbs of an arrow's tip.
    barb: f64,
}

impl Sizes {
    const FULL: Self = Self { margins: [150, 230], head: 74, cell: 24, gaps: [46, 14], row: 84, barb: 5.0 };
    const SMALL: Self = Self { margins: [4, 4], head: 4, cell: 6, gaps: [16, 5], row: 6, barb: 0.0 };
}

/// Largest number of columns of a small picture.
const MOST_SMALL: usize = 32;

/// Largest width in pixels of a character: of a title, of a step's label, and of an array's name.
const TITLE: i64 = 9;
const LABEL: i64 = 8;
const NAME: i64 = 7;

const LEGEND: i64 = 170;
const LEAST_WIDTH: i64 = 720;

struct Picture<'a> {
    recording: &'a Recording,
    layout: Layout,
    sizes: Sizes,
    /// Width of the column of a word.
    column: i64,
    /// Vertical position of each line's top, and of each row's top and end.
    lines: Vec<i64>,
    rows: Vec<(i64, i64)>,
    width: i64,
    height: i64,
}

impl<'a> Picture<'a> {
    fn new(recording: &'a Recording, sizes: Sizes) -> Self {
        let layout = Layout::new(recording);
        let column = if sizes.head < 20 { 10 } else { column_width(recording, &layout) };
        let (mut y, mut lines, mut rows) = (sizes.head, Vec::new(), Vec::new());
        for row in &layout.rows {
            let top = y;
            for line in &layout.lines[row.lines.clone()] {
                y += if line.is_target { sizes.gaps[0] } else { sizes.gaps[1] };
                lines.push(y);
                y += sizes.cell;
            }
            if row.step.is_some() {
                y = y.max(top + sizes.row);
            }
            rows.push((top, y));
        }
        let tiles = recording.tile().map_or(0, |tile| recording.input.len().div_ceil(tile) * tile);
        let words = layout.columns.max(tiles) as i64 * column;
        let margins =
            if sizes.head < 20 { sizes.margins } else { [left_margin(recording, &layout, sizes), sizes.margins[1]] };
        let sizes = Sizes { margins, ..sizes };
        let width = sizes.margins[0] + words + sizes.margins[1];
        Self { recording, layout, sizes, column, lines, rows, width, height: y }
    }

    fn draw(&self, alone: bool) -> Markup {
        let algorithm = self.recording.algorithm;
        let title = 48 + TITLE * algorithm.title.chars().count() as i64;
        let width = self.width.max(LEAST_WIDTH).max(title);
        let legend = self.legend();
        let columns = ((width - 24) / LEGEND).max(1) as usize;
        let height = self.height + 40 + 26 * legend.len().div_ceil(columns) as i64;
        let xmlns = alone.then_some("http://www.w3.org/2000/svg");
        let title = format!("{}: {}", algorithm.name, algorithm.title);
        html! {
            svg class="run" xmlns=[xmlns] viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) role="img" aria-label=(title) {
                title { (title) }
                @if alone { style { (PreEscaped(COLOURS)) (PreEscaped(STYLE)) } }
                rect class="paper" width=(width) height=(height) {}
                text class="head" x="24" y="32" { (algorithm.title) }
                text class="quiet" x="24" y="54" { (algorithm.name) ": " (self.recording.summary()) }
                (self.arrows(|_| true))
                @for row in 0..self.rows.len() { (self.row(row)) }
                @for (number, (mark, words)) in legend.iter().enumerate() {
                    g transform=(format!("translate({} {})", 24 + (number % columns) as i64 * LEGEND, self.height + 36 + (number / columns) as i64 * 26)) {
                        (mark)
                        text class="quiet" x="38" y="4" { (words) }
                    }
                }
            }
        }
    }

    /// Draws the picture without text, and only its first columns. All cells of a kind are one path.
    fn draw_small(&self) -> Markup {
        let columns = self.layout.columns.min(MOST_SMALL) as i64;
        let (width, height) = (self.width - (self.layout.columns as i64 - columns) * self.column, self.height + 4);
        // Paths of the unwritten cells, of the written cells, and of the threads' dots.
        let mut paths = [String::new(), String::new(), String::new()];
        for line in 0..self.layout.lines.len() {
            let places = (0..self.layout.places(line)).filter(|&index| self.point(End { line, index }).0 < width);
            for index in places {
                let (x, y) = self.point(End { line, index });
                let (path, half) = match &self.layout.lines[line].shown {
                    Shown::Words { written, .. } => (usize::from(written[index]), self.column / 2 - 1),
                    Shown::Threads { active, .. } if active.contains(&index) => (2, 2),
                    Shown::Threads { .. } => continue,
                };
                let (width, height) = (2 * half, self.sizes.cell);
                // Writing to a string cannot fail.
                let _infallible = write!(paths[path], "M{} {y}h{width}v{height}h-{width}z", x - half);
            }
        }
        html! {
            svg class="run small" viewBox=(format!("0 0 {width} {height}")) aria-hidden="true" {
                (self.arrows(|end| self.point(end).0 < width))
                @for (path, class) in paths.iter().zip(["cell", "cell new", "dot"]).filter(|(path, _)| !path.is_empty()) {
                    path class=(class) d=(path) {}
                }
            }
        }
    }

    /// Horizontal middle of a word or thread, and the top of its line.
    fn point(&self, end: End) -> (i64, i64) {
        let left = self.sizes.margins[0];
        let x = match &self.layout.lines[end.line].shown {
            Shown::Words { array, values, .. } => {
                let block = self.recording.run.arrays[*array].block;
                let column = self.column_of(block, values.len(), end.index as i64);
                left + column + self.column / 2
            }
            Shown::Threads { threads, .. } => {
                let width = self.layout.columns.max(1) as i64 * self.column;
                left + (2 * end.index as i64 + 1) * width / (2 * *threads as i64).max(1)
            }
        };
        (x, self.lines[end.line])
    }

    /// Horizontal begin of a word's column. A word that belongs to a tile stands under the tile's elements.
    fn column_of(&self, block: Option<usize>, words: usize, index: i64) -> i64 {
        let Some(tile) = self.recording.tile() else { return index * self.column };
        let tiles = self.recording.input.len().div_ceil(tile);
        let (tile, half) = (tile as i64 * self.column, self.column / 2);
        match block {
            Some(block) if block < tiles => block as i64 * tile + index * self.column,
            None if words == tiles => index * tile + tile / 2 - half,
            _ => index * self.column,
        }
    }

    /// Draws the arrows both of whose ends are shown, one path for each class of conflict degrees.
    fn arrows(&self, is_shown: impl Fn(End) -> bool) -> Markup {
        let mut paths = vec![(String::new(), String::new()); DEGREES.len()];
        for arrow in self.layout.arrows.iter().filter(|arrow| is_shown(arrow.from) && is_shown(arrow.to)) {
            let (line, tip) = &mut paths[degree_class(arrow.degree)];
            self.arrow(arrow, line, tip);
        }
        html! {
            @for ((line, tip), (_, _, class)) in paths.iter().zip(DEGREES).filter(|((line, _), _)| !line.is_empty()) {
                path class=(format!("arrow {class}")) d=(line) {}
                @if !tip.is_empty() { path class=(format!("arrow {class} tip")) d=(tip) {} }
            }
        }
    }

    /// Adds an arrow to the path of lines and to the path of tips. Writing to a string cannot fail.
    fn arrow(&self, arrow: &Arrow, line: &mut String, tip: &mut String) {
        let (from, to) = (self.point(arrow.from), self.point(arrow.to));
        let (x, y) = (from.0, from.1 + if arrow.from.line == arrow.to.line { 0 } else { self.sizes.cell });
        let _infallible = write!(line, "M{x} {y}L{} {}", to.0, to.1);
        if self.sizes.barb > 0.0 {
            let (dx, dy) = ((to.0 - x) as f64, (to.1 - y) as f64);
            let scale = self.sizes.barb / dx.hypot(dy).max(1.0);
            let (dx, dy) = (dx * scale, dy * scale);
            let (tx, ty) = (to.0 as f64, to.1 as f64);
            let _infallible = write!(
                tip,
                "M{:.1} {:.1}L{tx} {ty}L{:.1} {:.1}",
                tx - dx - 0.6 * dy,
                ty - dy + 0.6 * dx,
                tx - dx + 0.6 * dy,
                ty - dy - 0.6 * dx
            );
        }
    }

    fn row(&self, number: usize) -> Markup {
        let Row { step, lines } = &self.layout.rows[number];
        let (top, bottom) = self.rows[number];
        let right = self.width - self.sizes.margins[1] + 24;
        let steps = &self.recording.run.steps;
        let blocks = steps.iter().any(|step| step.block > 0);
        html! {
            @for line in lines.clone() { (self.cells(line)) }
            @match step.map(|step| (step, &steps[step])) {
                None => text class="quiet" x="24" y=(top + 31) { "before" },
                Some((number, step)) => {
                    @let first = number == 0 || steps[number - 1].kernel != step.kernel;
                    text x="24" y=(top + 34) { tspan class="quiet" { (number + 1) " " } tspan class="label" { (step.label) } }
                    @if blocks { text class="quiet" x="24" y=(top + 52) { "block " (step.block) } }
                    @if first { text class="quiet" x="24" y=(top + 16) { (step.kernel) } }
                    @let worst = step.counts.worst_degree > 1;
                    @let phrases = packed(&phrases(&step.counts));
                    @for (at, phrase) in phrases.iter().enumerate() {
                        @let last = worst && at + 1 == phrases.len();
                        text class=(if last { "worst" } else { "quiet" }) x=(right) y=(top + 22 + 16 * at as i64) { (phrase) }
                    }
                    @if let Some(words) = divergence(&step.divergent) {
                        @let y = top + 22 + 16 * phrases.len() as i64;
                        path class="fork" d=(fork(right + 5, y - 10)) {}
                        text class="forked" x=(right + 16) y=(y) { (words) }
                    }
                    @if step.counts.barriers > 0 {
                        line class="barrier" x1="24" x2=(self.width - 24) y1=(bottom + 6) y2=(bottom + 6) {}
                    }
                }
            }
        }
    }

    fn cells(&self, line: usize) -> Markup {
        let (y, height) = (self.lines[line], self.sizes.cell);
        let x = |index| self.point(End { line, index }).0;
        match &self.layout.lines[line].shown {
            Shown::Words { array, values, written } => {
                let info = &self.recording.run.arrays[*array];
                html! {
                    text class="name" x=(self.sizes.margins[0] - 8) y=(y + 17) { (name_of(info)) }
                    @for (index, (value, written)) in values.iter().zip(written).enumerate() {
                        rect class=(if *written { "cell new" } else { "cell" }) x=(x(index) - self.column / 2 + 2) y=(y) width=(self.column - 4) height=(height) rx="2" {}
                        @if let Some(value) = value.as_deref() {
                            @let shown = cut(self.recording.shown(value));
                            text class="value" x=(x(index)) y=(y + 17) { (shown) @if shown != value { title { (value) } } }
                        }
                    }
                }
            }
            Shown::Threads { threads, active } => html! {
                @let middle = y + height / 2;
                text class="name" x=(self.sizes.margins[0] - 8) y=(y + 17) { "threads" }
                @for thread in 0..*threads {
                    @let class = if active.contains(&thread) { "dot" } else { "idle" };
                    circle class=(class) cx=(x(thread)) cy=(middle) r="6" {}
                }
            },
        }
    }

    /// Returns the marks that occur in the picture, each with its meaning.
    fn legend(&self) -> Vec<(Markup, String)> {
        let worst = |class| self.layout.arrows.iter().any(|arrow| degree_class(arrow.degree) == class);
        let mut legend = vec![(
            html! { rect class="cell new" y="-8" width="26" height="16" rx="2" {} },
            "written in the step".to_owned(),
        )];
        for (class, (_, name, style)) in DEGREES.iter().enumerate().filter(|&(class, _)| worst(class)) {
            let arrow = if class == 0 { "read, written" } else { name };
            legend.push((html! { path class=(format!("arrow {style}")) d="M0 0H28" {} path class=(format!("arrow tip {style}")) d="M23 -4L28 0L23 4" {} }, arrow.to_owned()));
        }
        if self.layout.lines.iter().any(|line| matches!(line.shown, Shown::Threads { .. })) {
            legend.push((html! { circle class="dot" cx="13" r="6" {} }, "thread with a register".to_owned()));
        }
        if self.recording.run.steps.iter().any(|step| !step.divergent.is_empty()) {
            legend.push((html! { path class="fork" d=(fork(13, -6)) {} }, "divergent warp".to_owned()));
        }
        if self.recording.run.steps.iter().any(|step| step.counts.barriers > 0) {
            legend.push((html! { line class="barrier" x2="28" {} }, "barrier".to_owned()));
        }
        if self.recording.shown(&self.recording.identity) == "id" {
            legend.push((html! { text class="value" x="13" y="4" { "id" } }, "the identity".to_owned()));
        }
        legend
    }
}

/// Puts as many phrases side by side as a line has room for.
fn packed(phrases: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for phrase in phrases {
        match lines.last_mut() {
            Some(last) if last.chars().count() + phrase.chars().count() < 28 => {
                last.push_str(", ");
                last.push_str(phrase);
            }
            _ => lines.push(phrase.clone()),
        }
    }
    lines
}

/// Path of the fork that marks a divergent warp, at x and y.
fn fork(x: i64, y: i64) -> String {
    format!("M{x} {}V{}M{x} {}L{} {y}M{x} {}L{} {y}", y + 11, y + 6, y + 6, x - 5, y + 6, x + 5)
}

/// Largest number of characters of a value in a cell.
const LONGEST: usize = 9;

/// Cuts a value that is too long for its cell.
fn cut(value: &str) -> String {
    match value.chars().count() > LONGEST {
        true => value.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => value.to_owned(),
    }
}

/// Width of the column of a word in pictures of the recording.
pub(super) fn column_width_of(recording: &Recording) -> i64 {
    column_width(recording, &Layout::new(recording))
}

/// Width of the left margin: room for the longest label with its number, and the longest array's name beside it.
fn left_margin(recording: &Recording, layout: &Layout, sizes: Sizes) -> i64 {
    let label = recording.run.steps.iter().map(|step| step.label.chars().count()).max().unwrap_or(0);
    let names = layout.lines.iter().map(|line| match &line.shown {
        Shown::Words { array, .. } => name_of(&recording.run.arrays[*array]).chars().count(),
        Shown::Threads { .. } => "threads".len(),
    });
    let number = recording.run.steps.len().to_string().len() + 1;
    let beside = 24 + LABEL * (number + label) as i64 + NAME * names.max().unwrap_or(0) as i64 + 16;
    beside.max(sizes.margins[0])
}

/// Width of a column: room for the longest value.
fn column_width(recording: &Recording, layout: &Layout) -> i64 {
    let lines = layout.lines.iter().filter_map(|line| match &line.shown {
        Shown::Words { values, .. } => Some(values),
        Shown::Threads { .. } => None,
    });
    let lengths = lines.flatten().flatten().map(|value| cut(recording.shown(value)).chars().count());
    let longest = lengths.max().unwrap_or(1) as i64;
    (longest * 8 + 16).max(36) / 2 * 2
}
