//! Lines of a text that are no data: the first ones, and those that begin with the byte of comments.

use super::turned::Turn;
use std::io;

pub(super) struct Filter {
    /// Number of lines at the beginning that are still to leave out.
    skip: usize,
    /// Byte of comments, and delimiter of cells.
    comment: Option<(u8, u8)>,
    place: Place,
}

/// Place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    LineStart,
    /// In a line that is left out.
    Out,
    /// Behind the CR that ended a line that is left out: an LF belongs to it.
    OutCr,
    CellStart,
    Cell,
    Quoted,
    /// Behind a quote within quotes: it ended them, unless another one follows.
    Unquoted,
}

impl Filter {
    pub(super) fn new(skip: usize, comment: Option<(u8, u8)>) -> Self {
        Self { skip, comment, place: Place::LineStart }
    }

    /// Returns the place behind `byte`, and whether the byte stays in the text.
    fn next(&self, byte: u8) -> (Place, bool) {
        let is_delimiter = self.comment.is_some_and(|(_, delimiter)| delimiter == byte);
        match (self.place, byte) {
            (Place::Out, b'\r') => (Place::OutCr, false),
            (Place::Out, b'\n') | (Place::OutCr, b'\n') => (Place::LineStart, false),
            (Place::Out, _) => (Place::Out, false),
            (Place::LineStart | Place::OutCr, _) if self.comment.is_some_and(|(comment, _)| comment == byte) => {
                (Place::Out, false)
            }
            (Place::Quoted, b'"') => (Place::Unquoted, true),
            (Place::Quoted, _) => (Place::Quoted, true),
            (_, b'\n' | b'\r') => (Place::LineStart, true),
            (_, _) if is_delimiter => (Place::CellStart, true),
            (Place::Cell, _) => (Place::Cell, true),
            (_, b'"') => (Place::Quoted, true),
            (_, _) => (Place::Cell, true),
        }
    }
}

impl Turn for Filter {
    fn turn(&mut self, bytes: &[u8], to: &mut Vec<u8>) -> io::Result<()> {
        for &byte in bytes {
            if self.skip > 0 {
                let is_second = byte == b'\n' && self.place == Place::OutCr;
                self.skip -= usize::from(matches!(byte, b'\n' | b'\r') && !is_second);
                self.place = match byte {
                    b'\r' => Place::OutCr,
                    b'\n' if self.skip == 0 => Place::LineStart,
                    _ => Place::Out,
                };
                continue;
            }
            let (place, stays) = self.next(byte);
            self.place = place;
            if stays {
                to.push(byte);
            }
        }
        Ok(())
    }
}
