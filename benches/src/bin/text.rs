//! Lexing on one core, beside logos with the same rules, whose tokens are stored as upsweep's are.
//!
//! `cargo run --release -p upsweep-bench --features peers --bin text -- --out FILE`
//!
//! A record has the median of runs that take turns, beside a copy of the text; standard error says GB of text a second and how many times
//! logos that is. The tokens are compared first. `lex_json` stores tokens in memory that is used again, `lex_json_new` in new memory.

use logos::{Lexer, Logos};
use std::hint::black_box;
use std::time::Instant;
use upsweep::Device;
use upsweep_apps::text::Grammar;
use upsweep_bench::{Options, Outcome, Record, Row, exit_code, machine, median, texts};

/// The bytes of each text as a power of two, and how often it is lexed.
const LOG2_BYTES: u32 = 24;
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

/// The race of one grammar.
fn race<'a, T>(grammar: &str, text: &'a [u8], kind: impl Fn(T) -> u8 + Copy, record: &mut Record) -> Outcome
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
    let mut copy = text.to_vec();
    let mut times: [Vec<f64>; 5] = Default::default();
    for _ in 0..RUNS {
        let contestants: [&mut dyn FnMut() -> Outcome; 5] = [
            &mut || {
                black_box(&mut copy[..]).copy_from_slice(text);
                Ok(())
            },
            &mut || Ok(lexer.run_again(&device, text, &mut tokens)?),
            &mut || {
                by_logos(text, kind, (&mut kinds, &mut ends));
                Ok(())
            },
            &mut || {
                black_box(lexer.run(&device, text)?);
                Ok(())
            },
            &mut || {
                let (mut kinds, mut ends) = (vec![], vec![]);
                by_logos(text, kind, (&mut kinds, &mut ends));
                black_box((kinds, ends));
                Ok(())
            },
        ];
        for (contestant, times) in contestants.into_iter().zip(&mut times) {
            let start = Instant::now();
            contestant()?;
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    let [copy, ours, theirs, ours_new, theirs_new] = times.map(median);
    let bytes = text.len() as f64;
    let mut rows = |algo: &str, contestants: &[(&str, f64)]| -> Outcome {
        for &(lib, micros) in contestants {
            let copy_gbps = bytes / copy / 1e3;
            let row = Row { lib, algo, ty: "u8", log2n: LOG2_BYTES, micros, bytes, copy_gbps, enqueue_micros: None };
            record.row(&row)?;
        }
        Ok(())
    };
    rows(&format!("lex_{grammar}"), &[("upsweep", ours), ("logos", theirs), ("copy", copy)])?;
    rows(&format!("lex_{grammar}_new"), &[("upsweep", ours_new), ("logos", theirs_new)])?;
    let speed = |micros: f64| bytes / micros / 1e3;
    eprintln!(
        "{grammar}, {:.1} bytes a token: upsweep {:.2} GB/s, logos {:.2}, {:.2} times; in new memory {:.2} times",
        bytes / tokens.ends.len() as f64,
        speed(ours),
        speed(theirs),
        theirs / ours,
        theirs_new / ours_new
    );
    Ok(())
}

fn main() -> std::process::ExitCode {
    exit_code(bench())
}

fn bench() -> Outcome {
    let options = Options::parse(std::env::args().skip(1))?;
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let mut record = Record::create(&options, &machine(), "")?;
    let bytes = 1 << LOG2_BYTES;
    race::<Json>("json", texts::json(bytes)?.as_bytes(), |kind| kind as u8, &mut record)?;
    race::<Csv>("csv", texts::csv(bytes)?.as_bytes(), |kind| kind as u8, &mut record)?;
    race::<Rust>("rust", texts::rust(bytes).as_bytes(), |kind| kind as u8, &mut record)
}
