//! Tests of long integers, with num-bigint as the oracle.

use crate::Random;
use num_bigint::BigUint;
use upsweep::Device;
use upsweep_apps::bigint::{add, compare};

fn big(limbs: &[u64]) -> BigUint {
    BigUint::from_bytes_le(&limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect::<Vec<u8>>())
}

#[test]
fn sums_and_order() {
    let device = Device::cpu();
    let mut random = Random(3);
    // Limbs that stop, make and pass on carries, and runs of limbs that pass them on; lengths of several blocks.
    let mut number = |len: usize| {
        let kind = random.below(3);
        let limb = |_| match random.below(4) {
            0 if kind == 0 => random.next(),
            1 if kind == 1 => 1,
            _ => u64::MAX,
        };
        (0..len).map(limb).collect::<Vec<u64>>()
    };
    for (n, m) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 5), (63, 64), (1000, 1000), (1000, 3), (70_000, 69_999)] {
        for _ in 0..4 {
            let (a, b) = (number(n), number(m));
            let sum = add(&device, &a, &b).unwrap().to_vec().unwrap();
            assert_eq!(sum.len(), n.max(m) + 1);
            assert!(big(&sum) == big(&a) + big(&b), "{n} and {m} limbs");
            assert_eq!(compare(&device, &a, &b).unwrap(), big(&a).cmp(&big(&b)), "{n} and {m} limbs");
            let mut changed = a.clone();
            if let Some(limb) = changed.first_mut() {
                *limb ^= 1 << 63;
                changed.push(0);
                assert_eq!(compare(&device, &a, &changed).unwrap(), big(&a).cmp(&big(&changed)));
            }
        }
    }
    // The longest carry chain.
    let ones = vec![u64::MAX; 100_000];
    let sum = add(&device, &ones, &[1]).unwrap().to_vec().unwrap();
    assert!(sum[..100_000].iter().all(|&limb| limb == 0) && sum[100_000] == 1);
}
