//! Mutation of valid files: bytes, numbers and parts are changed. Lengths and checksums that a reader checks first are
//! corrected.

/// Generator of pseudo-random numbers, the same for the same seed (Steele, Lea and Flood's SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns a pseudo-random number below `n`; 0 if `n` is 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n.max(1)
    }

    pub(super) fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }
}

/// Numbers at which readers fail most often.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "7",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "1099511627776",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0.5",
    "1e-320",
    "1e308",
    "-1e308",
    "1e309",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "0x10",
    "1_0",
    "1.",
    ".5",
    "1e",
    "",
    " ",
    "+3",
    "1,5",
    "²",
];

/// Pieces of text that mean something in one of the file formats or another.
const PIECES: &[&str] = &[
    "\"",
    "\"\"",
    "'",
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\0",
    " ",
    "(",
    ")",
    "((((((((",
    "[",
    "]",
    "{",
    "}",
    "|",
    "*",
    "+?",
    "\\",
    "\\p{L}",
    "{20}",
    "$",
    "^",
    "%",
    "#",
    "=",
    "`",
    "$1",
    " and ",
    " or ",
    "not ",
    "abs(",
    "\u{feff}",
    "\u{ff}\u{fe}",
    "\u{202e}",
    "e",
    "é",
    "%%MatrixMarket",
    "symmetric",
    "skew-symmetric",
    "NODATA_value",
    "'shape': (",
    "'<f8'",
    "'|b1'",
    "'>u2'",
    "True",
    "fact",
    "LIST",
    "RF64",
    "IDAT",
];

/// Returns a copy of the file `seed` that is changed in a few places, in some by parts of the file `other`.
pub(super) fn mutated(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = seed.to_vec();
    for _ in 0..=random.below(4).min(random.below(4)) {
        once(&mut file, other, random);
    }
    if random.below(8) > 0 {
        mended(&mut file);
    }
    file.truncate(1 << 16);
    file
}

fn once(file: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let (at, len) = (random.below(file.len() + 1), random.below(16));
    let end = (at + len).min(file.len());
    let put = |file: &mut Vec<u8>, range, bytes: &[u8]| drop(file.splice(range, bytes.iter().copied()));
    match random.below(20) {
        0 => {
            if let Some(byte) = file.get_mut(at) {
                *byte ^= 1 << (random.next() % 8);
            }
        }
        1 => {
            if let Some(byte) = file.get_mut(at) {
                *byte = random.next() as u8;
            }
        }
        2 => put(file, at..end, &[]),
        3 => {
            let part = file[at..end].to_vec();
            put(file, at..at, &part.repeat(1 + random.below(9)));
        }
        4 => file.truncate(at),
        5 => {
            let from = random.below(other.len() + 1);
            put(file, at..end, &other[from..(from + 40).min(other.len())]);
        }
        6 => put(file, at..at, random.of(PIECES).copied().unwrap_or_default().as_bytes()),
        7 => {
            let number = [0u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff][random.below(6)];
            let bytes = if random.below(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
            put(file, at..(at + 4).min(file.len()), &bytes);
        }
        _ => {
            // Replaces the number at the index `at`, or the next one after it.
            let is_of_number = |byte: &u8| byte.is_ascii_digit() || b".-+".contains(byte);
            let first = at + file[at..].iter().position(u8::is_ascii_digit).unwrap_or(0);
            let len = file[first..].iter().take_while(|byte| is_of_number(byte)).count();
            put(file, first..first + len, random.of(NUMBERS).copied().unwrap_or_default().as_bytes());
        }
    }
}

/// Corrects the lengths and checksums in a file, so that its reader goes on to the parts after them.
fn mended(file: &mut Vec<u8>) {
    if file.starts_with(b"\x93NUMPY\x01") {
        let end = file.iter().position(|&byte| byte == b'\n').unwrap_or(0);
        if let (Some(len), Some(field)) = (end.checked_sub(9), file.get_mut(8..10)) {
            field.copy_from_slice(&(len as u16).to_le_bytes());
        }
        if let Some(data) = promised(&file[..end]).filter(|data| *data <= 1 << 15) {
            file.resize(end + 1 + data, 0);
        }
    }
    if file.starts_with(b"\x89PNG\r\n\x1a\n") {
        let mut at = 8;
        while let Some(field) = file.get(at..at + 4) {
            let len = u32::from_be_bytes(field.try_into().unwrap_or_default()) as usize;
            let Some(sum) = file.get(at + 4..at + 8 + len).map(crc) else { return };
            let Some(field) = file.get_mut(at + 8 + len..at + 12 + len) else { return };
            field.copy_from_slice(&sum.to_be_bytes());
            at += 12 + len;
        }
    }
}

/// Number of data bytes that the header of a .npy file promises.
fn promised(header: &[u8]) -> Option<usize> {
    let header = String::from_utf8_lossy(header);
    let (_, shape) = header.split_once("'shape': (")?;
    let lengths = shape.split(')').next()?.split(',').map(str::trim).filter(|length| !length.is_empty());
    let values = lengths.map(|length| length.parse().ok()).try_fold(1usize, |product, n| product.checked_mul(n?))?;
    let (_, kind) = header.split_once("'descr': '")?;
    let size: usize = kind.get(2..)?.split('\'').next()?.parse().ok()?;
    values.checked_mul(size)
}

/// CRC of the bytes of a PNG's chunk (the specification of PNG, annex D).
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}

/// Replaces a number in the words of a command, or removes an option, now and then.
pub(super) fn mutated_call(words: &mut Vec<String>, random: &mut Random) {
    if random.below(4) > 0 || words.len() < 3 {
        return;
    }
    let at = 1 + random.below(words.len() - 1);
    let has_number = words[at].bytes().any(|byte| byte.is_ascii_digit());
    if has_number && let Some(number) = random.of(NUMBERS) {
        words[at] = (*number).to_owned();
    } else if words[at].starts_with("--") && !words[at].starts_with("--type") {
        words.remove(at);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn sums_and_lengths_are_true() {
        assert_eq!(crc(b"IEND"), 0xae42_6082);
        let mut file = b"\x93NUMPY\x01\0\0\0{'descr'}\n12".to_vec();
        mended(&mut file);
        assert_eq!(file[8..10], 10u16.to_le_bytes());
        assert_eq!(promised(b"{'descr': '<f8', 'shape': (3, 4, ), }"), Some(96));
        assert_eq!(promised(b"{'descr': '<f8', 'shape': (3, x), }"), None);
    }

    #[test]
    fn the_same_seed_makes_the_same_file() {
        let make = |seed| mutated(b"a,b\n1,2\n", b"x,y\n", &mut Random(seed));
        assert!((0..200).all(|seed| make(seed) == make(seed)));
        assert!((0..200).filter(|&seed| make(seed) != b"a,b\n1,2\n").count() > 150);
    }
}
