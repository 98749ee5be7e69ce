//! Parser of conditions: from tokens to a tree, with the kinds of all parts.

use super::lexer::{Token, Word, Wrong, words};
use super::{Columns, Expression, Kind, Name, Order, Pattern, Sum};
use regex::bytes::Regex;

/// Maximum depth of nested brackets and signs, and maximum number of tokens. The depth of a tree grows with both, and
/// each level is a recursive call.
const DEEPEST: usize = 100;
const MOST_WORDS: usize = 2000;

/// Parses the condition `text` into a tree. `columns` has the columns that it may use.
///
/// # Errors
/// The first error in `text`, with its place.
pub(crate) fn parse(text: &str, columns: &dyn Columns) -> Result<Expression, Wrong> {
    let words = words(text)?;
    let mut parser = Parser::new(&words, columns)?;
    let all = parser.whole()?;
    parser.as_kind(all, Kind::Bool)
}

/// Parses the value `text` into a tree, of the kind that is returned: that of a column alone is open. `columns` has the columns that
/// it may use.
///
/// # Errors
/// The first error in `text`, with its place.
pub(crate) fn parse_value(text: &str, columns: &dyn Columns) -> Result<(Expression, Kind), Wrong> {
    let words = words(text)?;
    let all = Parser::new(&words, columns)?.whole()?;
    Ok((all.tree, all.kind))
}

/// Kind of two values that are compared. Columns whose kind is not determined are compared as numbers.
fn common_kind(one: Kind, other: Kind) -> Kind {
    match common_kind_or_open(one, other) {
        Kind::Open => Kind::Number,
        kind => kind,
    }
}

fn common_kind_or_open(one: Kind, other: Kind) -> Kind {
    if one == Kind::Open { other } else { one }
}

fn wrong(from: &Word, to: &Word, reason: &str) -> Wrong {
    Wrong { begin: from.begin, end: to.end, reason: reason.to_owned() }
}

struct Parser<'a> {
    words: &'a [Word],
    at: usize,
    depth: usize,
    columns: &'a dyn Columns,
}

/// Parsed part of a condition: its tree, its kind, and the indices of its first token, `from`, and its last one, `to`.
struct Read {
    tree: Expression,
    kind: Kind,
    from: usize,
    to: usize,
}

impl<'a> Parser<'a> {
    fn new(words: &'a [Word], columns: &'a dyn Columns) -> Result<Self, Wrong> {
        match words.get(MOST_WORDS) {
            Some(word) => Err(wrong(word, word, &format!("there are more than {MOST_WORDS} words"))),
            None => Ok(Self { words, at: 0, depth: 0, columns }),
        }
    }

    /// Parses all tokens.
    fn whole(&mut self) -> Result<Read, Wrong> {
        let all = self.condition()?;
        match self.next() {
            Word { token: Token::End, .. } => Ok(all),
            word => Err(wrong(word, word, "nothing may follow here, but and, or and operators")),
        }
    }

