//! Heads: the first elements of segments and lines, in scan order.

/// Heads: elements that begin a line or segment. Element 0 is always a head. All positions are in scan order: in a
/// reversed scan, a segment begins at its last element.
pub(crate) trait Heads: Sync {
    /// Whether all lines have the same length: [`each`](Heads::each).
    const EQUAL: bool = false;

    /// State that makes [`next`](Heads::next) cheap from one head to the following.
    type Cursor;

    /// Returns a cursor for calls of [`next`](Heads::next), whose `from` must ascend and be at least `k`.
    fn cursor(&self, k: usize) -> Self::Cursor;

    /// Returns the position of the first head after `from` and before `end`, or `end` if there is none.
    fn next(&self, cursor: &mut Self::Cursor, from: usize, end: usize) -> usize;

    /// Returns the position of the last head in `start .. end`, if there is one.
    fn last(&self, start: usize, end: usize) -> Option<usize>;

    /// Whether the element at position `k` is a head: the first one of a line or segment.
    fn is_head(&self, k: usize) -> bool {
        self.last(k, k + 1).is_some()
    }

    /// Returns the number of elements of every line, if all have as many.
    #[inline(always)]
    fn each(&self) -> usize {
        0
    }

    /// Returns the index in memory from which the positions given to the map count, for the line of the element at
    /// index `at`.
    #[inline(always)]
    fn origin(&self, at: usize) -> usize {
        let _ = at;
        0
    }

    /// Returns the position from which the levels of the [tree](upsweep_core::tree) are counted, for the element at `k`:
    /// the start of its line. All segments are in one line.
    #[inline(always)]
    fn line(&self, k: usize) -> usize {
        let _ = k;
        0
    }

    /// [`line`](Heads::line) for a head.
    #[inline(always)]
    fn line_of_head(&self, head: usize) -> usize {
        let _ = head;
        0
    }
}

/// Contiguous lines of equal length, which is not 0.
pub(crate) struct EqualLines {
    pub(crate) len: usize,
}

impl Heads for EqualLines {
    const EQUAL: bool = true;
    type Cursor = ();
    #[inline(always)]
    fn each(&self) -> usize {
        self.len
    }
    #[inline(always)]
    fn cursor(&self, _: usize) {}
    #[inline(always)]
    fn next(&self, (): &mut (), from: usize, end: usize) -> usize {
        // Fast path for one line, the most frequent case: a division takes longer than a short scan.
        if end <= self.len { end } else { (from - from % self.len).saturating_add(self.len).min(end) }
    }
    #[inline(always)]
    fn last(&self, start: usize, end: usize) -> Option<usize> {
        let head = if end <= self.len { 0 } else { (end - 1) - (end - 1) % self.len };
        (head >= start).then_some(head)
    }
    #[inline(always)]
    fn origin(&self, at: usize) -> usize {
        if at < self.len { 0 } else { at - at % self.len }
    }
    #[inline(always)]
    fn line(&self, k: usize) -> usize {
        if k < self.len { 0 } else { k - k % self.len }
    }
    #[inline(always)]
    fn line_of_head(&self, head: usize) -> usize {
        head
    }
}
