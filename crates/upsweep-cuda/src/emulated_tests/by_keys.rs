//! Tests of kernels in the emulator, without a GPU: reductions by keys.

use super::{Runs, Then, features, in_f32, tiles, tiles_of, widened};
use crate::features::Heads;
use half::f16;
use upsweep_core::operator::builtin::{Max, Sum};
use upsweep_core::segments::{Equal, Keys};

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_reductions_by_keys() {
    type By<K> = Keys<'static, [K], Equal>;
    tiles::<By<u32>, u32, _>(Runs, Then, features(Heads::Keys, "s"), 60);
    tiles::<By<u16>, u64, _>(Runs, Sum, features(Heads::Keys, "si"), 60);
    tiles::<By<u64>, i8, _>(Runs, Max, features(Heads::Keys, "s"), 60);
    tiles_of::<By<u8>, _>(Runs, widened(), features(Heads::Keys, "si"), 60);
    tiles_of::<By<u64>, _>(Runs, in_f32::<f16>(), features(Heads::Keys, "s"), 60);
}
