//! Reader of a text that is turned into another one.

use std::io::{self, ErrorKind, Read};

/// Bytes of the text that are turned at once.
const BUFFER: usize = 1 << 16;

/// Way to turn a text into another one.
pub(super) trait Turn {
    /// Appends to `to` what becomes of `bytes`, the next of the text.
    fn turn(&mut self, bytes: &[u8], to: &mut Vec<u8>) -> io::Result<()>;

    /// Fails if the text must not end here.
    fn end(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Reader of what becomes of the text in `from`.
pub(super) struct Turned<R, T> {
    from: R,
    turn: T,
    bytes: Vec<u8>,
    text: Vec<u8>,
    /// Number of bytes of `text` that were read.
    read: usize,
}

impl<R: Read, T: Turn> Turned<R, T> {
    pub(super) fn new(from: R, turn: T) -> Self {
        Self { from, turn, bytes: vec![0; BUFFER], text: Vec::new(), read: 0 }
    }
}

impl<R: Read, T: Turn> Read for Turned<R, T> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.read == self.text.len() {
            let read = match self.from.read(&mut self.bytes) {
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                read => read?,
            };
            if read == 0 {
                return self.turn.end().map(|()| 0);
            }
            self.text.clear();
            self.read = 0;
            self.turn.turn(&self.bytes[..read], &mut self.text)?;
        }
        let read = (&self.text[self.read..]).read(to)?;
        self.read += read;
        Ok(read)
    }
}
