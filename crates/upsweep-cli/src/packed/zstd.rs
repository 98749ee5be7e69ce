//! Zstandard: reading of all frames of a file, and writing of one.

use super::fault::{cut_short, damaged};
use crate::failure::{Failure, Result, words};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress};
use std::error::Error;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Reader of all frames in `input`, one after the other.
pub(super) struct Frames<R> {
    input: R,
    decoder: FrameDecoder,
    is_open: bool,
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, decoder: FrameDecoder::new(), is_open: false }
    }

    /// Begins the next frame that has content. Returns `false` if there is none.
    fn open(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => {
                    self.is_open = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.input).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(cut_short());
                    }
                }
                Err(e) => return Err(told(&e)),
            }
        }
        Ok(false)
    }

    /// Ends the frame, all of which was read. Fails if it has another checksum than it says.
    fn close(&mut self) -> io::Result<()> {
        self.is_open = false;
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(said), Some(found)) if said != found => Err(damaged("its content has another checksum than it says")),
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while !bytes.is_empty() && (self.is_open || self.open()?) {
            if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.input, blocks).map_err(|e| told(&e))?;
            }
            match self.decoder.read(bytes)? {
                0 if self.decoder.is_finished() => self.close()?,
                0 => {}
                read => return Ok(read),
            }
        }
        Ok(0)
    }
}

/// Converts an error of the decoder: to that of the reader, if it failed, else to one in words.
fn told(error: &FrameDecoderError) -> io::Error {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if let Some(e) = error.downcast_ref::<io::Error>() {
            return match (e.kind(), e.raw_os_error()) {
                (ErrorKind::UnexpectedEof, _) => cut_short(),
                (_, Some(number)) => io::Error::from_raw_os_error(number),
                _ => damaged(e),
            };
        }
        cause = error.source();
    }
    damaged(error)
}

/// Number of parts that wait for the thread that compresses them.
const WAITING: usize = 4;
/// Bytes of a part: those of a block.
const PART: usize = 1 << 17;

/// Lets `write` write, and writes it compressed to `out`, which messages call `name`. It becomes one frame, as some
/// readers stop at the end of the first one. The compressor asks for its input, so it has a thread of its own.
pub(super) fn write(
    (out, name): (&mut (dyn Write + Send), &str),
    write: &mut dyn FnMut(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<()> {
    thread::scope(|scope| {
        let (to_pack, input) = sync_channel(WAITING);
        // What is compressed is taken whenever a part is handed over. So this channel needs no bound.
        let (output, packed) = channel();
        let input = Input { parts: input, part: Vec::new(), begin: 0 };
        let started = thread::Builder::new()
            .spawn_scoped(scope, move || compress(input, Output(output), CompressionLevel::Fastest));
        started.map_err(|e| Failure::Run(format!("{name}: no thread compresses it: {}", words(&e))))?;
        let mut packer = Packer { out, to_pack, packed, part: Vec::new() };
        write(&mut packer)?;
        packer.finish().map_err(|e| Failure::writing(name, &e))
    })
}

/// Writer that hands what is written to the thread that compresses, and writes what comes back.
struct Packer<'a> {
    out: &'a mut (dyn Write + Send),
    to_pack: SyncSender<Vec<u8>>,
    packed: Receiver<Vec<u8>>,
    part: Vec<u8>,
}

impl Packer<'_> {
    fn hand_over(&mut self) -> io::Result<()> {
        let part = std::mem::replace(&mut self.part, Vec::with_capacity(PART));
        self.to_pack.send(part).map_err(|_| ErrorKind::BrokenPipe)?;
        self.packed.try_iter().try_for_each(|packed| self.out.write_all(&packed))
    }

    fn finish(mut self) -> io::Result<()> {
        if !self.part.is_empty() {
            self.hand_over()?;
        }
        // The end of the channel is the end of the input.
        drop(self.to_pack);
        self.packed.iter().try_for_each(|packed| self.out.write_all(&packed))
    }
}

impl Write for Packer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PART - self.part.len());
        self.part.extend_from_slice(&bytes[..taken]);
        if self.part.len() == PART {
            self.hand_over()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reader of the parts that come.
struct Input {
    parts: Receiver<Vec<u8>>,
    part: Vec<u8>,
    /// Number of bytes of `part` that were read.
    begin: usize,
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.begin == self.part.len() {
            // A channel whose other end is gone is the end of the input.
            (self.part, self.begin) = (self.parts.recv().unwrap_or_default(), 0);
        }
        let read = (&self.part[self.begin..]).read(bytes)?;
        self.begin += read;
        Ok(read)
    }
}

/// Writer of what was compressed. It never fails, as the compressor knows no failure: if nobody takes the bytes any
/// more, the result is lost anyway.
struct Output(Sender<Vec<u8>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
