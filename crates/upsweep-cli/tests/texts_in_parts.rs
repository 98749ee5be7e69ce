//! Tests of texts that are read part by part: tokens and differences at the edges of parts.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;
use support::{Folder, Random, npy};

/// Bytes of a part: see `apps/lex.rs` and `apps/compare.rs`.
const PART: usize = 1 << 20;
/// Values of a part.
const VALUES: usize = 1 << 17;

#[test]
fn tokens_over_parts() {
    let (f, mut random) = (Folder::new(), Random(2));
    // A mark, which counts, and a token longer than a part.
    let mut text = "\u{feff}".to_owned();
    let (mut tokens, mut counts) = (String::new(), [0; 5]);
    let names = ["space", "string", "number", "word", "punctuation"];
    let mut push = |text: &mut String, kind: usize, token: &str| {
        tokens += &format!("{}\t{}\t{}\n", text.len(), text.len() + token.len(), names[kind]);
        counts[kind] += 1;
        *text += token;
    };
    while text.len() < 4 * PART {
        let long = if text.len() < 2 * PART && text.len() > PART + 500 { PART + 900 } else { random.below(2000) };
        match random.below(4) {
            0 => push(&mut text, 1, &format!("\"{}\"", "x".repeat(long))),
            1 => push(&mut text, 2, "-12.5e3"),
            2 => push(&mut text, 3, "true"),
            _ => push(&mut text, 4, "{"),
        }
        let spaces = " ".repeat(1 + random.below(3));
        push(&mut text, 0, &spaces);
    }
    f.file("a.json", &text);
    let lex = ["text", "lex", "a.json", "--grammar", "json"];
    assert!(f.prints(&lex) == tokens);
    let expected: String = names.iter().zip(counts).map(|(name, count)| format!("{count}\t{name}\n")).collect();
    let mut found: Vec<String> = f.prints(&[&lex[..], &["--count"]].concat()).lines().map(str::to_owned).collect();
    found.sort();
    let mut expected: Vec<&str> = expected.lines().collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    // The page and the colours have all of the text.
    f.prints(&[&lex[..], &["--html", "a.html"]].concat());
    let page = String::from_utf8(f.read("a.html")).unwrap();
    let (_, body) = page.split_once("<pre>").unwrap();
    let inner: String = body.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect();
    assert!(inner.trim_end_matches('\n').replace("&quot;", "\"") == text[3..]);
    let coloured = f.prints(&[&lex[..], &["--color"]].concat());
    let pieces = coloured.split('\u{1b}').map(|piece| piece.split_once('m').map_or(piece, |(_, text)| text));
    assert!(pieces.collect::<String>() == text[3..]);
}

/// Ends of tokens that are known some bytes later, at every place around the edge of a part.
#[test]
fn tokens_at_an_edge() {
    let f = Folder::new();
    f.file("rules", "number = [0-9]+(\\.[0-9]+)?\nrange = \\.\\.\ndot = \\.\nletter = x\n");
    let unit = "1..23.5x1.x?";
    let ends = [
        (1, "number"),
        (3, "range"),
        (7, "number"),
        (8, "letter"),
        (9, "number"),
        (10, "dot"),
        (11, "letter"),
        (12, "error"),
    ];
    let repeats = PART / unit.len();
    // Texts that end at the edge of a part, and those that go on.
    let whole = std::iter::once((PART % unit.len(), repeats));
    for (before, repeats) in whole.chain((0..unit.len()).map(|before| (before, repeats + 2))) {
        let text = "x".repeat(before) + &unit.repeat(repeats);
        let mut expected: Vec<String> = (0..before).map(|at| format!("{at}\t{}\tletter", at + 1)).collect();
        for k in 0..repeats {
            let (mut start, begin) = (0, before + k * unit.len());
            for (end, name) in ends {
                expected.push(format!("{}\t{}\t{name}", begin + start, begin + end));
                start = end;
            }
        }
        let found = f.run_with(&["text", "lex", "-", "--rules", "rules"], text.as_bytes()).good();
        assert!(found.lines().eq(expected.iter()), "{before}");
    }
}

