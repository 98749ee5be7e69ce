//! The header of NumPy's .npy format, versions 1 to 3.
//!
//! The header is a Python dictionary with three known keys. It is parsed here, in one pass without recursion, because
//! headers come from strangers: the parsers on crates.io work on any Python literal and backtrace for minutes on
//! twenty nested brackets.

use crate::element::Type;
use crate::failure::quoted;
use std::io::{self, Read};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Maximum number of bytes of a header. NumPy itself opens none of more than 10,000 bytes; a structured type may need
/// some more.
const LONGEST_HEADER: usize = 1 << 20;

/// Maximum number of axes of an array: NumPy 2 reads no array with more.
const MOST_AXES: usize = 64;

/// Layout of the array in a .npy file, as its header says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) element: Type,
    /// Whether the byte order of the data is the reverse of this machine's.
    pub(crate) swapped: bool,
    pub(crate) shape: Vec<usize>,
    /// Whether the data are in Fortran order: the first index of neighbours differs, where in C order the last one does.
    pub(crate) fortran: bool,
    /// Number of elements: the product of the lengths in `shape`.
    pub(crate) len: usize,
    /// Offset in the file, in bytes, of the first element.
    pub(crate) offset: usize,
}

/// Reason why a header cannot be read.
#[derive(Debug)]
pub(crate) enum NoHeader {
    Io(io::Error),
    Wrong(String),
}

impl From<String> for NoHeader {
    fn from(reason: String) -> Self {
        Self::Wrong(reason)
    }
}

/// Reads the header and leaves `reader` at the first byte of data.
pub(crate) fn read_header(reader: &mut dyn Read) -> Result<Header, NoHeader> {
    let mut start = [0u8; 8];
    fill(reader, &mut start)?;
    if !start.starts_with(MAGIC) {
        return Err("is no .npy file: it does not begin with \\x93NUMPY".to_owned().into());
    }
    let size_bytes = match start[6..] {
        [1, 0] => 2,
        [2 | 3, 0] => 4,
        [major, minor, ..] => return Err(format!("has .npy version {major}.{minor}; 1.0 to 3.0 are known").into()),
        _ => return Err("is truncated".to_owned().into()),
    };
    let mut size = [0u8; 4];
    fill(reader, &mut size[..size_bytes])?;
    let size = u32::from_le_bytes(size) as usize;
    if size > LONGEST_HEADER {
        return Err(format!("has an unreadable .npy header: it claims {size} bytes").into());
    }
    let mut text = vec![0u8; size];
    fill(reader, &mut text)?;
    let text = String::from_utf8_lossy(&text);
    let dictionary = Dictionary::parse(&text).map_err(|reason| format!("has an unreadable .npy header: {reason}"))?;
    dictionary.header(start.len() + size_bytes + size)
}

fn fill(reader: &mut dyn Read, bytes: &mut [u8]) -> Result<(), NoHeader> {
    reader.read_exact(bytes).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => NoHeader::Wrong("is truncated: it ends within the .npy header".to_owned()),
        _ => NoHeader::Io(e),
    })
}

