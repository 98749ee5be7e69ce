//! Figure of a plot: axes and marks in the units of the data, and the shapes that these are in a picture.

use super::axis::Axis;
use super::data::{Content, Data, Line, Lines, Places, short};
use super::heat::Heat;
use crate::args::Kind;
use upsweep_lab::show::palette::{self, apart, colour};

/// Width and height of a picture, in its own units, and the margins over and below the marks.
pub(super) const WIDTH: f64 = 800.0;
pub(super) const HEIGHT: f64 = 420.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;
/// Margins without texts in them, and the width of a letter.
const MARGIN: f64 = 20.0;
const LETTER: f64 = 7.3;
/// Distance from the marks to the names of lines, and smallest distance between two names.
const LEADER: f64 = 22.0;
const GAP: f64 = 15.0;
/// Number of colours of lines in the palette. Later lines have these again, and dashes, which would hide a noisy line.
const COLOURS: usize = 6;

/// Axes and marks.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(super) title: String,
    pub(super) along: Scale,
    pub(super) up: Scale,
    pub(super) marks: Vec<Mark>,
}

/// Axis with its marks and its name.
#[derive(Debug)]
pub(super) struct Scale {
    pub(super) axis: Axis,
    pub(super) ticks: Vec<(f64, String)>,
    /// Whether the marks are the texts of rows, and no numbers.
    pub(super) of_texts: bool,
    name: String,
}

/// What is drawn of a line, or of an array.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) name: String,
    pub(super) form: Form,
}

#[derive(Debug)]
pub(super) enum Form {
    /// Lines through points, with gaps between them.
    Pieces(Vec<Vec<(f64, f64)>>),
    Bars(Vec<Bar>),
    Heat(Heat),
}

/// Bar from a place to another, and from a value to another, of which one is 0 or lies at its side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    pub(crate) along: [f64; 2],
    pub(crate) up: [f64; 2],
}

impl Figure {
    pub(crate) fn new(data: Data, kind: Option<Kind>) -> Self {
        let Data { title, content } = data;
        match content {
            Content::Heat(heat) => Self::of_heat(title, heat),
            Content::Lines(lines) if kind == Some(Kind::Bars) => {
                let marks = bars(&lines);
                Self::of_bars(title, lines, marks)
            }
            Content::Lines(lines) => Self::of_lines(title, lines, kind == Some(Kind::Steps)),
        }
    }

    /// Figure of bars that are there, with one name.
    pub(crate) fn histogram(title: String, bars: Vec<Bar>) -> Self {
        let ends = bars.iter().flat_map(|bar| bar.along);
        let along =
            Scale { axis: Axis::over(ends), ticks: Vec::new(), of_texts: false, name: String::new() }.with_ticks();
        let marks = vec![Mark { name: String::new(), form: Form::Bars(bars) }];
        let up = Scale::of_bars(&marks);
        Self { title, along, up, marks }
    }

    fn of_lines(title: String, lines: Lines, steps: bool) -> Self {
        let values =
            lines.lines.iter().flat_map(|line| &line.columns.columns).flat_map(|column| [column.low, column.high]);
        let up = Scale {
            axis: wider(Axis::over(values), [true, true]),
            ticks: Vec::new(),
            of_texts: false,
            name: String::new(),
        }
        .with_ticks();
        let marks =
            lines.lines.iter().map(|line| Mark { name: line.name.clone(), form: Form::Pieces(pieces(line, steps)) });
        let marks = marks.collect();
        let axis = match &lines.places {
            Places::Even { len, unit } => Axis::over([0.0, len.saturating_sub(1) as f64 * unit]),
            Places::Numbers(axis) => *axis,
            Places::Texts { len, .. } => Axis::over([0.0, len.saturating_sub(1) as f64]),
        };
        Self { title, along: Scale::of_places(axis, lines), up, marks }
    }

    fn of_bars(title: String, lines: Lines, marks: Vec<Mark>) -> Self {
        let up = Scale::of_bars(&marks);
        let bars = marks.iter().flat_map(|mark| if let Form::Bars(bars) = &mark.form { &bars[..] } else { &[] });
        let axis = Axis::over(bars.flat_map(|bar| bar.along));
        Self { title, along: Scale::of_places(axis, lines), up, marks }
    }

    fn of_heat(title: String, heat: Heat) -> Self {
        let side = |len: usize, name: &str| {
            Scale {
                axis: Axis { low: 0.0, high: len.max(1) as f64 },
                ticks: Vec::new(),
                of_texts: false,
                name: name.to_owned(),
            }
            .with_ticks()
        };
        let (along, up) = (side(heat.shape[1], "column"), side(heat.shape[0], "row"));
        Self { title, along, up, marks: vec![Mark { name: String::new(), form: Form::Heat(heat) }] }
    }
}

