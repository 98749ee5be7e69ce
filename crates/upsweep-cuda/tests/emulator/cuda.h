// CUDA C++'s names for threads, memory and a few instructions, for emulated kernels. Those that arith.cuh needs are in
// upsweep/tests/operators/host_cxx.h.

#define __host__
#define __global__
#define __launch_bounds__(...)
#define __grid_constant__
#define threadIdx (emulator::current->index)
#define blockIdx (emulator::Thread::Index{emulator::current->warp->block->index})
#define gridDim (emulator::grid_size)
#define blockDim (emulator::block_size)

struct alignas(16) uint4 { u32 x, y, z, w; };
struct alignas(8) uint2 { u32 x, y; };

template <class A, class B> constexpr auto min(A a, B b) -> decltype(a + b) { return a < b ? a : b; }
template <class A, class B> constexpr auto max(A a, B b) -> decltype(a + b) { return a > b ? a : b; }
inline int __ffs(u32 x) { return __builtin_ffs((int)x); }
inline int __ffsll(u64 x) { return __builtin_ffsll((i64)x); }
inline u64 __umul64hi(u64 a, u64 b) { return (u64)((u128)a * b >> 64); }
inline u32 __umulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
inline u32 __funnelshift_r(u32 low, u32 high, u32 by) { return (u32)(((u64)high << 32 | low) >> by % 32); }
inline u32 __funnelshift_l(u32 low, u32 high, u32 by) { return (u32)(((u64)high << 32 | low) << by % 32 >> 32); }
inline float __fdividef(float a, float b) { return a / b; }
inline i64 __double_as_longlong(f64 x) { return __builtin_bit_cast(i64, x); }
inline f64 __longlong_as_double(i64 x) { return __builtin_bit_cast(f64, x); }
template <class X> X __ldcs(const X* from) { return *from; }
template <class X> void __stwb(X* to, X x) { *to = x; }
inline u32 __byte_perm(u32 a, u32 b, u32 selector) {
    const u64 bytes = (u64)b << 32 | a;
    u32 r = 0;
    for (u32 i = 0; i < 4; i++) r |= (u32)(u8)(bytes >> (selector >> 4 * i & 7) * 8) << 8 * i;
    return r;
}
// Sums of products of bytes, and of the low two bytes with halves.
inline u32 __dp4a(u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < 32; i += 8) c += (u8)(a >> i) * (u8)(b >> i);
    return c;
}
inline int __dp4a(int a, int b, int c) {
    for (u32 i = 0; i < 32; i += 8) c += (i8)(a >> i) * (i8)(b >> i);
    return c;
}
inline u32 __dp2a_lo(u32 a, u32 b, u32 c) { return (u16)a * (u8)b + (u16)(a >> 16) * (u8)(b >> 8) + c; }
inline int __dp2a_lo(int a, int b, int c) { return (i16)a * (i8)b + (i16)(a >> 16) * (i8)(b >> 8) + c; }

inline void __syncthreads() { emulator::arrive(0, blockDim.x, true); }
inline void __syncwarp() { emulator::meet("__syncwarp", 0, true); }
inline void __threadfence() {}
inline void __nanosleep(u32) { emulator::sleep(); }
inline u32 __shfl_sync(u32, u32 value, u32 lane) { return (u32)emulator::meet("a shuffle", value)[lane % 32]; }
inline u32 __shfl_up_sync(u32, u32 value, u32 distance) {
    const u32 lane = threadIdx.x % 32;
    return (u32)emulator::meet("a shuffle up", value)[lane < distance ? lane : lane - distance];
}
inline u32 __shfl_down_sync(u32, u32 value, u32 distance) {
    const u32 lane = threadIdx.x % 32;
    return (u32)emulator::meet("a shuffle down", value)[lane + distance < 32 ? lane + distance : lane];
}
inline u32 __ballot_sync(u32, bool bit) {
    const u64* const bits = emulator::meet("a ballot", bit);
    u32 r = 0;
    for (u32 i = 0; i < 32; i++) r |= (u32)bits[i] << i;
    return r;
}
inline bool __any_sync(u32 mask, bool bit) { return __ballot_sync(mask, bit) != 0; }

// Two atomics are no race; an atomic and a store are.
template <class A, class B> UNSEEN A atomicAdd(A* at, B value) {
    emulator::look_at_access(at, sizeof(A), false);
    const A old = *at;
    *at = old + value;
    return old;
}
template <class A, class B> UNSEEN A atomicOr(A* at, B value) {
    emulator::look_at_access(at, sizeof(A), false);
    const A old = *at;
    *at = old | value;
    return old;
}
template <class A, class B> UNSEEN A atomicMax(A* at, B value) {
    emulator::look_at_access(at, sizeof(A), false);
    const A old = *at;
    if (old < (A)value) *at = value;
    return old;
}
template <class A, class B> UNSEEN A atomicMin(A* at, B value) {
    emulator::look_at_access(at, sizeof(A), false);
    const A old = *at;
    if ((A)value < old) *at = value;
    return old;
}
template <class A, class B> UNSEEN A atomicExch(A* at, B value) {
    emulator::look_at_access(at, sizeof(A), false);
    const A old = *at;
    *at = value;
    return old;
}
template <class A, class B, class C> UNSEEN A atomicCAS(A* at, B expected, C value) {
    emulator::look_at_access(at, sizeof(A), false);
    const A old = *at;
    if (old == (A)expected) *at = value;
    return old;
}
