//! Picture as SVG, in the laboratory's style, for light screens and for dark ones. It needs no scripts.

use super::figure::{Anchor, Figure, HEIGHT, Shape, WIDTH};
use super::pixels;
use std::fmt::Write;
use upsweep_lab::show::palette::{COLOURS, STYLE, base64};

/// Renders a figure.
pub(super) fn render(figure: &Figure) -> String {
    let mut svg = format!(
        "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" role=\"img\">\n<title>{}</title>\n<style>{COLOURS}{STYLE}</style>\n",
        escaped(&figure.title)
    );
    for shape in figure.shapes() {
        write(&mut svg, &shape);
    }
    svg + "</svg>\n"
}

fn write(svg: &mut String, shape: &Shape) {
    // Writing to a string cannot fail.
    let _ = match shape {
        Shape::Box { place: [x, y, width, height], ink } => writeln!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" class=\"{ink}\" style=\"stroke:none\"/>"
        ),
        Shape::Path { points, class, ink, dashes, .. } => {
            let mut path = String::new();
            for (k, (x, y)) in points.iter().enumerate() {
                let _ = write!(path, "{}{x:.2} {y:.2}", if k == 0 { 'M' } else { 'L' });
            }
            let dashes = dashes.map_or_else(String::new, |dashes| format!(" stroke-dasharray=\"{dashes}\""));
            // Of the palette, the colours of lines are classes of their own, and that of the grid belongs to its class.
            let class = if *class == "grid" { (*class).to_owned() } else { format!("{class} {ink}") };
            writeln!(
                svg,
                "<path class=\"{class}\"{dashes} stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\"{path}\"/>"
            )
        }
        Shape::Text { at: (x, y), anchor, class, text } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let text = escaped(text);
            writeln!(svg, "<text x=\"{x:.2}\" y=\"{y:.2}\" class=\"{class}\" text-anchor=\"{anchor}\">{text}</text>")
        }
        Shape::Image { place: [x, y, width, height], columns, pixels } => {
            let rows = pixels.len() / 3 / (*columns).max(1);
            // A map without cells has no picture.
            let png = pixels::png(pixels, *columns, rows).map(|png| base64(&png)).unwrap_or_default();
            writeln!(
                svg,
                "<image x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" preserveAspectRatio=\"none\" \
                 image-rendering=\"pixelated\" href=\"data:image/png;base64,{png}\"/>"
            )
        }
    };
}

/// Escapes `text` for XML, in which some characters cannot be written at all.
fn escaped(text: &str) -> String {
    let plain = |c: char| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c };
    let plain: String = text.chars().map(plain).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
