//! Warp in lockstep: merges the accesses and branches of its threads to instructions, and counts their cost.
//!
//! A warp executes one instruction at a time, for those of its threads that are at it. Threads that skip a branch or
//! leave a loop wait after it for the others. So of the threads' next actions the model takes the first in the source,
//! for all threads that are at it. A thread that goes back to the head of a loop waits until no thread is in the loop's
//! body any more. The body ends at the last place from which a thread of the warp went back to that head, or to that of
//! a loop in it.
//!
//! Hence a kernel's source has to be in the order of the program: the actions of a step stand in its closure, or in a
//! function that is `#[track_caller]`, and conditions are passed to [`Thread::branch`](super::Thread::branch).

use super::banks::{Banks, WARP};
use super::counts::Counts;
use std::cmp::Reverse;
use std::panic::Location;

/// Number of words of a line of global memory: 128 bytes.
const LINE: usize = 32;

/// Position of an action in the kernel's source. A copy reads and then writes at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: u32,
    column: u32,
    write: bool,
}

impl Place {
    fn new(at: &Location<'_>, write: bool) -> Self {
        Self { line: at.line(), column: at.column(), write }
    }
}

/// Action of a thread at a position in the source.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Branch, and whether it is taken.
    Branch(bool),
    /// Access to a word of shared memory, and its number among those of the step.
    Access { word: usize, number: usize },
    /// Access to a word of global memory.
    Global { word: usize },
}

/// Time at which a thread's next action is due: the place after which it comes, whether it is back at the head of a
/// loop that ends there, and its own place. Of two loops that end at the same place the inner one goes on first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    behind: Place,
    again: bool,
    place: Reverse<Place>,
}

/// Actions that the threads of one warp take in a step, by lane.
#[derive(Debug)]
pub(super) struct Warp {
    lanes: [Vec<(Place, Act)>; WARP],
    /// Whether a thread has padded an index.
    pub(super) padded: bool,
    /// Number of threads that have done something.
    pub(super) active: u64,
}

impl Default for Warp {
    fn default() -> Self {
        Self { lanes: std::array::from_fn(|_| Vec::new()), padded: false, active: 0 }
    }
}

impl Warp {
    /// Notes that a lane accesses a word of shared memory; it is the step's access with this `number`, from 0.
    pub(super) fn access(&mut self, at: &Location<'_>, lane: usize, write: bool, word: usize, number: usize) {
        self.lanes[lane].push((Place::new(at, write), Act::Access { word, number }));
    }

    /// Notes that a lane accesses a word of global memory.
    pub(super) fn global(&mut self, at: &Location<'_>, lane: usize, write: bool, word: usize) {
        self.lanes[lane].push((Place::new(at, write), Act::Global { word }));
    }

    /// Notes that a lane comes to a branch, and whether it takes it.
    pub(super) fn branch(&mut self, at: &Location<'_>, lane: usize, taken: bool) {
        self.lanes[lane].push((Place::new(at, false), Act::Branch(taken)));
    }

    /// Adds the warp's part to `counts`, passes to `degree_of` the degree of each access and the first access served
    /// with it, and clears all. Returns whether the warp diverged.
    pub(super) fn finish(
        &mut self,
        banks: Banks,
        counts: &mut Counts,
        degree_of: &mut dyn FnMut(usize, u64, usize),
    ) -> bool {
        let ends = self.ends_of_loops();
        let mut done = [0; WARP];
        let mut divergent = 0;
        while let Some((lanes, count)) = self.next(&done, &ends) {
            let lanes = &lanes[..count];
            let acts = lanes.iter().map(|&lane| (lane, self.lanes[lane][done[lane]].1));
            let taken = |(_, act)| if let Act::Branch(taken) = act { Some(taken) } else { None };
            match (acts.clone().filter_map(taken).min(), acts.clone().filter_map(taken).max()) {
                (None, _) => access(banks, acts, counts, degree_of),
                (least, most) => divergent += u64::from(least != most),
            }
            lanes.iter().for_each(|&lane| done[lane] += 1);
        }
        counts.divergent_branches += divergent;
        counts.cycles += if self.padded { 8 } else { 0 };
        counts.warp_steps += u64::from(self.active > 0);
        counts.active_threads += self.active;
        self.lanes.iter_mut().for_each(Vec::clear);
        (self.padded, self.active) = (false, 0);
        divergent > 0
    }