/// Builds a header of version 1 in C order and the machine's byte order, padded so that the data begin at a multiple of
/// 64 bytes. A shape of [`MOST_AXES`] axes has some 1400 letters, so that its length fits 16 bits.
pub(crate) fn header(element: Type, shape: &[usize]) -> Vec<u8> {
    let order = match (element.size(), cfg!(target_endian = "big")) {
        (1, _) => '|',
        (_, false) => '<',
        (_, true) => '>',
    };
    let mut axes = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if shape.len() == 1 {
        axes.push(',');
    }
    let dictionary = format!("{{'descr': '{order}{}', 'fortran_order': False, 'shape': ({axes}), }}", element.numpy());
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    let end = (bytes.len() + 2 + dictionary.len() + 1).next_multiple_of(64);
    bytes.extend(((end - bytes.len() - 2) as u16).to_le_bytes());
    bytes.extend(dictionary.bytes());
    bytes.resize(end - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// Values of the three keys in a header, as the text has them.
#[derive(Default)]
struct Dictionary<'a> {
    descr: Option<&'a str>,
    fortran_order: Option<&'a str>,
    shape: Option<&'a str>,
}

impl<'a> Dictionary<'a> {
    fn parse(text: &'a str) -> Result<Self, String> {
        let mut rest = text.trim().strip_prefix('{').ok_or("it is no dictionary")?;
        let mut found = Self::default();
        loop {
            rest = rest.trim_start();
            if let Some(end) = rest.strip_prefix('}') {
                return if end.trim().is_empty() { Ok(found) } else { Err("text follows the dictionary".to_owned()) };
            }
            let (key, after) = value(rest)?;
            let after = after.trim_start().strip_prefix(':').ok_or("a key has no value")?;
            let (value, after) = value(after)?;
            match unquote(key) {
                Some("descr") => found.descr = Some(value),
                Some("fortran_order") => found.fortran_order = Some(value),
                Some("shape") => found.shape = Some(value),
                _ => return Err(format!("unknown key {}", quoted(key))),
            }
            rest = after.trim_start();
            rest = match rest.strip_prefix(',') {
                Some(next) => next,
                None if rest.starts_with('}') => rest,
                None => return Err("a comma is missing".to_owned()),
            };
        }
    }

    fn header(&self, offset: usize) -> Result<Header, NoHeader> {
        let unreadable = |reason: String| format!("has an unreadable .npy header: {reason}");
        let missing = |key| unreadable(format!("`{key}` is missing"));
        let shape = parse_shape(self.shape.ok_or_else(|| missing("shape"))?).map_err(unreadable)?;
        let (element, swapped) = parse_descr(self.descr.ok_or_else(|| missing("descr"))?)?;
        let fortran = match self.fortran_order {
            Some("False") => false,
            // With one axis or none, both orders are the same.
            Some("True") => shape.len() > 1,
            Some(other) => {
                return Err(unreadable(format!("fortran_order is {}, not True or False", quoted(other))).into());
            }
            None => return Err(missing("fortran_order").into()),
        };
        if shape.len() > MOST_AXES {
            return Err(format!("has {} axes: NumPy's arrays have {MOST_AXES} at most", shape.len()).into());
        }
        // NumPy leaves out the axes of length 0 when it checks the size of a shape. So it reads no empty array whose
        // other axes are too long for the memory.
        let without_zeros = shape.iter().filter(|&&k| k > 0).try_fold(element.size(), |n, &k| n.checked_mul(k));
        if without_zeros.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(format!("has a header that lies: no memory holds the shape {shape:?}").into());
        }
        let len = shape.iter().product();
        Ok(Header { element, swapped, shape, fortran, len, offset })
    }
}

/// Returns the Python value at the start of `text`, and the rest of `text` from the comma, the colon or the bracket
/// that ends the value.
fn value(text: &str) -> Result<(&str, &str), String> {
    let text = text.trim_start();
    let mut open = 0usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') if open > 0 => open -= 1,
            (None, ',' | ':' | '}' | ']' | ')') if open == 0 => {
                return Ok((text[..at].trim_end(), &text[at..]));
            }
            _ => {}
        }
    }
    Err("it ends within the dictionary".to_owned())
}

/// Returns the content of a Python string between its quotes, if it has no quotes and no backslashes in it.
fn unquote(text: &str) -> Option<&str> {
    ['\'', '"'].iter().find_map(|&q| text.strip_prefix(q)?.strip_suffix(q)).filter(|s| !s.contains(['\\', '\'', '"']))
}

/// Parses a Python tuple of axis lengths. With one length it is `(3,)`, as `(3)` is a number.
fn parse_shape(text: &str) -> Result<Vec<usize>, String> {
    let wrong = || format!("{} is no shape", quoted(text));
    let tuple = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).ok_or_else(wrong)?.trim();
    if tuple.is_empty() {
        return Ok(Vec::new());
    }
    let axes = tuple.strip_suffix(',').unwrap_or(tuple);
    if axes == tuple && !axes.contains(',') {
        return Err(format!("{} is no shape: of one axis it is {}", quoted(text), quoted(&format!("({axes},)"))));
    }
    // Python 2 wrote long integers with an L.
    axes.split(',').map(|n| n.trim().trim_end_matches('L').parse().map_err(|_| wrong())).collect()
}

