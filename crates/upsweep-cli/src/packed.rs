//! Compressed files: gzip and Zstandard, told by their first bytes when read, and by the ending of the name when
//! written.

mod fault;
mod zstd;

pub(crate) use fault::Told;

use crate::failure::{Failure, Result};
use crate::start::may_become;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{BufReader, Read, Write};
use std::path::Path;

/// Number of bytes at the start of a file by which [`Packing::of_start`] knows it.
pub(crate) const MARK: usize = 4;

/// Bytes that are read at once from a compressed file.
const BUFFER: usize = 1 << 17;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// Returns how a file is compressed that begins with `start`. `None`: it is not.
    pub(crate) fn of_start(start: &[u8]) -> Option<Self> {
        match start {
            // The third byte is the method, of which there is one.
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            // A frame, or one that is skipped, such as pzstd writes.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Whether more bytes behind `start` can make it the begin of a compressed file.
    pub(crate) fn may_become(start: &[u8]) -> bool {
        let is_skipped = matches!(start, [] | [0x50..=0x5f] | [0x50..=0x5f, 0x2a] | [0x50..=0x5f, 0x2a, 0x4d]);
        is_skipped || [&[0x1f, 0x8b, 8][..], &[0x28, 0xb5, 0x2f, 0xfd]].iter().any(|mark| may_become(mark, start))
    }

    /// Returns how a file of this name is compressed: .gz and .zst say it.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        let all = [("gz", Self::Gzip), ("zst", Self::Zstd)];
        all.into_iter().find(|(name, _)| ending.eq_ignore_ascii_case(name)).map(|(_, packing)| packing)
    }

    /// Returns a reader of what is compressed in `packed`. What is wrong with the file is an error of the kind
    /// `InvalidData`, in words for the user. That its end is missing or its checksum wrong shows at its end: whoever
    /// reads it reads all of it.
    pub(crate) fn reader<'a>(self, packed: impl Read + 'a) -> Box<dyn Read + 'a> {
        let packed = BufReader::with_capacity(BUFFER, packed);
        match self {
            Self::Gzip => Box::new(Told(MultiGzDecoder::new(packed))),
            Self::Zstd => Box::new(zstd::Frames::new(packed)),
        }
    }

    /// Lets `write` write, and writes it compressed to `out`, which messages call `name`.
    pub(crate) fn write(
        self,
        (out, name): (&mut (dyn Write + Send), &str),
        write: &mut dyn FnMut(&mut (dyn Write + Send)) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Gzip => {
                let mut packed = GzEncoder::new(out, flate2::Compression::default());
                write(&mut packed)?;
                packed.finish().map(|_| ()).map_err(|e| Failure::writing(name, &e))
            }
            Self::Zstd => zstd::write((out, name), write),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::fault::cut_short;
    use super::*;
    use std::io::{self, ErrorKind};

    const ALL: [Packing; 2] = [Packing::Gzip, Packing::Zstd];

    fn packed(packing: Packing, bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        // The parts have no boundaries in the file.
        let mut write = |out: &mut (dyn Write + Send)| {
            bytes.chunks(100_003).try_for_each(|part| out.write_all(part)).map_err(|e| Failure::writing("x", &e))
        };
        assert!(packing.write((&mut all, "x"), &mut write).is_ok());
        all
    }

    fn unpacked(packing: Packing, packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        packing.reader(packed).read_to_end(&mut all).map(|_| all)
    }

    /// Bytes of which some repeat, and some do not.
    fn bytes(len: usize) -> Vec<u8> {
        let random = |k: usize| (k as u64).wrapping_mul(6_364_136_223_846_793_005) >> 40;
        (0..len).map(|k| if k / 1000 % 3 == 0 { random(k) as u8 } else { (k / 7 % 50) as u8 }).collect()
    }

    #[test]
    fn what_is_packed_comes_back() {
        for packing in ALL {
            for len in [0, 1, 2, 1000, 131_071, 131_072, 131_073, 262_144, 3_000_000] {
                let (bytes, file) = (bytes(len), packed(packing, &bytes(len)));
                assert_eq!(Packing::of_start(&file[..MARK]), Some(packing));
                assert!(len < 1000 || file.len() < len);
                assert!(unpacked(packing, &file).unwrap() == bytes, "{packing:?} {len}");
                // Files one after the other are one.
                let twice = [&file[..], &file].concat();
                assert!(unpacked(packing, &twice).unwrap() == [&bytes[..], &bytes].concat(), "{packing:?} {len}");
            }
        }
        let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &packed(Packing::Zstd, b"abc")].concat();
        assert_eq!(Packing::of_start(&skipped), Some(Packing::Zstd));
        assert_eq!(unpacked(Packing::Zstd, &skipped).unwrap(), b"abc");
    }

    #[test]
    fn damaged_files_are_told() {
        for packing in ALL {
            let bytes = bytes(5000);
            let file = packed(packing, &bytes);
            for end in 1..file.len() {
                let e = unpacked(packing, &file[..end]).err();
                let e = e.unwrap_or_else(|| io::Error::other("none"));
                assert_eq!((e.kind(), e.to_string()), (ErrorKind::InvalidData, cut_short().to_string()), "{end}");
            }
            for at in MARK..file.len() {
                let mut wrong = file.clone();
                wrong[at] ^= 0x10;
                match unpacked(packing, &wrong) {
                    Err(e) => assert_eq!(e.kind(), ErrorKind::InvalidData, "{packing:?} {at}: {e}"),
                    // Some bits mean nothing for the content, such as those of a time.
                    Ok(same) => assert!(same == bytes, "{packing:?} {at} of {}", file.len()),
                }
            }
            assert_eq!(
                unpacked(packing, &[&file[..], b"more of it"].concat()).unwrap_err().kind(),
                ErrorKind::InvalidData
            );
        }
    }
}