    /// Returns the heads of the loops, each with the last place of its body: one from which a thread goes back to the
    /// head, or the end of a loop in it.
    fn ends_of_loops(&self) -> Vec<(Place, Place)> {
        let mut ends: Vec<(Place, Place)> = Vec::new();
        for lane in &self.lanes {
            for (&(from, _), &(to, _)) in lane.iter().zip(lane.iter().skip(1)).filter(|(from, to)| to.0 <= from.0) {
                match ends.iter_mut().find(|(head, _)| *head == to) {
                    Some((_, end)) => *end = from.max(*end),
                    None => ends.push((to, from)),
                }
            }
        }
        ends.sort_unstable();
        for outer in (0..ends.len()).rev() {
            for inner in outer + 1..ends.len() {
                if ends[inner].0 <= ends[outer].1 {
                    ends[outer].1 = ends[outer].1.max(ends[inner].1);
                }
            }
        }
        ends
    }

    /// Returns the lanes that execute the next instruction, and their number; `done` counts each lane's actions so far.
    fn next(&self, done: &[usize; WARP], ends: &[(Place, Place)]) -> Option<([usize; WARP], usize)> {
        let (mut lanes, mut count, mut first) = ([0; WARP], 0, None);
        for (lane, acts) in self.lanes.iter().enumerate() {
            let Some(&(place, _)) = acts.get(done[lane]) else { continue };
            let before = done[lane].checked_sub(1).map(|before| acts[before].0);
            let end = before.filter(|&before| place <= before).and_then(|_| ends.iter().find(|end| end.0 == place));
            let due = Due { behind: end.map_or(place, |end| end.1), again: end.is_some(), place: Reverse(place) };
            match first {
                Some(first) if first < due => continue,
                Some(first) if first == due => {}
                _ => (first, count) = (Some(due), 0),
            }
            lanes[count] = lane;
            count += 1;
        }
        first.map(|_| (lanes, count))
    }
}

/// Counts one access of a warp; `acts` has its lanes in rising order.
fn access(
    banks: Banks,
    acts: impl Iterator<Item = (usize, Act)>,
    counts: &mut Counts,
    degree_of: &mut dyn FnMut(usize, u64, usize),
) {
    let (mut words, mut numbers, mut halves) = ([0; WARP], [0; WARP], [0; WARP]);
    let (mut count, mut lines, mut distinct) = (0, [0; WARP], 0);
    for (lane, act) in acts {
        match act {
            Act::Access { word, number } => {
                (words[count], numbers[count], halves[count]) = (word, number, lane / banks.number());
                count += 1;
            }
            // Lanes come in rising order, but their words need not: so all lines found so far are compared.
            Act::Global { word } if !lines[..distinct].contains(&(word / LINE)) => {
                lines[distinct] = word / LINE;
                distinct += 1;
            }
            Act::Global { .. } | Act::Branch(_) => {}
        }
    }
    counts.lines += distinct as u64;
    if count == 0 {
        return;
    }
    // The half-warps take turns; the lecture counts the slower one.
    let (mut worst, mut first) = (0, 0);
    for group in halves[..count].chunk_by(|a, b| a == b) {
        let last = first + group.len();
        let degree = banks.degree(&words[first..last]);
        numbers[first..last].iter().for_each(|&number| degree_of(number, degree, numbers[first]));
        counts.conflicts += degree - 1;
        counts.turns += degree;
        worst = worst.max(degree);
        first = last;
    }
    counts.worst_degree = counts.worst_degree.max(worst);
    counts.cycles += 2 * worst;
}
