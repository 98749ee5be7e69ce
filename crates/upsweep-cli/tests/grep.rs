//! Tests of `text grep`: its options, and plain patterns beside automata.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use support::Folder;

const TEXT: &[u8] = b"Apple pie\napple\n\nbanana split\nAPPLE apple";

fn grep(f: &Folder, args: &[&str], text: &[u8]) -> (Option<i32>, String) {
    let done = f.run_with(&[&["text", "grep"], args].concat(), text);
    assert_eq!(done.stderr, "", "{args:?}");
    (done.code, String::from_utf8_lossy(&done.stdout).into_owned())
}

#[test]
fn options_of_grep() {
    let f = Folder::new();
    let of = |args: &[&str]| grep(&f, &[args, &["-"]].concat(), TEXT).1;
    assert_eq!(of(&["apple"]), "apple\nAPPLE apple\n");
    assert_eq!(of(&["apple", "-n"]), "2:apple\n5:APPLE apple\n");
    assert_eq!(of(&["apple", "-i"]), "Apple pie\napple\nAPPLE apple\n");
    assert_eq!(of(&["apple", "-i", "-c"]), "3\n");
    assert_eq!(of(&["apple", "-v"]), "Apple pie\n\nbanana split\n");
    assert_eq!(of(&["apple", "-v", "-i", "-n"]), "3:\n4:banana split\n");
    assert_eq!(of(&["apple", "-vc"]), "3\n");
    assert_eq!(of(&["an.", "-o"]), "ana\n");
    assert_eq!(of(&["an", "-o", "-n"]), "4:an\n4:an\n");
    assert_eq!(of(&["apple", "-io"]), "Apple\napple\nAPPLE\napple\n");
    assert_eq!(of(&["x*", "-o"]), "");
    assert_eq!(grep(&f, &["none", "-"], TEXT), (Some(1), String::new()));
    assert_eq!(grep(&f, &["none", "-c", "-"], TEXT), (Some(1), "0\n".to_owned()));
    f.fails(&["text", "grep", "a", "-", "-o", "-v"], b"", 2, &["--only-matching"]);
}

#[test]
fn carriage_returns_at_line_ends() {
    let f = Folder::new();
    let text = b"one\r\ntwo\rtwo\r\n\r\nend\r";
    let of = |args: &[&str]| grep(&f, &[args, &["--crlf", "-"]].concat(), text).1;
    assert_eq!(of(&["e$"]), "one\n");
    assert_eq!(of(&["one"]), "one\n");
    assert_eq!(of(&["^$", "-n"]), "3:\n");
    assert_eq!(of(&["two"]), "two\rtwo\n");
    assert_eq!(grep(&f, &["e$", "-"], text).0, Some(1));
}

#[test]
fn several_files() {
    let f = Folder::new();
    f.file("a.txt", "x\ny\n").file("b.txt", "z\nx").file("c.txt", "");
    let of = |args: &[&str]| grep(&f, args, b"x\n");
    assert_eq!(of(&["x", "a.txt", "b.txt", "c.txt"]).1, "a.txt:x\nb.txt:x\n");
    assert_eq!(of(&["[x]", "b.txt", "-n", "a.txt", "-"]).1, "b.txt:2:x\na.txt:1:x\n-:1:x\n");
    assert_eq!(of(&["x", "a.txt", "c.txt", "-c"]), (Some(0), "a.txt:1\nc.txt:0\n".to_owned()));
    assert_eq!(of(&["w", "a.txt", "c.txt"]), (Some(1), String::new()));
    f.fails(&["text", "grep", "x", "a.txt", "missing.txt"], b"", 2, &["missing.txt"]);
    f.fails(&["text", "grep", "x", "-", "-"], b"", 2, &["standard input"]);
}

/// Patterns that are searched for in many lines at once find what those find that are searched for line by line: such with a class
/// that is negated.
#[test]
fn patterns_find_what_automata_find() {
    let f = Folder::new();
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut texts: Vec<Vec<u8>> =
        [&b""[..], b"\n", b"\n\n", b"ab", b"ab\n", b"\nab", b"a\n\nb", b"\r\n"].map(<[u8]>::to_vec).to_vec();
    for _ in 0..6 {
        let letter = |k: usize| [&b"a"[..], b"b", b"A", b"1", b".", b" ", b"\n", b"\n", b"\xff", b"\r"][k].to_vec();
        texts.push((0..next(400)).flat_map(|_| letter(next(10))).collect());
    }
    texts.push([&b"b1\n".repeat(100_000)[..], b"ab\n", &b"b\n".repeat(100_000), b"a.b\na1b"].concat());
    let patterns = [
        "ab", "a.b", "^", "$", "^$", "^a", "b$", "^ab$", "x*", "[ab]+1", "a|^b", "\\ba", "a\\b", "(?:ab)+", "\\d",
        "\\.", "a\\w*b", ".",
    ];
    for text in &texts {
        for pattern in patterns {
            let option = ["-n", "-ic"][next(2)];
            let of = |pattern: &str| grep(&f, &[pattern, option, "-"], text);
            let by_line = format!("(?:{pattern})[^x]{{0}}");
            assert_eq!(of(pattern), of(&by_line), "{pattern} {option} {:?}", text.get(..500).unwrap_or(text));
        }
    }
}

/// Lines around the ends of the parts that are read, longer ones than these, and line ends of every kind.
#[test]
fn plain_patterns_find_what_automata_find() {
    let f = Folder::new();
    let part = 1 << 18;
    let mut cases: Vec<Vec<u8>> =
        [&b""[..], b"\n", b"needle", b"needle\n", b"\nneedle", b"needleneedle\nneedl\ne", b"n\0eedle needle\n\n"]
            .map(<[u8]>::to_vec)
            .to_vec();
    for before in [part - 7, part - 6, part - 3, part - 1, part, part + 1, 3 * part] {
        let lines: Vec<u8> = b"some line\n".iter().copied().cycle().take(before).collect();
        cases.push([&lines[..], b"a needle \nneedle", &lines, b"\nneed\nneedle\n"].concat());
        cases.push([&vec![b'x'; before][..], b"needle", &vec![b'y'; before], b"\n", &lines].concat());
    }
    for text in cases {
        for option in ["-n", "-c", "-o", "--crlf"] {
            let of = |pattern: &str| grep(&f, &[pattern, option, "-"], &text);
            assert_eq!(of("needle"), of("needle[^x]{0}"), "{option} {}", text.len());
            assert_eq!(of("needle"), of("(needle)"), "{option} {}", text.len());
        }
    }
}
