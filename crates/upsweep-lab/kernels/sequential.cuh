// The scan on the CPU, by one thread: every element waits for the one before it.

extern "C" __global__ void sequential(const T* x, T* y, u64 n) {
    T sum = identity();
    for (u64 i = 0; i < n; i++) {
        const T value = x[i];
        y[i] = sum;
        sum = combine(sum, value);
    }
}
