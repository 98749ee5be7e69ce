//! Lexer of conditions.

use super::{Order, Sum};
use crate::element::Value;
use crate::failure::quoted;
use upsweep_dynamic::Number;

/// Token of a condition, and its bytes in the text: from offset `begin` to before `end`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub(super) token: Token,
    pub(super) begin: usize,
    pub(super) end: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(Number),
    Text(String),
    Name(String),
    /// Name in back quotes, which is always a column's.
    Column(String),
    Numbered(usize),
    Sum(Sum),
    Order(Order),
    And,
    Or,
    Not,
    Open,
    Close,
    Comma,
    End,
}

/// Error in a condition: the reason, and the bytes of the text that it is about, from offset `begin` to before `end`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) begin: usize,
    pub(crate) end: usize,
    pub(crate) reason: String,
}

impl Wrong {
    /// Returns the reason, and where the error is in `text`, the whole condition.
    pub(crate) fn within(&self, text: &str) -> String {
        let place = text.get(..self.begin).map_or(0, |before| before.chars().count()) + 1;
        match text.get(self.begin..self.end).filter(|words| !words.is_empty()) {
            Some(words) => format!("at character {place}, {}: {}", quoted(words), self.reason),
            None => format!("at its end: {}", self.reason),
        }
    }
}

/// Splits `text` into tokens. The last one is `Token::End`.
pub(super) fn words(text: &str) -> Result<Vec<Word>, Wrong> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        }
        let (token, len) =
            word(&text[at..], next).map_err(|(len, reason)| Wrong { begin: at, end: at + len, reason })?;
        words.push(Word { token, begin: at, end: at + len });
        at += len;
    }
    words.push(Word { token: Token::End, begin: at, end: at });
    Ok(words)
}

/// Returns the token at the beginning of `text`, whose first character is `next`, and its length in bytes. An error is
/// the number of wrong bytes, and the reason.
fn word(text: &str, next: char) -> Result<(Token, usize), (usize, String)> {
    let two = [
        ("==", Token::Order(Order::Equal)),
        ("!=", Token::Order(Order::Differs)),
        ("<=", Token::Order(Order::LessOrEqual)),
        (">=", Token::Order(Order::GreaterOrEqual)),
        ("&&", Token::And),
        ("||", Token::Or),
    ];
    if let Some((_, token)) = two.iter().find(|(word, _)| text.starts_with(word)) {
        return Ok((token.clone(), 2));
    }
    let one = match next {
        '<' => Token::Order(Order::Less),
        '>' => Token::Order(Order::Greater),
        '+' => Token::Sum(Sum::Plus),
        '-' => Token::Sum(Sum::Minus),
        '*' => Token::Sum(Sum::Times),
        '/' => Token::Sum(Sum::Over),
        '%' => Token::Sum(Sum::Rest),
        '(' => Token::Open,
        ')' => Token::Close,
        ',' => Token::Comma,
        '!' => Token::Not,
        '"' | '\'' | '`' => return quoted_word(text, next),
        '$' => return numbered(text),
        '=' => return Err((1, "equality is written ==".to_owned())),
        '&' | '|' => return Err((1, "conditions are joined by and, or".to_owned())),
        '0'..='9' | '.' => return number(text),
        _ if is_name(next) => return Ok(name(text)),
        _ => return Err((next.len_utf8(), "means nothing here".to_owned())),
    };
    Ok((one, 1))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn name(text: &str) -> (Token, usize) {
    let len = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let token = match &text[..len] {
        "and" => Token::And,
        "or" => Token::Or,
        "not" => Token::Not,
        name => Token::Name(name.to_owned()),
    };
    (token, len)
}

/// Parses a text in quotes, or a column's name in back quotes, at the beginning of `text`. Within it `quote` is written
/// twice.
fn quoted_word(text: &str, quote: char) -> Result<(Token, usize), (usize, String)> {
    let mut content = String::new();
    let mut rest = text[1..].char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if c != quote {
            content.push(c);
        } else if rest.next_if(|(_, c)| *c == quote).is_some() {
            content.push(quote);
        } else {
            let token = if quote == '`' { Token::Column(content) } else { Token::Text(content) };
            return Ok((token, 1 + at + 1));
        }
    }
    Err((text.len(), "the quote is not closed".to_owned()))
}

fn numbered(text: &str) -> Result<(Token, usize), (usize, String)> {
    let digits = text[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - 1);
    match text[1..=digits].parse() {
        Ok(number) if number > 0 => Ok((Token::Numbered(number), 1 + digits)),
        _ => Err((1 + digits, "$ is followed by the number of a column, from 1 on".to_owned())),
    }
}

fn number(text: &str) -> Result<(Token, usize), (usize, String)> {
    let mut len = text.find(|c: char| !(is_name(c) || c == '.')).unwrap_or(text.len());
    // The sign of an exponent belongs to the number.
    let signed = text[..len].ends_with(['e', 'E']) && text[len..].starts_with(['+', '-']);
    if signed {
        let behind = &text[len + 1..];
        len += 1 + behind.find(|c: char| !is_name(c)).unwrap_or(behind.len());
    }
    let word = &text[..len];
    let number = match word.parse::<i128>() {
        Ok(number) => Ok(Number::Integer(number)),
        Err(_) if word.bytes().all(|c| c.is_ascii_digit()) => Err("has more digits than are computed with".to_owned()),
        Err(_) => <f64 as Value>::parse(word).map(Number::Float).map_err(|wrong| wrong.words(false)),
    };
    number.map(|number| (Token::Number(number), len)).map_err(|reason| (len, reason))
}
