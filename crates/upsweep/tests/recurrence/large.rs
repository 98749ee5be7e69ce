//! Arrays past 2^32 elements.

#[cfg(feature = "cuda")]
mod cuda {
    use crate::support::place::{Place, from_cuda};
    use cudarc::driver::CudaSlice;
    use upsweep::prelude::*;

    /// Returns F(n) and F(n + 1) modulo 2^64, by doubling.
    fn fibonacci(n: u64) -> (u64, u64) {
        if n == 0 {
            return (0, 1);
        }
        let (a, b) = fibonacci(n / 2);
        let even = a.wrapping_mul(b.wrapping_add(b).wrapping_sub(a));
        let odd = a.wrapping_mul(a).wrapping_add(b.wrapping_mul(b));
        if n.is_multiple_of(2) { (even, odd) } else { (odd, even.wrapping_add(odd)) }
    }

    /// Fibonacci's numbers modulo 2^64, from elements that are 0: 64 GiB in place.
    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn fibonacci_past_32_bits() {
        let place = Place::cuda();
        let stream = place.stream.as_ref().unwrap();
        let len = (1usize << 33) + 11;
        let mut data: CudaSlice<u64> = stream.alloc_zeros(len).expect("64 GiB");
        // y[i] = y[i - 1] + y[i - 2], of which the states say that y[-1] = 1, y[-2] = 0.
        let states = place.upload(&[1u64, 1], 0);
        let recurrence = Recurrence::new(&[1u64], &[1, u64::MAX, u64::MAX]).state(&states);
        recurrence.run_in_place(&place.device, &mut data).unwrap();
        for at in [0, 1, 5, 3071, 3072, 1 << 20, (1 << 31) - 1, 1 << 32, (1 << 32) + 1, 1 << 33, len - 3] {
            let mut window = stream.alloc_zeros::<u64>(2).unwrap();
            stream.memcpy_dtod(&data.slice(at..at + 2), &mut window).unwrap();
            let (f, next) = fibonacci(at as u64 + 2);
            assert_eq!(from_cuda(&window), [f, next], "{at}");
        }
    }
}