fn parse_descr(text: &str) -> Result<(Type, bool), String> {
    let name = match unquote(text) {
        Some(name) => name,
        None if text.starts_with('[') => {
            return Err(format!("holds records (dtype {}): save one field as an array of its own", quoted(text)));
        }
        None => {
            let advice = "numpy.save writes one like '<f8'";
            return Err(format!("has an unreadable .npy header: {} is no plain dtype: {advice}", quoted(text)));
        }
    };
    let (swapped, kind) = match name.as_bytes().first() {
        Some(b'<') => (cfg!(target_endian = "big"), &name[1..]),
        Some(b'>') => (cfg!(target_endian = "little"), &name[1..]),
        Some(b'|' | b'=') => (false, &name[1..]),
        _ => (false, name),
    };
    // NumPy also writes bool as `?`.
    let kind = if kind == "?" { Type::Bool.numpy() } else { kind };
    if let Some(&element) = Type::ALL.iter().find(|t| t.numpy() == kind) {
        return Ok((element, swapped));
    }
    if kind.starts_with('O') {
        return Err("holds Python objects (dtype object): convert it with x.astype first".to_owned());
    }
    Err(format!("has dtype {}, which is not supported: {} are", quoted(name), Type::names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, dictionary: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0]);
        let size = dictionary.len() as u32;
        bytes.extend(&size.to_le_bytes()[..if version == 1 { 2 } else { 4 }]);
        bytes.extend(dictionary.bytes());
        bytes
    }

    #[test]
    fn headers_of_every_version_and_type_read_back() {
        for &element in Type::ALL {
            for shape in [vec![], vec![0], vec![7], vec![2, 3], vec![2, 0, 1 << 40]] {
                let bytes = header(element, &shape);
                assert_eq!(bytes.len() % 64, 0);
                let read = read_header(&mut &bytes[..]).map_err(|e| format!("{e:?}"));
                let len = shape.iter().product();
                let expected = Header { element, swapped: false, shape, fortran: false, len, offset: bytes.len() };
                assert_eq!(read, Ok(expected));
            }
        }
        for version in 1..=3 {
            let bytes = file(version, "{\"shape\": (10L, 2,),'descr':'>f4', 'fortran_order' :False}");
            let read = read_header(&mut &bytes[..]).map_err(|e| format!("{e:?}"));
            let expected = Header {
                element: Type::F32,
                swapped: true,
                shape: vec![10, 2],
                fortran: false,
                len: 20,
                offset: bytes.len(),
            };
            assert_eq!(read, Ok(expected));
        }
    }

    #[test]
    fn the_longest_shape_reads_back() {
        let shape = [[1 << 62].as_slice(), &[1; MOST_AXES - 2], &[0]].concat();
        let bytes = header(Type::U8, &shape);
        assert!(read_header(&mut &bytes[..]).is_ok_and(|h| h.len == 0 && h.shape == shape));
        let bytes = header(Type::U8, &[1; MOST_AXES + 1]);
        assert!(matches!(read_header(&mut &bytes[..]), Err(NoHeader::Wrong(reason)) if reason.contains("65 axes")));
    }

    #[test]
    fn hostile_headers_are_refused_at_once() {
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
        for text in [
            "",
            "{",
            "{{{{{{{{{{{{{{{{{{{{{{{{{{{{",
            "{'descr'",
            "{'descr': ",
            "{'descr': '<f8', 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': 3, }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693951,), }",
            "{'descr': 'é8', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '\\\\', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f8', 'fortran_order': 1, 'shape': (3,), }",
            "{'descr': '<f8' 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3,,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9223372036854775808), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296), }",
        ] {
            let mut bytes = file(3, text);
            assert!(matches!(read_header(&mut &bytes[..]), Err(NoHeader::Wrong(_))), "{text}");
            bytes.truncate(bytes.len() / 2);
            assert!(matches!(read_header(&mut &bytes[..]), Err(NoHeader::Wrong(_))), "half of {text}");
        }
        for open in ["(", "[", "{", "'", "(,", "\\"] {
            let bytes = file(2, &good.replace("'<f8'", &open.repeat(200_000)));
            assert!(matches!(read_header(&mut &bytes[..]), Err(NoHeader::Wrong(_))), "{open}");
        }
        let bytes = file(9, good);
        assert!(matches!(read_header(&mut &bytes[..]), Err(NoHeader::Wrong(_))));
    }
}
