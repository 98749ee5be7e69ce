//! Merge of two sorted arrays, by one thread.

/// One of the two arrays of a merge: keys, with equally many values or none.
#[derive(Debug)]
pub(crate) struct Half<'a, T, V> {
    pub(crate) keys: &'a [T],
    pub(crate) values: &'a [V],
}

impl<T, V> Clone for Half<'_, T, V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, V> Copy for Half<'_, T, V> {}

impl<'a, T, V> Half<'a, T, V> {
    /// Returns the elements `begin .. end`, with their values.
    pub(crate) fn part(&self, begin: usize, end: usize) -> Self {
        let values = self.values.get(begin..end).unwrap_or_default();
        Self { keys: self.keys.get(begin..end).unwrap_or_default(), values }
    }
}

/// Returns how many of the first `result` results come from `a` (merge path), by a binary search from `low` to `most`.
pub(crate) fn split<T>(
    a: &[T],
    b: &[T],
    result: usize,
    low: usize,
    most: usize,
    before: impl Fn(&T, &T) -> bool,
) -> usize {
    let (mut low, mut high) = (low.max(result.saturating_sub(b.len())), most.min(result).min(a.len()));
    while low < high {
        let middle = low.midpoint(high);
        let second = match (b.get(result - 1 - middle), a.get(middle)) {
            (Some(b), Some(a)) => before(b, a),
            _ => false,
        };
        if second {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Merges two sorted halves, stable: of equal elements those of the first half come first.
///
/// # Safety
/// The outputs have room for both halves and do not overlap them. The output of values is not used if there are none.
#[inline(always)]
pub(crate) unsafe fn merge<T: Copy, V: Copy>(
    (first, second): (Half<'_, T, V>, Half<'_, T, V>),
    (to, values_to): (*mut T, *mut V),
    before: impl Fn(&T, &T) -> bool,
) {
    let (a, b) = (first.keys, second.keys);
    let with_values = !first.values.is_empty() || !second.values.is_empty();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        // SAFETY: `i` and `j` are in their halves, and `i + j` is less than the number of results. Each element has a
        // value.
        unsafe {
            let (x, y) = (a.as_ptr().add(i), b.as_ptr().add(j));
            let takes_second = before(&*y, &*x);
            to.add(i + j).write(if takes_second { *y } else { *x });
            if with_values {
                let (x, y) = (first.values.as_ptr().add(i), second.values.as_ptr().add(j));
                values_to.add(i + j).write(if takes_second { *y } else { *x });
            }
            i += usize::from(!takes_second);
            j += usize::from(takes_second);
        }
    }
    // The rest of the half that is not exhausted.
    let (x, y) = (a.get(i..).unwrap_or_default(), b.get(j..).unwrap_or_default());
    // SAFETY: `i + j` results are written, and the rest fits after them.
    unsafe {
        x.as_ptr().copy_to_nonoverlapping(to.add(i + j), x.len());
        y.as_ptr().copy_to_nonoverlapping(to.add(i + j + x.len()), y.len());
        if with_values {
            let (u, v) = (first.values.get(i..).unwrap_or_default(), second.values.get(j..).unwrap_or_default());
            u.as_ptr().copy_to_nonoverlapping(values_to.add(i + j), u.len());
            v.as_ptr().copy_to_nonoverlapping(values_to.add(i + j + u.len()), v.len());
        }
    }
}
