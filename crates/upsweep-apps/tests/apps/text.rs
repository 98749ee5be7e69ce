//! Tests of tokens, against a loop that tries every length with every rule, and of matching lines, against
//! regex-automata's own search.

use crate::Random;
use regex_automata::dfa::{Automaton, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use upsweep::Device;
use upsweep_apps::Error;
use upsweep_apps::text::lexer::ERROR;
use upsweep_apps::text::{GRAMMARS, Grep, Lexer, match_brackets, newlines};

/// Reference lexer: one DFA of all rules, run from every token's start to the last match.
struct Oracle(dense::DFA<Vec<u32>>, RefCell<HashMap<StateID, bool>>);

impl Oracle {
    fn new(rules: &[(&str, &str)]) -> Self {
        let patterns: Vec<&str> = rules.iter().map(|rule| rule.1).collect();
        let dfa = dense::Builder::new()
            .configure(dense::Config::new().match_kind(MatchKind::All))
            .syntax(syntax::Config::new().unicode(false).utf8(false))
            .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
            .build_many(&patterns);
        Self(dfa.unwrap(), RefCell::default())
    }

    /// Kind and end of each token.
    fn tokens(&self, text: &[u8]) -> Vec<(u8, u64)> {
        let (mut tokens, mut at) = (vec![], 0);
        while at < text.len() {
            let input = Input::new(text).anchored(Anchored::Yes).range(at..);
            let first = self.0.start_state_forward(&input).unwrap();
            let (mut state, mut found) = (first, None);
            // The state after byte `i` shows whether the text before that byte matches.
            let mut dead = text.len();
            for i in at..=text.len() {
                state = match text.get(i) {
                    Some(&byte) => self.0.next_state(state, byte),
                    None => self.0.next_eoi_state(state),
                };
                if self.0.is_match_state(state) {
                    let kind =
                        (0..self.0.match_len(state)).map(|k| self.0.match_pattern(state, k).as_usize()).min().unwrap();
                    found = Some((kind as u8, i));
                }
                if self.0.is_dead_state(state) || (i < text.len() && !self.may_match(state)) {
                    dead = i;
                    break;
                }
            }
            let (kind, end) = found.unwrap_or((ERROR, dead.max(at + 1)));
            tokens.push((kind, end as u64));
            at = end;
        }
        tokens
    }

    /// Whether a match is reachable from a state, by a search over all states.
    fn may_match(&self, first: StateID) -> bool {
        if let Some(&known) = self.1.borrow().get(&first) {
            return known;
        }
        let (mut seen, mut left, mut found) = (HashSet::from([first]), vec![first], false);
        while let Some(state) = left.pop() {
            found |= self.0.is_match_state(self.0.next_eoi_state(state));
            left.extend((0..=255u8).map(|byte| self.0.next_state(state, byte)).filter(|&next| seen.insert(next)));
        }
        self.1.borrow_mut().insert(first, found);
        found
    }
}

fn lex(lexer: &Lexer, text: &[u8]) -> Vec<(u8, u64)> {
    let device = Device::cpu();
    let tokens = lexer.run(&device, text).unwrap();
    tokens.kinds.to_vec().unwrap().into_iter().zip(tokens.ends.to_vec().unwrap()).collect()
}

/// Pieces that the rules match, and others.
const PIECES: &[&[u8]] = &[
    b"1",
    b"0",
    b".",
    b"..",
    b"e",
    b"E5",
    b"-",
    b"+",
    b"\"",
    b"\\",
    b"\\u12aB",
    b" ",
    b"\n",
    b"\r\n",
    b",",
    b"[",
    b"}",
    b"true",
    b"nul",
    b"/",
    b"*",
    b"//",
    b"/*",
    b"*/",
    b"'",
    b"a",
    b"r#",
    b"x_1",
    b"\xc3\xa9",
    b"\0",
    b"::",
    b"=",
    b"<<=",
    b"(",
];

#[test]
fn tokens_of_grammars_on_random_texts() {
    let mut random = Random(21);
    for grammar in GRAMMARS {
        let (lexer, oracle) = (grammar.lexer().unwrap(), Oracle::new(grammar.rules));
        println!("{}: {} states", grammar.name, lexer.states());
        // Long texts are lexed in parts, which begin anywhere.
        let lens = (0..40).chain([3000, 20_000, 300_000]).chain((0..25_000).map(|i| 1 + i % 24));
        for len in lens {
            let text: Vec<u8> = (0..len).flat_map(|_| PIECES[random.below(PIECES.len())]).copied().collect();
            let (found, expected) = (lex(&lexer, &text), oracle.tokens(&text));
            let wrong = found.iter().zip(&expected).position(|(a, b)| a != b);
            let shown = &text[..text.len().min(60)];
            assert_eq!(found.len(), expected.len(), "{}: {:?}", grammar.name, String::from_utf8_lossy(shown));
            assert_eq!(wrong, None, "{}: {:?}", grammar.name, String::from_utf8_lossy(shown));
        }
    }
}

/// Memory is reused, and holds only the last text's tokens.
#[test]
fn one_text_after_the_other() {
    let device = Device::cpu();
    let lexer = Lexer::new(&[("word", "[a-z]+"), ("space", " ")]).unwrap();
    let mut tokens = lexer.run(&device, b"many words come first").unwrap();
    for text in ["two words", "", "and a few more than before that", "1"] {
        lexer.run_again(&device, text.as_bytes(), &mut tokens).unwrap();
        let fresh = lexer.run(&device, text.as_bytes()).unwrap();
        assert_eq!(tokens.kinds.to_vec(), fresh.kinds.to_vec(), "{text:?}");
        assert_eq!(tokens.ends.to_vec(), fresh.ends.to_vec(), "{text:?}");
    }
}

/// More tokens at one byte than the table for single tokens records, in every place of 64 bytes.
#[test]
fn several_tokens_at_once_anywhere() {
    let rules = [("a", "a|abcde"), ("b", "b"), ("c", "c"), ("d", "d"), ("space", " +")];
    let (lexer, oracle) = (Lexer::new(&rules).unwrap(), Oracle::new(&rules));
    for before in 0..130 {
        let text = [" ".repeat(before), "abcd".to_owned(), "a ".repeat(150), "abcdeabcd".to_owned()].concat();
        assert_eq!(lex(&lexer, text.as_bytes()), oracle.tokens(text.as_bytes()), "{before}");
    }
}

/// The text read after a match may be several tokens, or errors, or the begin of one.
#[test]
fn looking_ahead() {
    let rules = [("a", "a|abcde"), ("b", "b"), ("cd", "cd?"), ("x", "xyxyx|x|y")];
    let (lexer, oracle) = (Lexer::new(&rules).unwrap(), Oracle::new(&rules));
    let mut random = Random(1);
    for _ in 0..400 {
        let text: Vec<u8> = (0..random.below(14)).map(|_| b"abcdexy?"[random.below(8)]).collect();
        assert_eq!(lex(&lexer, &text), oracle.tokens(&text), "{:?}", String::from_utf8_lossy(&text));
    }
    assert_eq!(lex(&lexer, b"abcd"), [(0, 1), (1, 2), (2, 4)]);
    assert_eq!(lex(&lexer, b"abcde"), [(0, 5)]);
}

#[test]
fn rules_that_are_refused() {
    let reason = |rules: &[(&str, &str)]| match Lexer::new(rules) {
        Err(Error::Rule { name, reason }) => (name, reason),
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(&[("fine", "a"), ("open", "(b")]).0, "open");
    assert_eq!(reason(&[("fine", "a"), ("word", r"\bb")]).0, "word");
    assert_eq!(reason(&[("fine", "a"), ("nothing", "b*")]).0, "nothing");
    // A lookahead of four bytes is allowed, five are not.
    assert!(Lexer::new(&[("a", "a"), ("long", "abcdef")]).is_ok_and(|lexer| lexer.states() > 0));
    let (name, reason) = reason(&[("a", "a"), ("long", "abcdefg")]);
    assert_eq!(name, "long");
    assert!(reason.contains("more than 4 bytes"), "{reason}");
    assert!(matches!(Lexer::new(&[("a", "[ab]*a[ab]{9}")]), Err(Error::Rule { .. } | Error::States { .. })));
    assert_eq!(lex(&Lexer::new(&[("a", "a")]).unwrap(), b""), []);
}

#[test]
fn lines_that_match() {
    let device = Device::cpu();
    let mut random = Random(3);
    for pattern in ["[A-Z][a-z]+ [0-9]{2,4}(st|nd|th)?", "^a*$", "ab|ba$", "x", "^$", "", r"\ba\b"] {
        let grep = Grep::new(pattern).unwrap();
        let dfa =
            dense::Builder::new().syntax(syntax::Config::new().unicode(false).utf8(false)).build(pattern).unwrap();
        for len in (0..60).chain([30_000, 200_000]) {
            let pieces: &[&[u8]] = &[b"\n", b"a", b"b", b" ", b"Row ", b"21", b"4th", b"x", b"\n\n"];
            let text: Vec<u8> = (0..len).flat_map(|_| pieces[random.below(pieces.len())]).copied().collect();
            let (mut expected, mut start) = (vec![], 0);
            for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
                let body = line.strip_suffix(b"\n").unwrap_or(line);
                if dfa.try_search_fwd(&Input::new(body)).unwrap().is_some() {
                    expected.push((number as u64, start as u64, (start + body.len()) as u64));
                }
                start += line.len();
            }
            let lines = grep.run(&device, &text).unwrap();
            let [numbers, starts, ends] = [lines.numbers, lines.starts, lines.ends].map(|x| x.to_vec().unwrap());
            let found: Vec<_> = numbers.into_iter().zip(starts).zip(ends).map(|((n, s), e)| (n, s, e)).collect();
            assert_eq!(found, expected, "{pattern:?} in {:?}", String::from_utf8_lossy(&text[..text.len().min(80)]));
            assert_eq!(grep.count(&device, &text).unwrap(), expected.len() as u64);
            let lines: Vec<u64> = (0..text.len() as u64).filter(|&at| text[at as usize] == b'\n').collect();
            assert_eq!(newlines(&device, &text).unwrap().to_vec().unwrap(), lines);
        }
    }
    for pattern in ["((a{20}){20}){20}", "(a|b)*a(a|b){17}", "(a|b)*a(a|b){30}", "a{3000}", "[^x]*x[^y]{40}y[^z]{2000}"]
    {
        let started = std::time::Instant::now();
        let grep = Grep::new(pattern).map(|_| ());
        let lexer = Lexer::new(&[("rule", pattern)]).map(|_| ());
        for outcome in [grep, lexer] {
            assert!(matches!(outcome, Err(Error::Rule { .. } | Error::States { .. })), "{pattern}: {outcome:?}");
        }
        // Both took minutes; without optimisation a thread may be slow.
        assert!(started.elapsed().as_secs() < 10, "{pattern}: {:?}", started.elapsed());
    }
    let error = Grep::new(&"[".repeat(30_000)).unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
    assert!(matches!(Grep::new("(a"), Err(Error::Rule { .. })));
}

