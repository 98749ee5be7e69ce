//! Lexing on one core, beside logos with the same rules, whose tokens are stored as upsweep's are.
//!
//! `cargo run --release -p upsweep-bench --features peers --bin text`
//!
//! Each line has medians of runs that alternate, in GB of text a second, and their ratio. The tokens are compared first.

use logos::{Lexer, Logos};
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;
use upsweep::Device;
use upsweep_apps::text::Grammar;

type Error = Box<dyn std::error::Error>;

/// The bytes of each text, and how often it is lexed.
const BYTES: usize = 16 << 20;
const RUNS: usize = 15;

#[derive(Logos, Clone, Copy)]
#[logos(utf8 = false)]
enum Json {
    #[regex(br"[ \t\r\n]+")]
    Space,
    #[regex(br#""([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#)]
    String,
    #[regex(br"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")]
    Number,
    #[regex(b"true|false|null")]
    Word,
    #[regex(br"[{}\[\],:]")]
    Punctuation,
}

#[derive(Logos, Clone, Copy)]
#[logos(utf8 = false)]
enum Csv {
    #[regex(br#""([^"]|"")*"?"#)]
    Quoted,
    #[regex(br#"[^",\r\n][^,\r\n]*"#)]
    Cell,
    #[token(b",")]
    Comma,
    #[regex(br"\r?\n|\r")]
    End,
}

#[derive(Logos, Clone, Copy)]
#[logos(utf8 = false)]
enum Rust {
    #[regex(br"[ \t\r\n]+")]
    Space,
    #[regex(br"//[^\n]*|/\*([^*]|\*+[^*/])*(\*+/?)?", allow_greedy = true)]
    Comment,
    #[regex(br#"b?"([^"\\]|\\(.|\n))*"?"#, priority = 20)]
    String,
    #[regex(br"'([^'\\\n]|\\[^\n]|\\u\{[0-9a-fA-F]*\}|\\x[0-9a-fA-F]{2})'", priority = 20)]
    Character,
    #[regex(br"b'([^'\\\n]|\\[^\n]|\\x[0-9a-fA-F]{2})?'?", priority = 20)]
    Byte,
    #[regex(br"'[A-Za-z_][A-Za-z0-9_]*", priority = 10)]
    Lifetime,
    #[regex(br"[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)?", priority = 10)]
    Number,
    #[regex(br"(r#)?[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*", priority = 5)]
    Name,
    #[regex(br"[-+*/%^!&|=<>@.,;:#$?~(){}\[\]]|->|=>|::|\.\.=?|[-+*/%^&|=<>!]=|&&|\|\||<<|>>", priority = 6)]
    Punctuation,
}

/// The tokens that logos finds.
fn by_logos<'a, T>(text: &'a [u8], kind: impl Fn(T) -> u8, (kinds, ends): (&mut Vec<u8>, &mut Vec<u64>))
where
    T: Logos<'a, Source = [u8]>,
    T::Extras: Default,
{
    kinds.clear();
    ends.clear();
    let mut lexer: Lexer<'a, T> = T::lexer(text);
    while let Some(token) = lexer.next() {
        kinds.push(token.map_or(u8::MAX, &kind));
        ends.push(lexer.span().end as u64);
    }
}

fn race<'a, T>(grammar: &str, text: &'a [u8], kind: impl Fn(T) -> u8 + Copy) -> Result<(), Error>
where
    T: Logos<'a, Source = [u8]>,
    T::Extras: Default,
{
    let device = Device::cpu();
    let lexer = Grammar::find(grammar).ok_or("no such grammar")?.lexer()?;
    let mut tokens = lexer.run(&device, text)?;
    let (mut kinds, mut ends) = (vec![], vec![]);
    by_logos(text, kind, (&mut kinds, &mut ends));
    if tokens.kinds.to_vec()? != kinds || tokens.ends.to_vec()? != ends {
        return Err(format!("{grammar}: other tokens than logos finds").into());
    }
    let (mut fresh, mut again, mut by_peer, mut fresh_by_peer) = (vec![], vec![], vec![], vec![]);
    let seconds = |into: &mut Vec<f64>, run: &mut dyn FnMut() -> Result<(), Error>| -> Result<(), Error> {
        let start = Instant::now();
        run()?;
        into.push(start.elapsed().as_secs_f64());
        Ok(())
    };
    for _ in 0..RUNS {
        seconds(&mut again, &mut || Ok(lexer.run_again(&device, text, &mut tokens)?))?;
        seconds(&mut by_peer, &mut || {
            by_logos(text, kind, (&mut kinds, &mut ends));
            Ok(())
        })?;
        seconds(&mut fresh, &mut || {
            black_box(lexer.run(&device, text)?);
            Ok(())
        })?;
        seconds(&mut fresh_by_peer, &mut || {
            let (mut kinds, mut ends) = (vec![], vec![]);
            by_logos(text, kind, (&mut kinds, &mut ends));
            black_box((kinds, ends));
            Ok(())
        })?;
    }
    let median = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        text.len() as f64 / 1e9 / seconds[RUNS / 2]
    };
    let each = text.len() as f64 / ends.len() as f64;
    for (memory, ours, theirs) in [("kept", again, by_peer), ("new", fresh, fresh_by_peer)] {
        let (ours, theirs) = (median(ours), median(theirs));
        println!(
            "{grammar}, {each:.1} bytes a token, memory {memory}: upsweep {ours:.2}, logos {theirs:.2}, {:.2} times",
            ours / theirs
        );
    }
    Ok(())
}

/// Words and numbers that look random.
struct Made {
    text: String,
    seed: u64,
}

impl Made {
    fn below(&mut self, n: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.seed >> 33) % n
    }

    fn words(&mut self, count: u64) {
        for i in 0..count {
            self.text.push_str(if i > 0 { " " } else { "" });
            for _ in 0..2 + self.below(8) {
                let letter = b'a' + self.below(26) as u8;
                self.text.push(letter.into());
            }
        }
    }
}

fn json() -> Result<String, Error> {
    let mut made = Made { text: "[".to_owned(), seed: 1 };
    while made.text.len() < BYTES {
        write!(made.text, "\n  {{\"id\": {}, \"name\": \"", made.seed >> 44)?;
        let words = 1 + made.below(4);
        made.words(words);
        let (whole, part, word) =
            (made.below(100), made.below(10_000), ["true", "false", "null"][made.below(3) as usize]);
        write!(made.text, "\", \"ok\": {word}, \"at\": [{whole}.{part}, -{part}e-{whole}]}},")?;
    }
    Ok(made.text + "0]")
}

fn csv() -> Result<String, Error> {
    let mut made = Made { text: String::new(), seed: 2 };
    while made.text.len() < BYTES {
        let (month, day, part) = (1 + made.below(12), 1 + made.below(28), made.below(10_000));
        write!(made.text, "2026-{month:02}-{day:02},{part}.{day},")?;
        made.words(1);
        made.text.push_str(",\"");
        made.words(3);
        made.text.push_str(if day == 1 { ", \"\"quoted\"\"\n\"," } else { "\"," });
        writeln!(made.text, "{part}")?;
    }
    Ok(made.text)
}

/// This program, again and again.
fn rust() -> String {
    include_str!("text.rs").repeat(BYTES / include_str!("text.rs").len())
}

fn main() -> Result<(), Error> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    race::<Json>("json", json()?.as_bytes(), |kind| kind as u8)?;
    race::<Csv>("csv", csv()?.as_bytes(), |kind| kind as u8)?;
    race::<Rust>("rust", rust().as_bytes(), |kind| kind as u8)
}
