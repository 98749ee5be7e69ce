//! Parsed question of a page.

use crate::algorithm::Algorithm;
use crate::algorithms::by_name;
use crate::machine::{Banks, Order, Shape};
use crate::show::MOST_LIVE;
use serde_json::Value;
use std::str::FromStr;

/// Question that a page asks the model: the settings of a run, as the page's form has them.
#[derive(Debug)]
pub(super) struct Question {
    algorithm: &'static Algorithm,
    beside: Option<&'static Algorithm>,
    n: String,
    values: String,
    pub(super) op: String,
    pub(super) shape: Shape,
    /// Indices at which segments begin, if they were given.
    pub(super) heads: Option<Vec<usize>>,
    /// Whether the whole page is requested, or the run alone.
    pub(super) whole: bool,
    /// Index of an input element, if the page asks which words of the run depend on it.
    pub(super) lit: Option<usize>,
}

/// Elements that were given, and the number of elements of the run, which may be another one.
pub(super) struct Values<T> {
    pub(super) given: Vec<T>,
    pub(super) n: usize,
}

impl Question {
    pub(super) fn of(question: &Value) -> Result<Self, String> {
        let text = |name: &str| question[name].as_str().unwrap_or("").trim().to_owned();
        let algorithm = |name: &str| by_name(name).ok_or_else(|| format!("there is no algorithm {name:?}"));
        let beside = match text("beside").as_str() {
            "" => None,
            name => Some(algorithm(name)?),
        };
        let number = |name: &str, usual| match text(name).as_str() {
            "" => Ok(usual),
            given => given.parse::<u64>().map(Some).map_err(|_| format!("{name}: {given:?} is no whole number")),
        };
        let warp = number("warp", Some(32))?.and_then(|warp| usize::try_from(warp).ok()).unwrap_or(usize::MAX);
        let banks = number("banks", Some(32))?.and_then(|banks| Banks::of(usize::try_from(banks).ok()?));
        let banks = banks.ok_or("banks: there are 2, 4, 8, 16 or 32")?;
        let tile = number("tile", None)?.map(|tile| usize::try_from(tile).unwrap_or(usize::MAX));
        let order = number("order", None)?.map_or(Order::Phases, Order::Chance);
        let heads = match text("heads").as_str() {
            "" => None,
            places => Some(parsed(places, "heads", "is no place")?),
        };
        Ok(Self {
            algorithm: algorithm(&text("algorithm"))?,
            beside,
            n: text("n"),
            values: text("values"),
            op: text("op"),
            shape: Shape { warp, banks, tile, order },
            heads,
            whole: question["whole"] == true,
            lit: question["lit"].as_u64().map(|element| usize::try_from(element).unwrap_or(usize::MAX)),
        })
    }

    /// Returns the algorithms to run: one, or two whose runs are shown side by side, step by step.
    pub(super) fn algorithms(&self) -> impl Iterator<Item = &'static Algorithm> {
        [self.algorithm].into_iter().chain(self.beside)
    }

    /// Returns the number of elements of the run, after checking that a page can show it.
    pub(super) fn n(&self) -> Result<usize, String> {
        let n: usize = self.n.parse().map_err(|_| format!("n: {:?} is no whole number", self.n))?;
        match n {
            0 => Err("n: a run has one element or more".to_owned()),
            1..=MOST_LIVE => Ok(n),
            _ => Err(format!("n: {n} elements; a page shows {MOST_LIVE} at most, `upsweep lab show` more")),
        }
    }

    /// Parses the elements that were given; `wrong` is the message for one that cannot be parsed.
    pub(super) fn values<T: FromStr>(&self, wrong: &str) -> Result<Values<T>, String> {
        let given = if self.values.is_empty() { Vec::new() } else { parsed(&self.values, "element", wrong)? };
        Ok(Values { given, n: self.n()? })
    }
}

/// Parses the values between commas; `what` names one of them in the error message.
fn parsed<T: FromStr>(text: &str, what: &str, wrong: &str) -> Result<Vec<T>, String> {
    text.split(',').map(|one| one.trim().parse().map_err(|_| format!("{what}: {:?} {wrong}", one.trim()))).collect()
}