impl Scale {
    fn with_ticks(self) -> Self {
        Self { ticks: self.axis.ticks(6), ..self }
    }

    fn of_places(axis: Axis, lines: Lines) -> Self {
        let scale = Self { axis, ticks: Vec::new(), of_texts: false, name: lines.along };
        match lines.places {
            Places::Texts { named, .. } => Self { ticks: named, of_texts: true, ..scale },
            _ => scale.with_ticks(),
        }
    }

    /// Axis of bars, which has 0.
    fn of_bars(marks: &[Mark]) -> Self {
        let bars = marks.iter().flat_map(|mark| if let Form::Bars(bars) = &mark.form { &bars[..] } else { &[] });
        let axis = Axis::over(bars.flat_map(|bar| bar.up).chain([0.0]));
        let axis = if axis == Axis::over([0.0]) { Axis { low: 0.0, high: 1.0 } } else { axis };
        let axis = wider(axis, [axis.low < 0.0, axis.high > 0.0]);
        Self { axis, ticks: Vec::new(), of_texts: false, name: String::new() }.with_ticks()
    }
}

/// Returns the axis with a little room at these ends.
fn wider(axis: Axis, [low, high]: [bool; 2]) -> Axis {
    let room = (axis.high / 2.0 - axis.low / 2.0) * 0.08;
    Axis {
        low: if low { (axis.low - room).max(f64::MIN) } else { axis.low },
        high: if high { (axis.high + room).min(f64::MAX) } else { axis.high },
    }
}

/// Points of a line, without gaps in each piece. With `steps` a value stays until the next one.
fn pieces(line: &Line, steps: bool) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    for column in &line.columns.columns {
        if column.gap || pieces.is_empty() {
            pieces.push(Vec::new());
        }
        let Some(piece) = pieces.last_mut() else { continue };
        if let Some(&(_, before)) = piece.last().filter(|_| steps) {
            piece.push((column.x, before));
        }
        piece.extend([column.first, column.low, column.high, column.last].map(|y| (column.x, y)));
        piece.dedup();
    }
    pieces
}

/// Bars of lines. Those of several lines stand side by side.
fn bars(lines: &Lines) -> Vec<Mark> {
    let count = lines.lines.len().max(1) as f64;
    let unit = if let Places::Even { unit, .. } = lines.places { unit } else { 1.0 };
    let of_line = |(k, line): (usize, &Line)| {
        let columns = &line.columns.columns;
        let last = columns.len().checked_sub(2).and_then(|before| columns.get(before..));
        let last = last.map_or(1.0, |pair| pair[1].x - pair[0].x);
        let bar = |(index, column): (usize, &super::band::Column)| {
            let [from, to] = match (line.columns.width, &lines.places) {
                (Some(width), _) => [column.x - width / 2.0, column.x + width / 2.0],
                (None, Places::Numbers(_)) => [column.x, columns.get(index + 1).map_or(column.x + last, |next| next.x)],
                (None, _) => [column.x - 0.4 * unit, column.x + 0.4 * unit],
            };
            let place = |part: f64| from + (to - from) * part / count;
            Bar { along: [place(k as f64), place(k as f64 + 1.0)], up: [column.low.min(0.0), column.high.max(0.0)] }
        };
        Mark { name: line.name.clone(), form: Form::Bars(columns.iter().enumerate().map(bar).collect()) }
    };
    lines.lines.iter().enumerate().map(of_line).collect()
}

