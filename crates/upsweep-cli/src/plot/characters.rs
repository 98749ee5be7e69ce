//! Picture in characters, for a terminal: each is a square of two by two dots, or one of five shades. Lines are drawn one
//! below the other, as characters have no colours.

use super::figure::{Figure, Form, Mark, number};
use super::heat::Heat;
use std::io::{self, Write};

/// Columns of characters, and rows: of one line, of each of several, and of a heat map.
const COLUMNS: usize = 72;
const ROWS: [usize; 3] = [16, 7, 24];

/// Characters by their dots: bits 0 and 1 are the upper two, bits 2 and 3 the lower ones.
const DOTS: [char; 16] = [' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'];
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// Draws a figure.
pub(super) fn draw(out: &mut dyn Write, figure: &Figure) -> io::Result<()> {
    writeln!(out, "{}", figure.title)?;
    if let [Mark { form: Form::Heat(heat), .. }] = &figure.marks[..] {
        return draw_heat(out, heat);
    }
    let rows = ROWS[usize::from(figure.marks.len() > 1)];
    let ticks = [figure.up.axis.high, figure.up.axis.low].map(number);
    let margin = ticks.iter().map(String::len).max().unwrap_or(0);
    for mark in &figure.marks {
        if figure.marks.len() > 1 {
            writeln!(out, "{:margin$}  {}", "", mark.name)?;
        }
        let dots = Dots::of(figure, mark, rows);
        for row in 0..rows {
            let tick = match row {
                0 => &*ticks[0],
                _ if row + 1 == rows => &*ticks[1],
                _ => "",
            };
            writeln!(out, "{tick:>margin$} ┤{}", dots.row(row).trim_end())?;
        }
    }
    let ends = [figure.along.ticks.first(), figure.along.ticks.last()];
    let [first, last] = match ends {
        // Named rows have no numbers.
        [Some((_, first)), Some((_, last))] if figure.along.of_texts => [first.clone(), last.clone()],
        _ => [figure.along.axis.low, figure.along.axis.high].map(number),
    };
    let apart = COLUMNS.saturating_sub(last.chars().count());
    writeln!(out, "{:margin$}  {first:<apart$}{last}", "")
}

/// Dots of a line, row-major.
struct Dots {
    across: usize,
    set: Vec<bool>,
}

impl Dots {
    fn of(figure: &Figure, mark: &Mark, rows: usize) -> Self {
        let (across, down) = (2 * COLUMNS, 2 * rows);
        let mut dots = Self { across, set: vec![false; across * down] };
        let place = |(x, y): (f64, f64)| {
            let dot = |part: f64, count: usize| (part * (count - 1) as f64).round() as usize;
            (dot(figure.along.axis.part(x), across), dot(1.0 - figure.up.axis.part(y), down))
        };
        match &mark.form {
            Form::Pieces(pieces) => {
                for piece in pieces {
                    for (k, &point) in piece.iter().enumerate() {
                        dots.line(place(piece[k.saturating_sub(1)]), place(point));
                    }
                }
            }
            Form::Bars(bars) => {
                for bar in bars.iter().filter(|bar| bar.up[0] < bar.up[1]) {
                    let (a, b) = (place((bar.along[0], bar.up[0])), place((bar.along[1], bar.up[1])));
                    // Between two bars there is a dot, if they are wide enough.
                    let (left, right) = (a.0.min(b.0), a.0.max(b.0));
                    for x in left..=right.saturating_sub(usize::from(right > left)) {
                        dots.line((x, a.1), (x, b.1));
                    }
                }
            }
            Form::Heat(_) => {}
        }
        dots
    }

    fn line(&mut self, (ax, ay): (usize, usize), (bx, by): (usize, usize)) {
        let steps = ax.abs_diff(bx).max(ay.abs_diff(by));
        let between = |a: usize, b: usize, k: usize| {
            (a as f64 + (b as f64 - a as f64) * k as f64 / steps.max(1) as f64).round() as usize
        };
        for k in 0..=steps {
            let at = between(ay, by, k) * self.across + between(ax, bx, k);
            self.set.iter_mut().skip(at).take(1).for_each(|dot| *dot = true);
        }
    }

    /// Characters of a row.
    fn row(&self, row: usize) -> String {
        let dot = |x: usize, y: usize| usize::from(self.set.get(y * self.across + x) == Some(&true));
        let (up, down) = (2 * row, 2 * row + 1);
        let dots = |x: usize| dot(x, up) | dot(x + 1, up) << 1 | dot(x, down) << 2 | dot(x + 1, down) << 3;
        (0..self.across).step_by(2).map(|x| DOTS[dots(x)]).collect()
    }
}

fn draw_heat(out: &mut dyn Write, heat: &Heat) -> io::Result<()> {
    let [rows, columns] = heat.grid;
    let (low, high) =
        heat.means().filter(|mean| !mean.is_nan()).fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
    // A character is twice as high as it is wide.
    let across = columns.min(COLUMNS);
    let down = (rows * across).div_ceil((2 * columns).max(1)).clamp(1, ROWS[2]).min(rows);
    for row in 0..down {
        let text: String = (0..across)
            .map(|column| {
                let inside = (row * rows / down..(row + 1) * rows / down).flat_map(|row| {
                    (column * columns / across..(column + 1) * columns / across).map(move |x| (row, x))
                });
                let known = inside.map(|(row, column)| heat.mean(row, column)).filter(|mean| !mean.is_nan());
                let (sum, count) = known.fold((0.0, 0u32), |(sum, count), x| (sum + x, count + 1));
                let part = (sum / f64::from(count) / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
                // What is everywhere the same is in the middle; what is unknown is blank.
                let part = if count > 0 && low == high { 0.5 } else { part };
                if part.is_nan() { ' ' } else { SHADES[((part * 5.0) as usize).min(4)] }
            })
            .collect();
        writeln!(out, "{}", text.trim_end())?;
    }
    let [rows, columns] = heat.shape;
    match low <= high {
        true => writeln!(out, "{rows} x {columns}, from {} (light) to {} (dark)", number(low), number(high)),
        false => writeln!(out, "{rows} x {columns}, no numbers"),
    }
}