    fn next(&self) -> &'a Word {
        // The last token is the end of the condition. No method moves beyond it.
        &self.words[self.at.min(self.words.len() - 1)]
    }

    /// Skips the next token if it is `token`, and returns whether it is.
    fn pass(&mut self, token: &Token) -> bool {
        let is = self.next().token == *token;
        self.at += usize::from(is);
        is
    }

    fn wrong_with(&self, read: &Read, reason: &str) -> Wrong {
        wrong(&self.words[read.from], &self.words[read.to], reason)
    }

    /// Returns the tree of a part, which must be of this kind or a column of open kind.
    fn as_kind(&self, read: Read, kind: Kind) -> Result<Expression, Wrong> {
        match (read.kind, read.tree) {
            (Kind::Open, Expression::Column(column, _)) => Ok(Expression::Column(column, kind)),
            (found, tree) if found == kind => Ok(tree),
            (found, tree) => {
                let reason = match kind {
                    Kind::Bool => format!("is {}, where a condition must stand, such as x > 0", found.name()),
                    _ => format!("is {}, where {} must stand", found.name(), kind.name()),
                };
                Err(self.wrong_with(&Read { tree, ..read }, &reason))
            }
        }
    }

    fn condition(&mut self) -> Result<Read, Wrong> {
        let mut left = self.all()?;
        while self.pass(&Token::Or) {
            let right = self.all()?;
            left = self.joined(left, right, Expression::Or)?;
        }
        Ok(left)
    }

    fn all(&mut self) -> Result<Read, Wrong> {
        let mut left = self.one()?;
        while self.pass(&Token::And) {
            let right = self.one()?;
            left = self.joined(left, right, Expression::And)?;
        }
        Ok(left)
    }

    fn joined(&self, left: Read, right: Read, join: fn(Box<[Expression; 2]>) -> Expression) -> Result<Read, Wrong> {
        let (from, to) = (left.from, right.to);
        let both = [self.as_kind(left, Kind::Bool)?, self.as_kind(right, Kind::Bool)?];
        Ok(Read { tree: join(Box::new(both)), kind: Kind::Bool, from, to })
    }

    fn one(&mut self) -> Result<Read, Wrong> {
        let from = self.at;
        if self.pass(&Token::Not) {
            self.deeper(from)?;
            let inner = self.one()?;
            self.depth -= 1;
            let to = inner.to;
            let tree = Expression::Not(Box::new(self.as_kind(inner, Kind::Bool)?));
            return Ok(Read { tree, kind: Kind::Bool, from, to });
        }
        let left = self.value()?;
        let Token::Order(order) = self.next().token else { return self.tested(left) };
        self.at += 1;
        let right = self.value()?;
        if let Token::Order(_) = self.next().token {
            let word = self.next();
            return Err(wrong(word, word, "comparisons do not follow each other: write a < b and b < c"));
        }
        let kind = common_kind(left.kind, right.kind);
        let ordered = !matches!(order, Order::Equal | Order::Differs);
        if kind == Kind::Bool && ordered {
            return Err(self.wrong_with(&left, "is a condition, which is neither less nor greater than another"));
        }
        let (from, to) = (left.from, right.to);
        let both = [self.as_kind(left, kind)?, self.as_kind(right, kind)?];
        Ok(Read { tree: Expression::Compared(order, kind, Box::new(both)), kind: Kind::Bool, from, to })
    }

    /// Skips the next token if it is this word, and returns whether it is. The words of tests are no words of the lexer's,
    /// as columns may have their names.
    fn pass_word(&mut self, word: &str) -> bool {
        let is = matches!(&self.next().token, Token::Name(name) if name == word);
        self.at += usize::from(is);
        is
    }

    /// Parses what may follow a value: a test of it.
    fn tested(&mut self, left: Read) -> Result<Read, Wrong> {
        let from = left.from;
        if self.pass_word("is") {
            let differs = self.pass(&Token::Not);
            if !self.pass_word("null") {
                let word = self.next();
                return Err(wrong(word, word, "null or not null must stand here"));
            }
            let Expression::Column(column, _) = left.tree else {
                return Err(self.wrong_with(&left, "is no column, and only a column is null"));
            };
            return Ok(self.test(from, Expression::Null(column), differs));
        }
        let differs = self.pass(&Token::Not);
        let tree = if self.pass_word("in") {
            self.one_of(left)?
        } else if self.pass_word("between") {
            self.between(left)?
        } else if self.pass_word("contains") {
            let right = self.value()?;
            Expression::Contains(Box::new([self.as_kind(left, Kind::Text)?, self.as_kind(right, Kind::Text)?]))
        } else if self.pass_word("matches") {
            let text = self.as_kind(left, Kind::Text)?;
            Expression::Matches(Box::new(text), self.pattern()?)
        } else if differs {
            let word = self.next();
            return Err(wrong(word, word, "in, between, contains or matches must stand here"));
        } else {
            return Ok(left);
        };
        Ok(self.test(from, tree, differs))
    }

    /// Returns the test that the last tokens are, or its opposite.
    fn test(&self, from: usize, tree: Expression, differs: bool) -> Read {
        let tree = if differs { Expression::Not(Box::new(tree)) } else { tree };
        Read { tree, kind: Kind::Bool, from, to: self.at - 1 }
    }

    /// Parses the values behind `in`: the condition is that `left` equals one of them.
    fn one_of(&mut self, left: Read) -> Result<Expression, Wrong> {
        let open = self.next();
        if !self.pass(&Token::Open) {
            return Err(wrong(open, open, "the values are between brackets: in (1, 2)"));
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value()?);
            let word = self.next();
            match word.token {
                Token::Comma => self.at += 1,
                Token::Close => break,
                Token::End => return Err(wrong(open, open, "the bracket is not closed")),
                _ => return Err(wrong(word, word, "a comma or a closing bracket must stand here")),
            }
        }
        self.at += 1;
        let kind = values.iter().fold(left.kind, |kind, value| if kind == Kind::Open { value.kind } else { kind });
        let kind = common_kind(kind, Kind::Open);
        let left = self.as_kind(left, kind)?;
        let mut all = None;
        for value in values {
            let both = [left.clone(), self.as_kind(value, kind)?];
            let equal = Expression::Compared(Order::Equal, kind, Box::new(both));
            all = Some(match all {
                None => equal,
                Some(before) => Expression::Or(Box::new([before, equal])),
            });
        }
        Ok(all.unwrap_or(Expression::Bool(false)))
    }

    /// Parses the two ends behind `between`, which are both included.
    fn between(&mut self, left: Read) -> Result<Expression, Wrong> {
        let least = self.value()?;
        if !self.pass(&Token::And) {
            let word = self.next();
            return Err(wrong(word, word, "between has two ends: between 1 and 9"));
        }
        let most = self.value()?;
        let kind = common_kind(common_kind_or_open(left.kind, least.kind), most.kind);
        if kind == Kind::Bool {
            return Err(self.wrong_with(&left, "is a condition, which is neither less nor greater than another"));
        }
        let left = self.as_kind(left, kind)?;
        let least = [left.clone(), self.as_kind(least, kind)?];
        let most = [left, self.as_kind(most, kind)?];
        let both = [(Order::GreaterOrEqual, least), (Order::LessOrEqual, most)];
        let both = both.map(|(order, both)| Expression::Compared(order, kind, Box::new(both)));
        Ok(Expression::And(Box::new(both)))
    }

    /// Parses the regular expression behind `matches`.
    fn pattern(&mut self) -> Result<Pattern, Wrong> {
        let word = self.next();
        let Token::Text(text) = &word.token else {
            return Err(wrong(word, word, "a regular expression in quotes must stand here"));
        };
        self.at += 1;
        Regex::new(text).map(Pattern).map_err(|e| {
            // The last line of the error is the reason; those before it point at the place.
            let text = e.to_string();
            let reason = text.lines().last().unwrap_or_default();
            wrong(
                word,
                word,
                &format!("is no regular expression: {}", reason.strip_prefix("error: ").unwrap_or(reason)),
            )
        })
    }

    fn value(&mut self) -> Result<Read, Wrong> {
        let mut left = self.product()?;
        while let Token::Sum(sum @ (Sum::Plus | Sum::Minus)) = self.next().token {
            self.at += 1;
            let right = self.product()?;
            left = self.computed(sum, left, right)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Read, Wrong> {
        let mut left = self.factor()?;
        while let Token::Sum(sum @ (Sum::Times | Sum::Over | Sum::Rest)) = self.next().token {
            self.at += 1;
            let right = self.factor()?;
            left = self.computed(sum, left, right)?;
        }
        Ok(left)
    }

    fn computed(&self, sum: Sum, left: Read, right: Read) -> Result<Read, Wrong> {
        let (from, to) = (left.from, right.to);
        let both = [self.as_kind(left, Kind::Number)?, self.as_kind(right, Kind::Number)?];
        Ok(Read { tree: Expression::Computed(sum, Box::new(both)), kind: Kind::Number, from, to })
    }

    fn deeper(&mut self, from: usize) -> Result<(), Wrong> {
        self.depth += 1;
        let word = &self.words[from];
        if self.depth > DEEPEST {
            Err(wrong(
                word,
                word,
                &format!("there are too many brackets and signs in each other: {DEEPEST} are the most"),
            ))
        } else {
            Ok(())
        }
    }

    fn factor(&mut self) -> Result<Read, Wrong> {
        let (from, word) = (self.at, self.next());
        self.at += 1;
        let one = |tree, kind| Ok(Read { tree, kind, from, to: from });
        match &word.token {
            Token::Number(number) => one(Expression::Number(*number), Kind::Number),
            Token::Text(text) => one(Expression::Text(text.clone()), Kind::Text),
            Token::Name(name) if name == "true" || name == "false" => one(Expression::Bool(name == "true"), Kind::Bool),
            Token::Name(name) if name == "abs" && self.next().token == Token::Open => {
                self.within_brackets(from, |parser| {
                    let inner = parser.value()?;
                    Ok((Expression::Absolute(Box::new(parser.as_kind(inner, Kind::Number)?)), Kind::Number))
                })
            }
            Token::Name(name) if self.next().token == Token::Open => {
                Err(wrong(word, word, &format!("there is no function {name}: there is abs")))
            }
            Token::Name(name) | Token::Column(name) => self.column(from, &Name::Called(name.clone())),
            Token::Numbered(number) => self.column(from, &Name::Numbered(*number)),
            Token::Sum(Sum::Minus) => {
                self.deeper(from)?;
                let inner = self.factor()?;
                self.depth -= 1;
                let to = inner.to;
                let tree = Expression::Negative(Box::new(self.as_kind(inner, Kind::Number)?));
                Ok(Read { tree, kind: Kind::Number, from, to })
            }
            Token::Open => {
                self.at = from;
                self.within_brackets(from, |parser| {
                    let inner = parser.condition()?;
                    Ok((inner.tree, inner.kind))
                })
            }
            _ => Err(wrong(word, word, "a value must stand here: a number, a \"text\", a column or a bracket")),
        }
    }

    /// Parses, by `read`, what is between brackets. The opening bracket is the next token.
    fn within_brackets(
        &mut self,
        from: usize,
        read: impl FnOnce(&mut Self) -> Result<(Expression, Kind), Wrong>,
    ) -> Result<Read, Wrong> {
        self.deeper(from)?;
        let open = self.next();
        self.at += 1;
        let (tree, kind) = read(self)?;
        let close = self.next();
        if !self.pass(&Token::Close) {
            let place = if close.token == Token::End { open } else { close };
            let reason = if close.token == Token::End {
                "the bracket is not closed"
            } else {
                "a closing bracket must stand here"
            };
            return Err(wrong(place, place, reason));
        }
        self.depth -= 1;
        Ok(Read { tree, kind, from, to: self.at - 1 })
    }

    fn column(&self, from: usize, name: &Name) -> Result<Read, Wrong> {
        let word = &self.words[from];
        let (column, kind) = self.columns.find(name).map_err(|reason| wrong(word, word, &reason))?;
        Ok(Read { tree: Expression::Column(column, kind), kind, from, to: from })
    }
}