/// Shape in a picture. Its ink is a colour of the palette.
#[derive(Debug)]
pub(super) enum Shape {
    Box {
        place: [f64; 4],
        ink: &'static str,
    },
    Path {
        points: Vec<(f64, f64)>,
        class: &'static str,
        ink: &'static str,
        width: f64,
        dashes: Option<&'static str>,
    },
    Text {
        at: (f64, f64),
        anchor: Anchor,
        class: &'static str,
        text: String,
    },
    /// Pixels in red, green and blue, in rows of so many.
    Image {
        place: [f64; 4],
        columns: usize,
        pixels: Vec<u8>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Part of a picture in which the marks are: left, top, right, bottom.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Figure {
    /// Shapes of the picture, those on top last.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        let longest =
            |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text.chars().count()).max().unwrap_or(0) as f64;
        let named = self.marks.len() > 1;
        let names = if named { LEADER + LETTER * longest(&mut self.marks.iter().map(|mark| &mark.name)) } else { 0.0 };
        let left = MARGIN + 8.0 + LETTER * longest(&mut self.up.ticks.iter().map(|(_, text)| text));
        let area = Area { left, top: TOP, right: (WIDTH - MARGIN - names).max(left + 100.0), bottom: HEIGHT - BOTTOM };
        let mut shapes = vec![Shape::Box { place: [0.0, 0.0, WIDTH, HEIGHT], ink: "paper" }];
        let title = short(&self.title, 90);
        shapes.push(Shape::Text { at: (left, 24.0), anchor: Anchor::Start, class: "head", text: title });
        if let [Mark { form: Form::Heat(heat), .. }] = &self.marks[..] {
            self.heat(heat, area, &mut shapes);
            return shapes;
        }
        self.grid(area, &mut shapes);
        for (number, mark) in self.marks.iter().enumerate() {
            let dashes = (number >= COLOURS).then_some("7 3");
            self.mark(mark, (palette::line(number).0, dashes), area, &mut shapes);
        }
        if named {
            self.names(area, &mut shapes);
        }
        shapes
    }

    fn grid(&self, area: Area, shapes: &mut Vec<Shape>) {
        for (value, text) in &self.up.ticks {
            let y = area.bottom - (area.bottom - area.top) * self.up.axis.part(*value);
            let points = vec![(area.left, y), (area.right, y)];
            shapes.push(Shape::Path { points, class: "grid", ink: "line", width: 1.0, dashes: None });
            let at = (area.left - 8.0, y + 4.0);
            shapes.push(Shape::Text { at, anchor: Anchor::End, class: "quiet", text: text.clone() });
        }
        self.below(area, shapes);
    }

    /// Draws the marks and the name of what is along the picture.
    fn below(&self, area: Area, shapes: &mut Vec<Shape>) {
        for (value, text) in &self.along.ticks {
            let x = area.left + (area.right - area.left) * self.along.axis.part(*value);
            let at = (x, area.bottom + 18.0);
            shapes.push(Shape::Text { at, anchor: Anchor::Middle, class: "quiet", text: text.clone() });
        }
        let at = ((area.left + area.right) / 2.0, HEIGHT - 12.0);
        shapes.push(Shape::Text { at, anchor: Anchor::Middle, class: "quiet", text: short(&self.along.name, 60) });
    }

    fn place(&self, (x, y): (f64, f64), area: Area) -> (f64, f64) {
        let along = area.left + (area.right - area.left) * self.along.axis.part(x);
        (along, area.bottom - (area.bottom - area.top) * self.up.axis.part(y))
    }

    fn mark(
        &self,
        mark: &Mark,
        (ink, dashes): (&'static str, Option<&'static str>),
        area: Area,
        shapes: &mut Vec<Shape>,
    ) {
        match &mark.form {
            Form::Pieces(pieces) => {
                for piece in pieces {
                    let mut points: Vec<(f64, f64)> = piece.iter().map(|&point| self.place(point, area)).collect();
                    // A line from a point to itself is a dot.
                    points.extend(points.first().copied().filter(|_| points.len() == 1));
                    shapes.push(Shape::Path { points, class: "line", ink, width: 2.0, dashes });
                }
            }
            Form::Bars(bars) => {
                for bar in bars {
                    let (a, b) =
                        (self.place((bar.along[0], bar.up[0]), area), self.place((bar.along[1], bar.up[1]), area));
                    let place = [a.0.min(b.0), a.1.min(b.1), (a.0 - b.0).abs(), (a.1 - b.1).abs()];
                    shapes.push(Shape::Box { place, ink });
                }
            }
            Form::Heat(_) => {}
        }
    }

    /// Writes the names of lines at their ends.
    fn names(&self, area: Area, shapes: &mut Vec<Shape>) {
        let end = |mark: &Mark| match &mark.form {
            Form::Pieces(pieces) => pieces.last().and_then(|piece| piece.last()).copied(),
            Form::Bars(bars) => bars.last().map(|bar| (bar.along[1], bar.up[usize::from(bar.up[1] > 0.0)])),
            Form::Heat(_) => None,
        };
        let ends: Vec<(usize, (f64, f64))> =
            self.marks.iter().enumerate().filter_map(|(k, mark)| Some((k, self.place(end(mark)?, area)))).collect();
        let labels = apart(&ends.iter().map(|(_, end)| end.1).collect::<Vec<_>>(), GAP, area.top, area.bottom);
        for (&(number, end), label) in ends.iter().zip(labels) {
            let points = vec![(end.0 + 4.0, end.1), (area.right + LEADER - 4.0, label)];
            let ink = palette::line(number).0;
            shapes.push(Shape::Path { points, class: "leader", ink, width: 0.7, dashes: None });
            let text = self.marks.get(number).map(|mark| mark.name.clone()).unwrap_or_default();
            shapes.push(Shape::Text {
                at: (area.right + LEADER, label + 4.0),
                anchor: Anchor::Start,
                class: "name",
                text,
            });
        }
    }

