//! Part of the list of kernels that are compiled where there is no GPU: selections, runs, expansions and lookups.

use super::super::expand::{self, ExpandParams};
use super::super::job::Functions;
use super::super::search::{self, SearchParams};
use super::super::select::{self, SelectParams};
use super::{AtMost, EitherOdd, FirstBit, List};
use half::f16;
use upsweep_core::call::expand::Expanded;
use upsweep_core::call::search::{Ascending, Ordered};
use upsweep_core::call::select::{Choose, FirstOf, Flagged, LastOf, Unasked, Where};
use upsweep_core::operator::Element;
use upsweep_core::segments::Equal;
use upsweep_plan::expand::{ExpandPlan, ExpandSizes};
use upsweep_plan::select::{SelectPlan, SelectSizes};

impl List {
    /// Adds the kernels of selections by predicate and by flags, of elements of some sizes, to the list: those that
    /// store elements, those that store indices, and those for more than 2^32 elements.
    pub(super) fn selections(&mut self) {
        macro_rules! of {
            ($($ty:ty),*) => { $(
                self.selection::<$ty, _>(stringify!($ty), &Where(FirstBit), 1 << 20, 0);
                self.selection::<$ty, _>(concat!(stringify!($ty), " by flags"), &Flagged(&[true]), 1 << 20, 0);
            )* };
        }
        of! { u8, u16, u32, u64, u128, (u8, u8, u8), (u64, u8), [u64; 8] }
        self.selection::<u32, _>("u32 of 2^33", &Where(FirstBit), 1 << 33, 0);
        self.selection::<u32, _>("indices", &Where(FirstBit), 1 << 20, 4);
        self.selection::<u32, _>("long indices by flags", &Flagged(&[true]), 1 << 20, 8);
        self.selection::<u8, _>("u8 first", &FirstOf(Equal), 1 << 20, 0);
        self.selection::<u32, _>("u32 first", &FirstOf(Equal), 1 << 20, 0);
        self.selection::<u64, _>("u64 last", &LastOf(Equal), 1 << 20, 0);
        self.runs::<u32>("u32 runs, lengths", 1 << 20, 4, true);
        self.runs::<u8>("u8 runs, long lengths", 1 << 33, 8, true);
        self.runs::<u64>("u64 runs, starts", 1 << 20, 8, false);
        self.expansion::<u32>("owners", Expanded::Owner, 4, 4);
        self.expansion::<u32>("ranks", Expanded::Rank, 4, 4);
        self.expansion::<u32>("long ranks", Expanded::Rank, 8, 8);
        self.expansion::<u8>("bytes", Expanded::Value, 4, 1);
        self.expansion::<u32>("values", Expanded::Value, 4, 4);
        self.expansion::<(u8, u8, u8)>("odd values", Expanded::Value, 8, 3);
        self.search::<u32>("u32", false, 4);
        self.search::<f16>("f16", true, 8);
        self.selection::<u32, _>("u32 by a value", &Where(AtMost { bound: 1 }), 1 << 20, 0);
        self.selection::<(u32, u32), _>("indices of pairs by flags", &Flagged(&[true]), 1 << 20, 4);
        let both = Where(EitherOdd);
        self.selection_of::<(u32, u32), (u32, u32), _>("pairs by two arguments", &both, 1 << 20, 0);
    }

    fn selection<I: Element, C: Choose<I>>(&mut self, name: &str, choice: &C, len: usize, index: usize) {
        self.selection_of::<I, (I,), C>(name, choice, len, index);
    }

    /// Adds the kernel of a selection by a choice that takes the arguments `A` of an element to the list.
    fn selection_of<I: Element, A, C: Choose<I, A>>(&mut self, name: &str, choice: &C, len: usize, index: usize) {
        // Functions that capture more values than a kernel's parameters have room for have no kernel.
        let _none = select::with_functions_of::<I, A, _, _>(choice, |functions| {
            self.selection_of_sizes(name, len, select::sizes_of::<I, A, C>(choice, index, false), functions);
            Ok(())
        });
    }

    /// Adds the kernel that selects the first element of each run of equal neighbours to the list. It also stores a
    /// number of `run` bytes for each run: with `lengths` the run's length, else the index where the run begins.
    fn runs<I: Element>(&mut self, name: &str, len: usize, run: usize, lengths: bool)
    where
        FirstOf<Equal>: Choose<I>,
    {
        let choice = FirstOf(Equal);
        let _none = select::with_functions(&choice, |functions| {
            let sizes = SelectSizes { run, lengths, ..select::sizes_of::<I, (I,), _>(&choice, 0, false) };
            self.selection_of_sizes(name, len, sizes, functions);
            Ok(())
        });
    }

    /// Adds the kernels of an expansion of counts of `count` bytes to the list. `expanded` says what they store for
    /// each result: owners, ranks, or values.
    fn expansion<T: Element>(&mut self, name: &str, expanded: Expanded, count: usize, result: usize) {
        let _none = select::with_functions::<T, _, _>(&Where(Unasked), |functions| {
            let plan = ExpandPlan::new(1 << 20, ExpandSizes { expanded, count, result }, self.capability);
            let [all, large] = expand::kernels(&plan, functions);
            self.add::<ExpandParams>("expand", name, all);
            self.add::<ExpandParams>("expand large", name, large);
            Ok(())
        });
    }

    fn search<I: Ordered>(&mut self, name: &str, upper: bool, index: usize) {
        let _none = select::with_functions::<I, _, _>(&FirstOf(Ascending), |functions| {
            self.add::<SearchParams>("search", name, search::kernel(functions, upper, index));
            Ok(())
        });
    }

    fn selection_of_sizes(&mut self, name: &str, len: usize, sizes: SelectSizes, functions: &Functions<'_>) {
        let plan = SelectPlan::new(len, sizes, self.capability);
        self.add::<SelectParams>("select", name, select::kernel(&plan, functions));
    }
}