#[test]
fn differences_over_parts() {
    let f = Folder::new();
    let line = "0123456789abcde\n";
    let a = line.repeat(2 * PART / line.len() + 3);
    f.file("a", &a);
    let compare = |a: &str, b: &str| {
        let done = f.run(&["text", "compare", a, b]);
        (done.code, String::from_utf8(done.stdout).unwrap())
    };
    assert_eq!(compare("a", "a"), (Some(0), String::new()));
    for at in [0, PART - 1, PART, PART + 1, 2 * PART - 1, 2 * PART, a.len() - 1] {
        let mut b = a.clone().into_bytes();
        b[at] = b'!';
        f.file("b", &b);
        let shown = format!("{:?}", char::from(a.as_bytes()[at]));
        let says = format!("byte {at}, line {}: {shown} in a, '!' in b\n", at / line.len() + 1);
        assert_eq!(compare("a", "b"), (Some(1), says));
        // One that ends there.
        f.file("b", &a[..at]);
        let says = format!("byte {at}, line {}: {shown} in a, its end in b\n", at / line.len() + 1);
        assert_eq!(compare("a", "b"), (Some(1), says));
        let says = format!("byte {at}, line {}: its end in b, {shown} in a\n", at / line.len() + 1);
        assert_eq!(compare("b", "a"), (Some(1), says));
    }
    // Characters that begin in a part before, and end in one behind.
    for begin in PART - 4..=PART {
        let text = |last: char| [&a[..begin], &last.to_string(), "\n"].concat();
        f.file("b", text('\u{1f600}')).file("c", text('\u{1f601}'));
        let says = format!("byte {}, line {}: '\u{1f600}' in b, '\u{1f601}' in c\n", begin + 3, begin / line.len() + 1);
        assert_eq!(compare("b", "c"), (Some(1), says));
    }
}

#[test]
fn values_over_parts() {
    let f = Folder::new();
    let n = 2 * VALUES + 5;
    let array = |at: usize, other: i32| {
        let x: Vec<u8> = (0..n).flat_map(|k| if k == at { other } else { k as i32 % 1000 }.to_le_bytes()).collect();
        npy("'<i4'", &format!("({n},)"), &x)
    };
    f.file("a.npy", array(n, 0));
    let floats: Vec<u8> = (0..n).flat_map(|k| ((k % 1000) as f32).to_le_bytes()).collect();
    f.file("f.npy", npy("'<f4'", &format!("({n},)"), &floats));
    let compare = |args: &[&str]| {
        let done = f.run(&[&["text", "compare"], args].concat());
        (done.code, String::from_utf8(done.stdout).unwrap())
    };
    assert_eq!(compare(&["a.npy", "f.npy"]), (Some(0), String::new()));
    for at in [0, VALUES - 1, VALUES, VALUES + 1, 2 * VALUES, n - 1] {
        f.file("b.npy", array(at, -7));
        let says = format!("value {at}: {} in a.npy, -7 in b.npy\n", at % 1000);
        assert_eq!(compare(&["a.npy", "b.npy"]), (Some(1), says));
        let says = format!("value {at}: {}.0 in f.npy, -7.0 in b.npy\n", at % 1000);
        assert_eq!(compare(&["f.npy", "b.npy"]), (Some(1), says));
        assert_eq!(compare(&["a.npy", "b.npy", "--tolerance", "1007"]).0, Some(0));
    }
    let whole = array(n, 0);
    f.file("s.npy", npy("'<i4'", &format!("(1, {n})"), &whole[whole.len() - 4 * n..]));
    let says = format!("the shape [{n}] in a.npy, the shape [1, {n}] in s.npy\n");
    assert_eq!(compare(&["a.npy", "s.npy"]), (Some(1), says));
}