#[test]
fn brackets_and_their_partners() {
    let device = Device::cpu();
    let mut random = Random(10);
    for len in (0..200).chain([20_000]) {
        // A random balanced sequence with other letters; then one of its brackets changed.
        let (mut text, mut open, mut partners) = (vec![], vec![], vec![]);
        let close =
            |text: &mut Vec<u8>, partners: &mut Vec<(usize, u32, u32)>, (at, kind): (usize, usize), depth: usize| {
                partners.push((text.len(), depth as u32, at as u32));
                partners[at].2 = partners.len() as u32 - 1;
                text.push(b")]}"[kind]);
            };
        for _ in 0..len {
            match random.below(5) {
                0 => text.push(b'x'),
                1 | 2 => {
                    let kind = random.below(3);
                    partners.push((text.len(), open.len() as u32, 0));
                    open.push((partners.len() - 1, kind));
                    text.push(b"([{"[kind]);
                }
                _ => {
                    if let Some(bracket) = open.pop() {
                        close(&mut text, &mut partners, bracket, open.len());
                    }
                }
            }
        }
        while let Some(bracket) = open.pop() {
            close(&mut text, &mut partners, bracket, open.len());
        }
        let found = match_brackets(&device, &text).unwrap();
        let expected: (Vec<u64>, Vec<u32>) = partners.iter().map(|p| (p.0 as u64, p.1)).unzip();
        assert_eq!((found.places.to_vec().unwrap(), found.depths.to_vec().unwrap()), expected);
        assert_eq!(found.partners.to_vec().unwrap(), partners.iter().map(|p| p.2).collect::<Vec<_>>());
        if !partners.is_empty() {
            let at = partners[random.below(partners.len())].0;
            for other in b"([{}])x" {
                let mut wrong = text.clone();
                if std::mem::replace(&mut wrong[at], *other) != *other {
                    assert!(matches!(match_brackets(&device, &wrong), Err(Error::Bracket { .. })), "{len}");
                }
            }
        }
    }
    let at = |text: &[u8]| match_brackets(&device, text).err();
    assert_eq!(at(b")("), Some(Error::Bracket { at: 0 }));
    assert_eq!(at(b"(())("), Some(Error::Bracket { at: 4 }));
    assert_eq!(at(b"([)]"), Some(Error::Bracket { at: 2 }));
}
