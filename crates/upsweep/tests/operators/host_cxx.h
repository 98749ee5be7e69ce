// CUDA's own functions, for host_cxx.rs.
#include <bit>
#include <cmath>

#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
inline float __fdiv_rn(float a, float b) { return a / b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero((unsigned)x); }
inline int __clzll(long long x) { return std::countl_zero((unsigned long long)x); }
inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long r = 0;
  for (int i = 0; i < 64; ++i) r |= (x >> i & 1) << (63 - i);
  return r;
}
inline unsigned __brev(unsigned x) { return unsigned(__brevll(x) >> 32); }

// PTX
ARITH f32 f16_to_f32(u16 bits) { return f32(__builtin_bit_cast(_Float16, bits)); }
ARITH u16 f32_to_f16(f32 x) { return __builtin_bit_cast(u16, _Float16(x)); }
ARITH f32 magnitude(f32 x) { return std::fabs(x); }
ARITH f64 magnitude(f64 x) { return std::fabs(x); }
ARITH i32 least(i32 a, i32 b) { return b < a ? b : a; }
ARITH i32 most(i32 a, i32 b) { return b > a ? b : a; }
template <class T> ARITH T least(T a, T b) {
  return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T> ARITH T most(T a, T b) {
  return a != a ? b : b != b ? a : a > b || (a == b && !std::signbit(a)) ? a : b;
}
ARITH f32 least_or_nan(f32 a, f32 b) { return a != a ? a : b != b ? b : least(a, b); }
ARITH f32 most_or_nan(f32 a, f32 b) { return a != a ? a : b != b ? b : most(a, b); }
