//! Linear recurrences on the CPU.

use crate::error::Result;
use crate::job::Elements;
use crate::linear::ComputesOn;
use crate::operator::Element;
use crate::recurrence::Call;

pub(crate) fn run<C: ComputesOn<I>, I: Element>(call: Call<'_, '_, '_, C, I>) -> Result<()> {
    let Call { system, shape, reverse, input, output, first, last } = call;
    let (to, len) = output.on_host("output")?;
    let from = match &input {
        Elements::Given(view) => view.on_host("input")?.as_ptr(),
        Elements::OfOutput => to.cast_const(),
    };
    let first = first.map(|view| view.on_host("initial states")).transpose()?;
    let mut last = last.map(|view| view.into_host("final states")).transpose()?;
    let states = system.states;
    let mut z = vec![C::ZERO; system.order];
    for line in 0..shape.lines() {
        let (outer, inner) = (line / shape.inner, line % shape.inner);
        let state_at = |j: usize| (outer * states + j) * shape.inner + inner;
        z.fill(C::ZERO);
        if let Some(first) = first {
            for (j, z) in z.iter_mut().enumerate().take(states) {
                *z = first[state_at(j)];
            }
        }
        for k in 0..shape.len {
            let k = if reverse { shape.len - 1 - k } else { k };
            let at = (outer * shape.len + k) * shape.inner + inner;
            debug_assert!(at < len);
            // SAFETY: the shape has `len` elements, as have input and output, which this call has borrowed.
            unsafe { to.add(at).write(system.step(&mut z, C::number_of(from.add(at).read())).result().canonical()) };
        }
        if let Some(last) = last.as_deref_mut() {
            for (j, &z) in z.iter().enumerate().take(states) {
                last[state_at(j)] = z;
            }
        }
    }
    Ok(())
}
