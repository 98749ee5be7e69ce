//! Arrays in Fortran order, in which the first index of neighbours differs, turned into C order.

use crate::element::{Values, with_values};
use crate::failure::{Failure, Result};
use crate::threads;
use std::convert::Infallible;
use upsweep_core::memory;

/// Rows that are written at once. Of each a piece of a cache line is read from a neighbour of the one before.
const ROWS: usize = 32;

/// Returns `values`, an array of this `shape` in Fortran order, in C order. It takes as much memory again.
pub(crate) fn to_c_order(values: &Values, shape: &[usize], name: &str) -> Result<Values> {
    with_values!(values, x => {
        let full = |_| Failure::memory(name, size_of_val(&x[..]));
        let mut y = memory::filled(x.len(), Default::default()).map_err(full)?;
        transpose(x, shape, &mut y);
        Ok(y.into())
    })
}

/// Writes to `y` in C order the array `x` in Fortran order. Both have as many elements as `shape` says.
fn transpose<T: Copy + Send + Sync>(x: &[T], shape: &[usize], y: &mut [T]) {
    let Some((&rows, inner)) = shape.split_first().filter(|_| !y.is_empty()) else {
        return y.copy_from_slice(x);
    };
    let width = y.len() / rows;
    let Ok(()) = threads::each::<_, Infallible>(y.chunks_mut(ROWS * width), &|block, y| {
        let (first, count) = (block * ROWS, y.len() / width);
        // Indices along all axes but the first, and where in `x` the column of elements with these indices begins.
        let (mut indices, mut begin) = (vec![0; inner.len()], 0);
        for place in 0..width {
            let column = x.get(begin + first..begin + first + count).unwrap_or_default();
            column.iter().zip(y.iter_mut().skip(place).step_by(width)).for_each(|(&x, y)| *y = x);
            // The last index moves on; one at its end goes back, and the index before it moves on.
            for axis in (0..inner.len()).rev() {
                let stride = rows * inner[..axis].iter().product::<usize>();
                indices[axis] += 1;
                begin += stride;
                if indices[axis] < inner[axis] {
                    break;
                }
                begin -= stride * inner[axis];
                indices[axis] = 0;
            }
        }
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_every_shape_are_transposed() {
        let shapes: &[&[usize]] = &[
            &[],
            &[1],
            &[7],
            &[0, 3],
            &[3, 0],
            &[1, 5],
            &[5, 1],
            &[2, 3],
            &[31, 33],
            &[32, 32],
            &[33, 2],
            &[65, 3, 2],
            &[3, 4, 5],
            &[2, 1, 3, 2],
            &[2, 3, 0, 4],
            &[34, 2, 3, 5],
        ];
        for shape in shapes {
            let len = shape.iter().product();
            let x: Vec<usize> = (0..len).collect();
            let mut y = vec![usize::MAX; len];
            transpose(&x, shape, &mut y);
            for (at, &found) in y.iter().enumerate() {
                // The indices of place `at` in C order, and from these the place in Fortran order.
                let mut rest = at;
                let mut indices: Vec<usize> = Vec::new();
                for &n in shape.iter().rev() {
                    indices.push(rest % n);
                    rest /= n;
                }
                let place = indices.iter().zip(shape.iter().rev()).fold(0, |place, (&index, &n)| place * n + index);
                assert_eq!(found, place, "{shape:?} {at}");
            }
        }
    }
}
