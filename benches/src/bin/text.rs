//! Lexing on one core, beside logos with the same rules, whose tokens are stored as upsweep's are.
//!
//! `cargo run --release -p upsweep-bench --features peers --bin text`
//!
//! Each line has medians of runs that alternate, in GB of text a second, and their ratio. The tokens are compared first.

use logos::{Lexer, Logos};
use std::hint::black_box;
use std::time::Instant;
use upsweep::Device;
use upsweep_apps::text::Grammar;
use upsweep_bench::texts;

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

fn main() -> Result<(), Error> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    race::<Json>("json", texts::json(BYTES)?.as_bytes(), |kind| kind as u8)?;
    race::<Csv>("csv", texts::csv(BYTES)?.as_bytes(), |kind| kind as u8)?;
    race::<Rust>("rust", texts::rust(BYTES).as_bytes(), |kind| kind as u8)
}
