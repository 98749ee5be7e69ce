//! Command `upsweep plot`: pictures of values.
//!
//! [`data`] reads values and reduces them: lines to what is seen of them ([`band`]), arrays to cells ([`heat`]). [`figure`]
//! finds axes ([`axis`]), and the shapes of the picture, which [`svg`] and [`pixels`] draw; [`characters`] draws for a
//! terminal.

mod axis;
mod band;
mod characters;
mod data;
mod figure;
mod heat;
mod pixels;
mod svg;

pub(crate) use figure::{Bar, Figure, number};

use crate::args::PlotArgs;
use crate::failure::{Failure, Result, called, note};
use crate::names;
use crate::output::Destination;
use crate::print::print;
use data::{Content, Data};
use std::path::Path;

/// Format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Svg,
    Png,
    Characters,
}

/// Runs `upsweep plot`.
pub(crate) fn plot(args: &PlotArgs) -> Result<()> {
    let destination = args
        .output
        .as_deref()
        .map_or_else(|| Ok(Destination::standard_output()), |path| Destination::of("-o", path))?;
    let format = match args.output.as_deref() {
        Some(path) if !destination.is_stream() => format_of(path)?,
        _ => Format::Characters,
    };
    let data = data::read(args)?;
    note_dropped(&data);
    draw(&Figure::new(data, args.kind), format, &destination)
}

/// Draws a figure as SVG.
pub(crate) fn write_svg(figure: &Figure, destination: &Destination) -> Result<()> {
    draw(figure, Format::Svg, destination)
}

fn draw(figure: &Figure, format: Format, destination: &Destination) -> Result<()> {
    let failed = |e: &std::io::Error| Failure::writing(destination.name(), e);
    let bytes = match format {
        Format::Characters => return print(destination, |out| characters::draw(out, figure)),
        Format::Svg => svg::render(figure).into_bytes(),
        Format::Png => pixels::render(figure).map_err(|e| Failure::Run(format!("{}: {e}", destination.name())))?,
    };
    destination.write(|out| out.write_all(&bytes).map_err(|e| failed(&e)))
}

fn format_of(path: &Path) -> Result<Format> {
    match [("svg", Format::Svg), ("png", Format::Png)].into_iter().find(|(ending, _)| names::ends_in(path, ending)) {
        Some((_, format)) => Ok(format),
        None => Err(Failure::Input(format!("-o {}: end it in .svg or .png, for a picture", called(path)))),
    }
}

/// Says how many values are not drawn.
fn note_dropped(data: &Data) {
    let dropped = match &data.content {
        Content::Lines(lines) => lines.lines.iter().map(|line| line.columns.dropped).sum(),
        Content::Heat(heat) => heat.dropped,
    };
    if dropped > 0 {
        note(&format!(
            "{}: not drawn are {dropped} of the values or their places, which are no finite numbers",
            data.title
        ));
    }
}