    fn heat(&self, heat: &Heat, area: Area, shapes: &mut Vec<Shape>) {
        let range = Axis::over(heat.means());
        // Beside the map stands the scale of its colours, with its ends.
        let ends = [range.low, range.high].map(|value| (value, number(value)));
        let widest = ends.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0) as f64;
        let room = area.right - 34.0 - LETTER * widest - area.left;
        let (mut width, mut height) = (room, area.bottom - area.top);
        // Pixels are square, unless the map would be a line then.
        let [rows, columns] = heat.shape.map(|side| side.max(1) as f64);
        if (0.25..=4.0).contains(&(columns / rows)) {
            let pixel = (width / columns).min(height / rows);
            (width, height) = (pixel * columns, pixel * rows);
        }
        let area = Area { right: area.left + width, bottom: area.top + height, ..area };
        let pixels = heat.means().flat_map(|mean| shade(range.part(mean))).collect();
        shapes.push(Shape::Image { place: [area.left, area.top, width, height], columns: heat.grid[1], pixels });
        for (row, text) in &self.up.ticks {
            let at = (area.left - 8.0, area.top + height * self.up.axis.part(*row) + 4.0);
            shapes.push(Shape::Text { at, anchor: Anchor::End, class: "quiet", text: text.clone() });
        }
        self.below(area, shapes);
        let left = area.right + 14.0;
        let pixels = (0..64).rev().flat_map(|k| shade(f64::from(k) / 63.0)).collect();
        shapes.push(Shape::Image { place: [left, area.top, 12.0, height], columns: 1, pixels });
        for (value, text) in ends {
            let at =
                (left + 18.0, area.bottom - height * range.part(value) + if value == range.low { 0.0 } else { 9.0 });
            shapes.push(Shape::Text { at, anchor: Anchor::Start, class: "quiet", text });
        }
    }
}

/// Formats a number in at most six digits.
pub(crate) fn number(value: f64) -> String {
    let rounded = format!("{value:.5e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-4..1e9).contains(&f64::abs(rounded)) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// Colour of a heat map at a place from 0 to 1 between the least and the largest value; white for NaN.
fn shade(part: f64) -> [u8; 3] {
    let [low, middle, high] = ["new", "accent", "ink"].map(|name| colour(name).unwrap_or_default());
    let (from, to, part) = if part < 0.5 { (low, middle, part * 2.0) } else { (middle, high, part * 2.0 - 1.0) };
    if part.is_nan() {
        return [255; 3];
    }
    std::array::from_fn(|k| (f64::from(from[k]) * (1.0 - part) + f64::from(to[k]) * part).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [0.1 + 0.2, 1.0 / 3.0, 123_456_789.0, 1e20, -2.5e-7, 0.0].map(number);
        assert_eq!(texts, ["0.3", "0.333333", "123457000", "1e20", "-2.5e-7", "0"]);
    }

    #[test]
    fn shades_go_from_light_to_dark() {
        let light = |part| shade(part).iter().map(|&x| u32::from(x)).sum::<u32>();
        assert!((0..20).all(|k| light(f64::from(k) / 20.0) > light(f64::from(k + 1) / 20.0)));
        assert_eq!(shade(f64::NAN), [255; 3]);
    }

    #[test]
    fn bars_of_any_range_have_places() {
        for edges in [[-1.7e308, 0.0, 1.7e308], [0.0, 0.0, 0.0], [f64::NEG_INFINITY, 0.0, f64::INFINITY]] {
            let bar = |k: usize, count| Bar { along: [edges[k], edges[k + 1]], up: [0.0, count] };
            let shapes = Figure::histogram(String::new(), vec![bar(0, 0.0), bar(1, u64::MAX as f64)]).shapes();
            let boxes =
                shapes.iter().filter_map(|shape| if let Shape::Box { place, .. } = shape { Some(place) } else { None });
            assert!(boxes.flatten().all(|x| x.is_finite()), "{edges:?}");
        }
    }
}
