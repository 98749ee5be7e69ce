//! Command `upsweep text lex`: the tokens of a text, which is read part by part.

use super::{TextFile, There, colour, failed, open};
use crate::args::apps::Lex;
use crate::device::{Chosen, Work};
use crate::failure::{Failure, Result};
use crate::output::Destination;
use crate::text::{Text, TextForm, open as open_text};
use colour::Token;
use std::io::{self, Read};
use std::path::Path;
use upsweep::Carry;
use upsweep_apps::text::lexer::LOOK_AHEAD;
use upsweep_apps::text::{GRAMMARS, Grammar, Lexer};

/// Bytes of a part.
const PART: usize = 1 << 20;
/// Number of tokens at the end of a part, at most, in whose place others may come if more text follows.
const OPEN: usize = 2 * LOOK_AHEAD;

pub(super) fn run(args: &Lex) -> Result<()> {
    let lexer = match (&args.grammar, &args.rules) {
        (_, Some(rules)) => from_rules(rules)?,
        (name, None) => {
            let name = name.as_deref().unwrap_or_default();
            let names: Vec<&str> = GRAMMARS.iter().map(|grammar| grammar.name).collect();
            let unknown =
                || Failure::Input(format!("--grammar {name}: there are {}; or give --rules", names.join(", ")));
            Grammar::find(name).ok_or_else(unknown)?.lexer().map_err(|e| failed("--grammar", e))?
        }
    };
    let page = args.html.as_deref().map(|path| Destination::of("--html", path)).transpose()?;
    let chosen = Chosen::open(args.on.device, Work::Computation)?;
    let (file, name) = open(&args.file)?;
    let text = open_text(file, TextForm { encoding: args.encoding, ..TextForm::default() }, &name)?;
    let lexed = Lexed { lexer: &lexer, chosen: &chosen, text, name: &name };
    let printed = Destination::standard_output();
    let to = page.as_ref().unwrap_or(&printed);
    let written = |written: io::Result<()>| written.map_err(|e| Failure::writing(to.name(), &e));
    if args.count {
        let mut counts = vec![0u64; 256];
        lexed.each(&mut |_, _, tokens| {
            tokens.iter().for_each(|&(_, _, kind)| counts[usize::from(kind)] += 1);
            Ok(())
        })?;
        let lines = (0..=u8::MAX).filter(|&kind| counts[usize::from(kind)] > 0);
        return to.write(|out| {
            lines
                .clone()
                .try_for_each(|kind| written(writeln!(out, "{}\t{}", counts[usize::from(kind)], lexer.name(kind))))
        });
    }
    if page.is_some() {
        return to.write(|out| {
            written(colour::begin_page(out, &name))?;
            lexed.each(&mut |_, text, tokens| written(colour::in_page(out, text, &lexer, tokens)))?;
            written(colour::end_page(out))
        });
    }
    if args.color {
        return Destination::draw(|out| {
            lexed.each(&mut |_, text, tokens| written(colour::in_terminal(out, text, tokens)))
        });
    }
    to.write(|out| {
        lexed.each(&mut |begin, _, tokens| {
            tokens.iter().try_for_each(|&(start, end, kind)| {
                written(writeln!(out, "{}\t{}\t{}", begin + start, begin + end, lexer.name(kind)))
            })
        })
    })
}

/// Text whose tokens are found.
struct Lexed<'a> {
    lexer: &'a Lexer,
    chosen: &'a Chosen,
    text: Text<'a>,
    /// Name of the file in messages.
    name: &'a str,
}

/// Taker of tokens: of the offset of a piece of the text in its file, of the piece, and of its tokens.
type Take<'a> = dyn FnMut(usize, &[u8], &[Token]) -> Result<()> + 'a;

impl Lexed<'_> {
    /// Reads the text, and lets `take` take its tokens, some at a time.
    fn each(self, take: &mut Take<'_>) -> Result<()> {
        let Self { lexer, chosen: chosen @ Chosen { device, .. }, text: Text { mut reader, begin }, name } = self;
        let library = |e| failed(name, upsweep_apps::Error::Library(e));
        let room = PART + OPEN;
        let mut kinds = device.filled(room, 0u8).map_err(library)?;
        let mut ends = device.filled(room, 0u64).map_err(library)?;
        let mut carry = Carry::new();
        // Text whose tokens were not taken, and its offset in the file, which counts the byte order mark.
        let (mut text, mut base) = (Vec::new(), begin);
        // Number of tokens that were taken, and kinds and ends of those that may be others if more text follows.
        let (mut taken, mut open) = (0, Vec::new());
        loop {
            let before = text.len();
            let read = reader.by_ref().take(PART as u64).read_to_end(&mut text);
            read.map_err(|e| Failure::reading(name, &e))?;
            let part = text.get(before..).unwrap_or_default();
            if !part.is_empty() {
                let part = There::of(chosen, part).map_err(library)?;
                let found = lexer.run_with_carry(device, &part, &mut kinds, &mut ends, &mut carry);
                let found = found.map_err(|e| failed(name, e))?;
                let (first, len) = (found.first.get().map_err(library)?, found.len.get().map_err(library)?);
                let (kinds, ends) = (kinds.to_vec().map_err(library)?, ends.to_vec().map_err(library)?);
                open.truncate(first.saturating_sub(taken));
                open.extend(ends.into_iter().zip(kinds).take(len));
            }
            let is_end = text.len() == before;
            let known = if is_end { open.len() } else { open.len().saturating_sub(OPEN) };
            taken += known;
            let mut start = 0;
            let token = |(end, kind): (u64, u8)| {
                let end = end as usize + begin - base;
                (std::mem::replace(&mut start, end), end, kind)
            };
            let tokens: Vec<Token> = open.drain(..known).map(token).collect();
            take(base, &text, &tokens)?;
            if is_end {
                return Ok(());
            }
            text.drain(..start);
            base += start;
        }
    }
}

/// Builds a lexer from the rules in a file, one `NAME = REGEX` per line.
fn from_rules(path: &Path) -> Result<Lexer> {
    let TextFile { bytes, name, .. } = TextFile::read(path, TextForm::default())?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::input(&name, "is no text in UTF-8"))?;
    let mut rules = vec![];
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let rule = line.split_once('=').map(|(name, rule)| (name.trim(), rule.trim()));
        let wrong = || Failure::input(&name, format!("line {} is no `NAME = REGEX`", number + 1));
        rules.push(rule.filter(|(name, rule)| !name.is_empty() && !rule.is_empty()).ok_or_else(wrong)?);
    }
    if rules.is_empty() {
        return Err(Failure::input(&name, "has no rules: a line `NAME = REGEX` each"));
    }
    Lexer::new(&rules).map_err(|e| failed(&name, e))
}
