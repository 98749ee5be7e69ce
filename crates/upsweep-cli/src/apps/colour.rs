//! Text coloured by its tokens: for a terminal, or as a page.

use crate::failure::acts;
use std::io::{self, Write};
use upsweep_apps::text::Lexer;
use upsweep_apps::text::lexer::ERROR;

/// Token of a text: offset of its first byte, offset of the byte after its last one, and number of its kind.
pub(super) type Token = (usize, usize, u8);

/// Colours of tokens by the number of their kind, modulo 8: the code among a terminal's 256 colours, and the colour on
/// a white HTML page. Many grammars share the order of kinds.
const COLOURS: [(u8, &str); 8] = [
    (250, "#555555"),
    (108, "#557733"),
    (114, "#228833"),
    (180, "#aa7711"),
    (174, "#bb4455"),
    (140, "#774499"),
    (75, "#1166aa"),
    (252, "#222222"),
];

fn colour(kind: u8) -> (u8, &'static str) {
    COLOURS[usize::from(kind) % COLOURS.len()]
}

/// Writes the text with the colours of its tokens' kinds, as escape codes of a terminal. Control characters in the text
/// are replaced by U+FFFD.
pub(super) fn in_terminal(out: &mut dyn Write, text: &[u8], tokens: &[Token]) -> io::Result<()> {
    for &(start, end, kind) in tokens {
        let token = String::from_utf8_lossy(text.get(start..end).unwrap_or_default());
        let safe = |c: char| if acts(c) && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
        // A line break between the escape codes would colour the rest of the line on the screen.
        for (i, line) in token.split('\n').enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            let line: String = line.chars().filter(|&c| c != '\r').map(safe).collect();
            match (line.is_empty(), kind) {
                (true, _) => {}
                (false, ERROR) => write!(out, "\x1b[41;97m{line}\x1b[0m")?,
                (false, kind) => write!(out, "\x1b[38;5;{}m{line}\x1b[0m", colour(kind).0)?,
            }
        }
    }
    Ok(())
}

/// Writes the beginning of an HTML page for the text of a file.
pub(super) fn begin_page(out: &mut dyn Write, name: &str) -> io::Result<()> {
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{}</title>", escaped(name))?;
    writeln!(out, "<style>\npre {{ font: 14px/1.4 monospace; background: #fff; color: #222 }}")?;
    for (kind, (_, colour)) in COLOURS.iter().enumerate() {
        writeln!(out, ".k{kind} {{ color: {colour} }}")?;
    }
    write!(out, ".error {{ color: #fff; background: #c00 }}\n</style>\n<pre>")
}

/// Writes text into the page with the colours of its tokens' kinds. The tooltip of a token names its kind.
pub(super) fn in_page(out: &mut dyn Write, text: &[u8], lexer: &Lexer, tokens: &[Token]) -> io::Result<()> {
    for &(start, end, kind) in tokens {
        let token = String::from_utf8_lossy(text.get(start..end).unwrap_or_default());
        let class = if kind == ERROR { "error".to_owned() } else { format!("k{}", usize::from(kind) % COLOURS.len()) };
        write!(out, "<span class=\"{class}\" title=\"{}\">{}</span>", escaped(lexer.name(kind)), escaped(&token))?;
    }
    Ok(())
}

/// Writes the end of the page.
pub(super) fn end_page(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</pre>\n</html>")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            '\r' => {}
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
