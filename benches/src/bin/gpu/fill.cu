// Fills the inputs of the GPU's benches with the values of `Value::random`, which the host computes again to check
// the outputs: no input crosses the bus.
typedef unsigned long long u64;

__device__ u64 hash(u64 index) {
    u64 x = index * 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

// A small integer; the next one is its negative.
__device__ float paired(u64 index) {
    int value = (int)(hash(index / 2) >> 60) - 8;
    return (float)(index % 2 == 0 ? value : -value);
}

__device__ unsigned short f16_bits(float x) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

// Exact for integers of at most eight bits.
__device__ unsigned short bf16_bits(float x) { return (unsigned short)(__float_as_uint(x) >> 16); }

__device__ float2 affine(u64 index) {
    u64 x = hash(index);
    return make_float2(x & 1 ? 1.0f : -1.0f, (float)((int)(x >> 60) - 8));
}

// The least, the greatest and the sum, as bits, and the count.
__device__ uint4 summary(u64 index) {
    u64 x = hash(index);
    const unsigned value = __float_as_uint((float)(x >> 48));
    return make_uint4(value, value, __float_as_uint(x & 1 ? 1.0f : -1.0f), 1);
}

#define FILL(name, type, value)                                                                     \
    extern "C" __global__ void name(type* out, u64 n) {                                             \
        u64 step = (u64)gridDim.x * blockDim.x;                                                     \
        for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = value;  \
    }

FILL(fill_8, unsigned char, (unsigned char)hash(i))
FILL(fill_16, unsigned short, (unsigned short)hash(i))
FILL(fill_32, unsigned int, (unsigned int)hash(i))
FILL(fill_64, u64, hash(i))
FILL(fill_f16, unsigned short, f16_bits(paired(i)))
FILL(fill_bf16, unsigned short, bf16_bits(paired(i)))
FILL(fill_f32, float, paired(i))
FILL(fill_f64, double, (double)paired(i))
FILL(fill_2xf32, float2, affine(i))
FILL(fill_16_bytes, uint4, summary(i))

// Keys in orders and of values that a sort by digits may take badly, by the number of the shape: `SHAPES` of sorts.rs. The same as in peers/cub.cu.
extern "C" __global__ void fill_shape(unsigned* out, u64 n, unsigned shape) {
    const u64 step = (u64)gridDim.x * blockDim.x, apart = 0xffffffffu / n;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const u64 x = hash(i);
        const double share = (double)(x >> 11) / (1ull << 53);
        out[i] = shape == 0   ? (unsigned)x
                 : shape == 1 ? (unsigned)(i * apart)                          // from the first to the last,
                 : shape == 2 ? (unsigned)((n - 1 - i) * apart)                // or from the last to the first
                 : shape == 3 ? 0x12345678u                                    // all equal
                 : shape == 4 ? (x >> 63 ? 0x7f4a7c15u : 0xc0ffee11u)          // two values, which differ in each digit
                 : shape == 5 ? (unsigned)(i < n / 2 ? i : n - 1 - i)          // up and down again
                 : shape == 6 ? (unsigned)exp2(20 * share)                     // as often as their reciprocal
                 : shape == 7 ? (unsigned)x & 0x00ffffffu                      // one digit is the same, the highest;
                 : shape == 8 ? ((unsigned)x & 0xffff00ffu) | 0x5a00u          // or one in the middle
                              : (unsigned)hash(i / 64);                        // runs of 64
    }
}

// What reading two arrays takes, and no more: a block has 4,096 neighbouring elements, a thread eight loads of 16 bytes under way.
// The sum is stored where it is one that these values do not have.
extern "C" __global__ void read_two(const float4* a, const float4* b, u64 n, unsigned) {
    float sum = 0;
    float4 x[4], y[4];
    for (unsigned k = 0; k < 4; k++) {
        const u64 at = (u64)blockIdx.x * 1024 + k * 256 + threadIdx.x;
        if (at < n / 4) x[k] = a[at], y[k] = b[at];
    }
    for (unsigned k = 0; k < 4; k++) {
        const u64 at = (u64)blockIdx.x * 1024 + k * 256 + threadIdx.x;
        if (at < n / 4) sum += x[k].x * y[k].x + x[k].y * y[k].y + x[k].z * y[k].z + x[k].w * y[k].w;
    }
    if (sum == -1.5f) ((float*)a)[0] = sum;
}

// What reading one array takes, and no more: a block has 8,192 neighbouring elements, a thread eight loads of 16 bytes under way.
extern "C" __global__ void read_one(const float4* a, float* b, u64 n, unsigned) {
    float sum = 0;
    float4 x[8];
    for (unsigned k = 0; k < 8; k++) {
        const u64 at = (u64)blockIdx.x * 2048 + k * 256 + threadIdx.x;
        if (at < n / 4) x[k] = a[at];
    }
    for (unsigned k = 0; k < 8; k++) {
        const u64 at = (u64)blockIdx.x * 2048 + k * 256 + threadIdx.x;
        if (at < n / 4) sum += x[k].x + x[k].y + x[k].z + x[k].w;
    }
    if (sum == -0.5f) b[0] = sum;
}

// b = a transposed, by a plain gather: a block has 1,024 neighbouring results.
extern "C" __global__ void transpose(const float* a, float* b, u64 n, unsigned log2n) {
    for (unsigned k = 0; k < 4; k++) {
        const u64 i = (u64)blockIdx.x * 1024 + k * 256 + threadIdx.x;
        if (i < n) b[i] = a[(i << log2n / 2 | i >> log2n / 2) & (n - 1)];
    }
}
