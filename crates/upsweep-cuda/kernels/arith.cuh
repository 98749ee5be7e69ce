// Arithmetic of operators on the GPU: the twins of the functions in upsweep-core/src/operator/arith, with the same
// bits. Integers wrap whatever their width (C++'s promotion to int never shows), nothing is undefined, floats round to
// nearest even after each operation. Needs C++20, --fmad=false and --device-int128.

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef __int128 i128;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef float f32;
typedef double f64;

// 16-bit floats, stored as their bits. Their arithmetic converts to f32 and back, or uses instructions that give the
// same bits.
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};

#define ARITH __device__ __forceinline__

namespace arith {
template <class A, class B> constexpr bool same_type = false;
template <class A> constexpr bool same_type<A, A> = true;

// Properties of the type of a number. `unsigned_t` is the unsigned type with the same number of bits. `wide_t` is the
// type that operations are computed in: of integers an unsigned type of at least 32 bits, which C++ does not promote to
// int; of floats f32 or f64.
struct no_number {
  static constexpr bool is_integer = false, is_signed = false, is_float = false;
};
template <class T> struct number : no_number {};
#define ARITH_INTEGER(T, U, WIDE, BITS, SIGNED)                                    \
  template <> struct number<T> {                                                   \
    static constexpr bool is_integer = true, is_signed = SIGNED, is_float = false; \
    static constexpr u32 bits = BITS;                                              \
    typedef U unsigned_t;                                                          \
    typedef WIDE wide_t;                                                           \
    static constexpr T max = T(U(~U(0)) >> (SIGNED ? 1 : 0));                      \
    static constexpr T min = T(SIGNED ? ~max : 0);                                 \
  };
ARITH_INTEGER(i8, u8, u32, 8, true)
ARITH_INTEGER(i16, u16, u32, 16, true)
ARITH_INTEGER(i32, u32, u32, 32, true)
ARITH_INTEGER(i64, u64, u64, 64, true)
ARITH_INTEGER(i128, u128, u128, 128, true)
ARITH_INTEGER(u8, u8, u32, 8, false)
ARITH_INTEGER(u16, u16, u32, 16, false)
ARITH_INTEGER(u32, u32, u32, 32, false)
ARITH_INTEGER(u64, u64, u64, 64, false)
ARITH_INTEGER(u128, u128, u128, 128, false)
#define ARITH_FLOAT(T, BITS, WIDE, NAN_BITS, INFINITY_BITS)                                             \
  template <> struct number<T> {                                                         \
    static constexpr bool is_integer = false, is_signed = true, is_float = true;         \
    typedef BITS bits_t;                                                                 \
    typedef WIDE wide_t;                                                                 \
    static constexpr BITS nan = NAN_BITS, infinity = INFINITY_BITS, sign = BITS(BITS(1) << (8 * sizeof(BITS) - 1)); \
  };
ARITH_FLOAT(f16, u16, f32, 0x7e00u, 0x7c00u)
ARITH_FLOAT(bf16, u16, f32, 0x7fc0u, 0x7f80u)
ARITH_FLOAT(f32, u32, f32, 0x7fc00000u, 0x7f800000u)
ARITH_FLOAT(f64, u64, f64, 0x7ff8000000000000ull, 0x7ff0000000000000ull)

template <class T> concept integer = number<T>::is_integer;
template <class T> concept signed_integer = number<T>::is_integer && number<T>::is_signed;
template <class T> concept unsigned_integer = number<T>::is_integer && !number<T>::is_signed;
template <class T> concept floating = number<T>::is_float;
template <class T> concept half = same_type<T, f16> || same_type<T, bf16>;
template <class T> concept full = same_type<T, f32> || same_type<T, f64>;
template <class T> concept scalar = integer<T> || floating<T> || same_type<T, bool>;

}  // namespace arith

// Literals without a suffix, of an integer and of a float: they take the type of the other operand.
struct int_lit {
  u128 value;
  ARITH constexpr int_lit(u64 low) : value(low) {}
  ARITH constexpr int_lit(u64 high, u64 low) : value(u128(high) << 64 | low) {}
  template <arith::integer T> ARITH constexpr operator T() const { return T(value); }
};
struct float_lit {
  u64 wide;
  u32 narrow;
  ARITH constexpr float_lit(u64 wide, u32 narrow) : wide(wide), narrow(narrow) {}
  ARITH constexpr operator f32() const { return __builtin_bit_cast(f32, narrow); }
  ARITH constexpr operator f64() const { return __builtin_bit_cast(f64, wide); }
};
namespace arith {
template <class T> constexpr bool is_lit = same_type<T, int_lit> || same_type<T, float_lit>;
}

template <class T> struct bare_ { typedef T type; };
template <class T> struct bare_<T &> { typedef T type; };
template <class T> struct bare_<T &&> { typedef T type; };
template <class T> struct bare_<const T> { typedef T type; };
template <class T> struct bare_<const T &> { typedef T type; };
template <class T> using bare_t = typename bare_<T>::type;

// Type that an operation on an A and a B is computed in: the type of both, or the type of one if the other is a literal
// without a suffix. For other pairs there is none.
template <class A, class B> struct common_ {};
template <class A> struct common_<A, A> { typedef A type; };
template <class A> requires(!arith::is_lit<A>) struct common_<A, int_lit> { typedef A type; };
template <class A> requires(!arith::is_lit<A>) struct common_<A, float_lit> { typedef A type; };
template <class A> requires(!arith::is_lit<A>) struct common_<int_lit, A> { typedef A type; };
template <class A> requires(!arith::is_lit<A>) struct common_<float_lit, A> { typedef A type; };
template <class A, class B> using common_t = typename common_<A, B>::type;

namespace arith {

// PTX: begin. The instructions that C++ has no name for. cvt.rn.bf16.f32 and max.NaN.f32 need sm_80.
ARITH f32 f16_to_f32(u16 bits) {
  f32 x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
ARITH u16 f32_to_f16(f32 x) {
  u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
ARITH i32 least(i32 a, i32 b) {
  i32 r;
  asm("min.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
ARITH i32 most(i32 a, i32 b) {
  i32 r;
  asm("max.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
// Absolute value of a float by an instruction, not by a mask of bits: the compiler can make it a modifier of another
// instruction's operand, which it cannot do with a mask.
ARITH f32 magnitude(f32 x) {
  f32 r;
  asm("abs.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
ARITH f64 magnitude(f64 x) {
  f64 r;
  asm("abs.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
}
ARITH f32 least(f32 a, f32 b) {
  f32 r;
  asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
ARITH f32 most(f32 a, f32 b) {
  f32 r;
  asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
ARITH f64 least(f64 a, f64 b) {
  f64 r;
  asm("min.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}
ARITH f64 most(f64 a, f64 b) {
  f64 r;
  asm("max.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}
#if __CUDA_ARCH__ >= 800
ARITH f32 least_or_nan(f32 a, f32 b) {
  f32 r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
ARITH f32 most_or_nan(f32 a, f32 b) {
  f32 r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#else
ARITH f32 least_or_nan(f32 a, f32 b) { return a != a ? a : b != b ? b : least(a, b); }
ARITH f32 most_or_nan(f32 a, f32 b) { return a != a ? a : b != b ? b : most(a, b); }
#endif
#if __CUDA_ARCH__ >= 800
// Sums and extremes of 16-bit floats in one instruction. The exact sum of two, rounded to f32 and then to 16 bits, is the
// float next to it, because 24 bits are at least 2 * 11 + 2 (Figueroa, "When is Double Rounding Innocuous?", 1995): the
// way by f32 gives the same bits. Products of bf16 can be subnormal as f32, so they go that way.
#define ARITH_HALF_INSTRUCTIONS
#define ARITH_HALF_BINARY(name, instruction)                                      \
  ARITH u16 name(u16 a, u16 b) {                                                  \
    u16 r;                                                                        \
    asm(instruction " %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));                   \
    return r;                                                                     \
  }
ARITH_HALF_BINARY(f16_sum, "add.rn.f16")
ARITH_HALF_BINARY(f16_least_or_nan, "min.NaN.f16")
ARITH_HALF_BINARY(f16_most_or_nan, "max.NaN.f16")
ARITH_HALF_BINARY(bf16_least_or_nan, "min.NaN.bf16")
ARITH_HALF_BINARY(bf16_most_or_nan, "max.NaN.bf16")
#if __CUDA_ARCH__ >= 900
ARITH_HALF_BINARY(bf16_sum, "add.rn.bf16")
#else
ARITH u16 bf16_sum(u16 a, u16 b) {
  u16 r;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(u16(0x3f80)), "h"(b));
  return r;
}
#endif
ARITH u16 f32_to_bf16(f32 x) {
  u16 bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#endif
// PTX: end

// Conversions of floats to their bits and back, with no special case for NaN.
ARITH u32 raw_bits(f32 x) { return __builtin_bit_cast(u32, x); }
ARITH u64 raw_bits(f64 x) { return __builtin_bit_cast(u64, x); }
template <half T> ARITH u16 raw_bits(T x) { return x.bits; }
template <floating T> ARITH T from_bits(typename number<T>::bits_t bits) { return __builtin_bit_cast(T, bits); }

// Conversions of f16 and bf16 to f32 (`widen`) and back (`narrow`); f32 and f64 stay as they are.
ARITH f32 widen(f16 x) { return f16_to_f32(x.bits); }
ARITH f32 widen(bf16 x) { return from_bits<f32>(u32(x.bits) << 16); }
template <full T> ARITH T widen(T x) { return x; }
template <full T> ARITH T narrow(T x) { return x; }
template <half T> ARITH T narrow(f32 x) {
  if constexpr (same_type<T, f16>) return f16{f32_to_f16(x)};
#ifdef ARITH_HALF_INSTRUCTIONS
  if constexpr (same_type<T, bf16>) return bf16{f32_to_bf16(x)};
#endif
  u32 bits = raw_bits(x);
  u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return T{u16(x != x ? 0x7fc0u : rounded)};
}
template <half T> ARITH T from_f32(f32 x) { return narrow<T>(x); }
template <half T> ARITH f32 to_f32(T x) { return widen(x); }
template <half T> ARITH f64 to_f64(T x) { return widen(x); }

// Sums, differences and extremes of floats. least_or_nan and most_or_nan, which return NaN if an operand is NaN, are
// the `minimum` and `maximum` of floats.
template <floating T> ARITH T sum(T a, T b) { return narrow<T>(widen(a) + widen(b)); }
template <floating T> ARITH T difference(T a, T b) {
  if constexpr (half<T>) return sum(a, T{u16(b.bits ^ 0x8000u)});
  else return a - b;
}
template <half T> ARITH T least_or_nan(T a, T b) { return narrow<T>(least_or_nan(widen(a), widen(b))); }
template <half T> ARITH T most_or_nan(T a, T b) { return narrow<T>(most_or_nan(widen(a), widen(b))); }
#ifdef ARITH_HALF_INSTRUCTIONS
#define ARITH_HALF(name)                                                          \
  ARITH f16 name(f16 a, f16 b) { return f16{f16_##name(a.bits, b.bits)}; }        \
  ARITH bf16 name(bf16 a, bf16 b) { return bf16{bf16_##name(a.bits, b.bits)}; }
ARITH_HALF(sum)
ARITH_HALF(least_or_nan)
ARITH_HALF(most_or_nan)
#endif
ARITH f64 least_or_nan(f64 a, f64 b) { return a != a ? a : b != b ? b : least(a, b); }
ARITH f64 most_or_nan(f64 a, f64 b) { return a != a ? a : b != b ? b : most(a, b); }

template <floating T> ARITH bool is_nan(T x) { return widen(x) != widen(x); }
// Returns `x`, with every NaN in it replaced by the one NaN of its type. Compares bits: a compiler may take `x != x ?
// nan : x` for `x`, because all NaN are one to it.
template <class T> ARITH T canonical(T x) {
  if constexpr (floating<T>) {
    typedef typename number<T>::bits_t B;
    const B bits = raw_bits(x);
    return from_bits<T>(B(bits & B(~number<T>::sign)) > number<T>::infinity ? number<T>::nan : bits);
  }
  else if constexpr (scalar<T>) return x;
  else return canonical_fields(x);
}
template <floating T> ARITH auto to_bits(T x) { return raw_bits(canonical(x)); }

// Zeroes the bytes between the fields of a value in memory, which an assignment leaves unchanged.
template <class T> ARITH void clear_padding(T *to) {
  if constexpr (!scalar<T>) clear_between_fields(to);
}
ARITH void clear_bytes(void *from, u64 count) {
  for (u64 i = 0; i < count; ++i) ((u8 *)from)[i] = 0;
}

// Defines a function of an A and a B. It is computed in the type of both, or, if one is a literal without a suffix, in
// the type of the other.
#define ARITH_BINARY(name, ...)                                  \
  template <class A, class B> ARITH auto name(A left, B right) { \
    typedef common_t<A, B> T;                                    \
    const T a = left, b = right;                                 \
    __VA_ARGS__                                                  \
  }
#define ARITH_WIDE(op, of_floats)                                                        \
  if constexpr (integer<T>) {                                                            \
    typedef typename number<T>::wide_t W;                                                \
    return T(W(a) op W(b));                                                              \
  } else {                                                                               \
    return of_floats;                                                                    \
  }
ARITH_BINARY(add, ARITH_WIDE(+, sum(a, b)))
ARITH_BINARY(sub, ARITH_WIDE(-, difference(a, b)))
ARITH_BINARY(mul, ARITH_WIDE(*, narrow<T>(widen(a) * widen(b))))
ARITH f32 divide(f32 a, f32 b) { return __fdiv_rn(a, b); }
ARITH f64 divide(f64 a, f64 b) { return __ddiv_rn(a, b); }
ARITH f32 modulo(f32 a, f32 b) { return fmodf(a, b); }
ARITH f64 modulo(f64 a, f64 b) { return fmod(a, b); }
ARITH_BINARY(div,
  if constexpr (integer<T>) {
    typedef typename number<T>::wide_t W;
    if (b == 0) return T(0);
    if constexpr (signed_integer<T>) if (b == -1) return T(W(0) - W(a));
    return T(a / b);
  } else {
    return narrow<T>(divide(widen(a), widen(b)));
  })
ARITH_BINARY(rem,
  if constexpr (integer<T>) {
    if (b == 0) return a;
    if constexpr (signed_integer<T>) if (b == -1) return T(0);
    return T(a % b);
  } else {
    return narrow<T>(modulo(widen(a), widen(b)));
  })
#define ARITH_LOGIC(name, op)                                                            \
  ARITH_BINARY(name,                                                                     \
    if constexpr (same_type<T, bool>) return bool(u32(a) op u32(b));                     \
    else return T(typename number<T>::wide_t(a) op typename number<T>::wide_t(b));)
ARITH_LOGIC(bit_and, &)
ARITH_LOGIC(bit_or, |)
ARITH_LOGIC(bit_xor, ^)
template <integer T> ARITH T bit_not(T x) { return T(~typename number<T>::wide_t(x)); }
ARITH bool bit_not(bool x) { return !x; }
template <integer T> ARITH T neg(T x) { return T(typename number<T>::wide_t(0) - typename number<T>::wide_t(x)); }
template <floating T> ARITH T neg(T x) { return from_bits<T>(raw_bits(x) ^ number<T>::sign); }

// Shifts. The distance is taken modulo the number of bits of `x`; `low_u32` returns its lowest 32 bits.
template <class R> ARITH u32 low_u32(R n) { return u32(n); }
template <integer T, class R> ARITH T shl(T x, R n) {
  return T(typename number<T>::wide_t(x) << (low_u32(n) & (number<T>::bits - 1)));
}
template <integer T, class R> ARITH T shr(T x, R n) { return T(x >> (low_u32(n) & (number<T>::bits - 1))); }

#define ARITH_COMPARE(name, op)                                                          \
  ARITH_BINARY(name, if constexpr (floating<T>) return widen(a) op widen(b); else return a op b;)
ARITH_COMPARE(lt, <)
ARITH_COMPARE(le, <=)
ARITH_COMPARE(gt, >)
ARITH_COMPARE(ge, >=)
ARITH_BINARY(eq,
  if constexpr (floating<T>) return widen(a) == widen(b);
  else if constexpr (scalar<T>) return a == b;
  else return eq_fields(a, b);)
ARITH_BINARY(ne, return !eq(a, b);)

// Integers of one or two bytes are compared in 32 bits: one instruction, instead of three for a comparison in 16 bits.
template <integer T> ARITH T smaller(T a, T b) {
  if constexpr (sizeof(T) <= 2) return T(least(i32(a), i32(b)));
  else return b < a ? b : a;
}
template <integer T> ARITH T larger(T a, T b) {
  if constexpr (sizeof(T) <= 2) return T(most(i32(a), i32(b)));
  else return b > a ? b : a;
}
ARITH_BINARY(min, if constexpr (floating<T>) return narrow<T>(least(widen(a), widen(b))); else return smaller(a, b);)
ARITH_BINARY(max, if constexpr (floating<T>) return narrow<T>(most(widen(a), widen(b))); else return larger(a, b);)
ARITH_BINARY(minimum, if constexpr (floating<T>) return least_or_nan(a, b); else return smaller(a, b);)
ARITH_BINARY(maximum, if constexpr (floating<T>) return most_or_nan(a, b); else return larger(a, b);)
template <class X, class L, class H> ARITH auto clamp(X x, L low, H high) {
  typedef common_t<X, L> T0;
  if constexpr (is_lit<T0>) {
    return clamp(H(x), H(low), high);
  } else {
    T0 value = x, least = low, most = high;
    value = lt(value, least) ? least : value;
    return gt(value, most) ? most : value;
  }
}

// Functions of integers, with the names of Rust's methods.
template <class A, class B> ARITH auto wrapping_add(A a, B b) { return add(a, b); }
template <class A, class B> ARITH auto wrapping_sub(A a, B b) { return sub(a, b); }
template <class A, class B> ARITH auto wrapping_mul(A a, B b) { return mul(a, b); }
template <class A, class B> ARITH auto wrapping_div(A a, B b) { return div(a, b); }
template <class A, class B> ARITH auto wrapping_rem(A a, B b) { return rem(a, b); }
template <integer T> ARITH T wrapping_neg(T x) { return neg(x); }
template <integer T> ARITH T wrapping_shl(T x, u32 n) { return shl(x, n); }
template <integer T> ARITH T wrapping_shr(T x, u32 n) { return shr(x, n); }
template <integer T> ARITH T abs(T x) { return x < 0 ? neg(x) : x; }
template <half T> ARITH T abs(T x) { return from_bits<T>(raw_bits(x) & ~number<T>::sign); }
ARITH f32 abs(f32 x) { return magnitude(x); }
ARITH f64 abs(f64 x) { return magnitude(x); }
template <integer T> ARITH T wrapping_abs(T x) { return abs(x); }
template <integer T> ARITH T pow(T x, u32 n) {
  T result = 1;
  for (; n != 0; n >>= 1) {
    if (n & 1) result = mul(result, x);
    x = mul(x, x);
  }
  return result;
}
template <integer T> ARITH T wrapping_pow(T x, u32 n) { return pow(x, n); }
ARITH_BINARY(saturating_add,
  const T sum = add(a, b);
  if constexpr (signed_integer<T>) return (b < 0) != (sum < a) ? (b < 0 ? number<T>::min : number<T>::max) : sum;
  else return sum < a ? number<T>::max : sum;)
ARITH_BINARY(saturating_sub,
  const T difference = sub(a, b);
  if constexpr (signed_integer<T>) return (b < 0) != (difference > a) ? (b < 0 ? number<T>::max : number<T>::min) : difference;
  else return a < b ? T(0) : difference;)
ARITH_BINARY(abs_diff, return typename number<T>::unsigned_t(a < b ? sub(b, a) : sub(a, b));)
ARITH_BINARY(rem_euclid,
  const T r = rem(a, b);
  if constexpr (signed_integer<T>) return b != 0 && r < 0 ? (b < 0 ? sub(r, b) : add(r, b)) : r;
  else if constexpr (integer<T>) return r;
  else {
    const auto remainder = modulo(widen(a), widen(b));
    return narrow<T>(remainder < 0 ? remainder + abs(widen(b)) : remainder);
  })
ARITH_BINARY(div_euclid,
  const T q = div(a, b);
  if constexpr (signed_integer<T>) return b != 0 && rem(a, b) < 0 ? (b > 0 ? sub(q, T(1)) : add(q, T(1))) : q;
  else if constexpr (integer<T>) return q;
  else {
    const auto x = widen(a), y = widen(b);
    const auto quotient = same_type<T, f64> ? ::trunc(divide(x, y)) : ::truncf(divide(x, y));
    return narrow<T>(modulo(x, y) < 0 ? (y > 0 ? quotient - 1 : quotient + 1) : quotient);
  })
template <integer T> ARITH T rotate_left(T x, u32 n) {
  typedef typename number<T>::unsigned_t U;
  return T(bit_or(shl(U(x), n), shr(U(x), 0u - n)));
}
template <integer T> ARITH T rotate_right(T x, u32 n) { return rotate_left(x, 0u - n); }
template <integer T> ARITH u32 count_ones(T x) {
  typedef typename number<T>::unsigned_t U;
  if constexpr (sizeof(T) <= 4) return u32(__popc(U(x)));
  else if constexpr (sizeof(T) == 8) return u32(__popcll(U(x)));
  else return u32(__popcll(u64(x)) + __popcll(u64(U(x) >> 64)));
}
template <integer T> ARITH u32 leading_zeros(T x) {
  typedef typename number<T>::unsigned_t U;
  if constexpr (sizeof(T) <= 4) return u32(__clz(int(U(x)))) - (32 - number<T>::bits);
  else if constexpr (sizeof(T) == 8) return u32(__clzll(i64(x)));
  else return U(x) >> 64 ? u32(__clzll(i64(U(x) >> 64))) : 64u + u32(__clzll(i64(x)));
}
template <integer T> ARITH T reverse_bits(T x) {
  typedef typename number<T>::unsigned_t U;
  if constexpr (sizeof(T) <= 4) return T(__brev(U(x)) >> (32 - number<T>::bits));
  else if constexpr (sizeof(T) == 8) return T(__brevll(U(x)));
  else return T(U(__brevll(u64(x))) << 64 | __brevll(u64(U(x) >> 64)));
}
template <integer T> ARITH T swap_bytes(T x) {
  typedef typename number<T>::unsigned_t U;
  U from = U(x), to = 0;
  for (u32 i = 0; i < sizeof(T); ++i) {
    to = U(shl(to, 8u) | (from & U(0xff)));
    from = shr(from, 8u);
  }
  return T(sizeof(T) == 1 ? x : T(to));
}
template <integer T> ARITH u32 count_zeros(T x) { return number<T>::bits - count_ones(x); }
template <integer T> ARITH u32 trailing_zeros(T x) { return leading_zeros(reverse_bits(x)); }
template <integer T> ARITH u32 leading_ones(T x) { return leading_zeros(bit_not(x)); }
template <integer T> ARITH u32 trailing_ones(T x) { return trailing_zeros(bit_not(x)); }
template <integer T> ARITH bool is_power_of_two(T x) { return count_ones(x) == 1; }

// Functions of floats, with the names of Rust's methods.
template <floating T> ARITH bool is_finite(T x) { return widen(x) - widen(x) == 0; }
template <floating T> ARITH bool is_infinite(T x) { return !is_nan(x) && !is_finite(x); }
template <floating T> ARITH bool is_sign_negative(T x) { return to_bits(x) & number<T>::sign; }
template <floating T> ARITH bool is_sign_positive(T x) { return !is_sign_negative(x); }
ARITH_BINARY(copysign,
  return from_bits<T>((raw_bits(a) & ~number<T>::sign) | (to_bits(b) & number<T>::sign));)
template <floating T> ARITH T signum(T x) { return is_nan(x) ? x : copysign(narrow<T>(typename number<T>::wide_t(1)), x); }
template <integer T> ARITH T signum(T x) { return x < 0 ? T(-1) : T(x > 0); }
#define ARITH_ROUNDING(name)                                                 \
  ARITH f32 name##_wide(f32 x) { return ::name##f(x); }                      \
  ARITH f64 name##_wide(f64 x) { return ::name(x); }                         \
  template <floating T> ARITH T name(T x) { return narrow<T>(name##_wide(widen(x))); }
ARITH_ROUNDING(floor)
ARITH_ROUNDING(ceil)
ARITH_ROUNDING(trunc)
ARITH_ROUNDING(round)
ARITH f32 sqrt_wide(f32 x) { return __fsqrt_rn(x); }
ARITH f64 sqrt_wide(f64 x) { return __dsqrt_rn(x); }
template <floating T> ARITH T sqrt(T x) { return narrow<T>(sqrt_wide(widen(x))); }
template <floating T> ARITH T fract(T x) { return narrow<T>(widen(x) - trunc_wide(widen(x))); }
template <floating T> ARITH T recip(T x) { return narrow<T>(divide(typename number<T>::wide_t(1), widen(x))); }
ARITH f32 fused(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
ARITH f64 fused(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
template <class A, class B, class C> ARITH auto mul_add(A x, B factor, C addend) {
  typedef common_t<common_t<A, B>, C> T;
  return narrow<T>(fused(widen(T(x)), widen(T(factor)), widen(T(addend))));
}

// Accesses an element of an array. A computed index past the end takes the last element.
template <class A> ARITH decltype(auto) at(u64 index, A &array) { return array.at[index < A::count ? index : A::count - 1]; }
template <class A> ARITH auto at(u64 index, A &&array) { return array.at[index < A::count ? index : A::count - 1]; }
}  // namespace arith

template <class T, u64 N> struct Array {
  static constexpr u64 count = N;
  T at[N];
  ARITH friend bool eq_fields(const Array &a, const Array &b) {
    bool equal = true;
    for (u64 i = 0; i < N; ++i) equal = equal && arith::eq(a.at[i], b.at[i]);
    return equal;
  }
  ARITH friend Array canonical_fields(Array x) {
    for (u64 i = 0; i < N; ++i) x.at[i] = arith::canonical(x.at[i]);
    return x;
  }
  ARITH friend void clear_between_fields(Array *to) {
    for (u64 i = 0; i < N; ++i) arith::clear_padding(&to->at[i]);
  }
};

// Tuples. The tuple types that Rust and the GPU exchange have specialisations with Rust's own layout. The ones here
// serve inside a function.
template <class... T> struct Tuple;
#define ARITH_LIST2(X) X(0), X(1)
#define ARITH_LIST3(X) X(0), X(1), X(2)
#define ARITH_LIST4(X) X(0), X(1), X(2), X(3)
#define ARITH_LIST5(X) X(0), X(1), X(2), X(3), X(4)
#define ARITH_LIST6(X) X(0), X(1), X(2), X(3), X(4), X(5)
#define ARITH_LIST7(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6)
#define ARITH_LIST8(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)
#define ARITH_EACH2(X) X(0) X(1)
#define ARITH_EACH3(X) X(0) X(1) X(2)
#define ARITH_EACH4(X) X(0) X(1) X(2) X(3)
#define ARITH_EACH5(X) X(0) X(1) X(2) X(3) X(4)
#define ARITH_EACH6(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define ARITH_EACH7(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6)
#define ARITH_EACH8(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define ARITH_CLASS(i) class T##i
#define ARITH_TYPE(i) T##i
#define ARITH_MEMBER(i) T##i f##i;
#define ARITH_PARAMETER(i) T##i x##i
#define ARITH_ASSIGN(i) r.f##i = x##i;
#define ARITH_SAME(i) &&arith::eq(a.f##i, b.f##i)
#define ARITH_TUPLE(n)                                                                                          \
  template <ARITH_LIST##n(ARITH_CLASS)> struct Tuple<ARITH_LIST##n(ARITH_TYPE)> {                               \
    ARITH_EACH##n(ARITH_MEMBER)                                                                                 \
    ARITH friend bool eq_fields(const Tuple &a, const Tuple &b) { return true ARITH_EACH##n(ARITH_SAME); }      \
  };                                                                                                            \
  namespace arith {                                                                                             \
  template <ARITH_LIST##n(ARITH_CLASS)>                                                                         \
  ARITH Tuple<ARITH_LIST##n(ARITH_TYPE)> tuple_of(ARITH_LIST##n(ARITH_PARAMETER)) {                             \
    Tuple<ARITH_LIST##n(ARITH_TYPE)> r;                                                                         \
    ARITH_EACH##n(ARITH_ASSIGN)                                                                                 \
    return r;                                                                                                   \
  }                                                                                                             \
  }
ARITH_TUPLE(2)
ARITH_TUPLE(3)
ARITH_TUPLE(4)
ARITH_TUPLE(5)
ARITH_TUPLE(6)
ARITH_TUPLE(7)
ARITH_TUPLE(8)

namespace arith {
template <class T, class... X> ARITH auto array_of(X... x) { return Array<T, sizeof...(X)>{{T(x)...}}; }
template <u64 N, class T> ARITH auto repeat(T x) {
  Array<T, N> r;
  for (u64 i = 0; i < N; ++i) r.at[i] = x;
  return r;
}

// Returns the float nearest to a 128-bit integer: the highest 64 bits, with the lower ones combined into one sticky
// bit, are rounded once.
template <full F> ARITH F u128_to_float(u128 x) {
  if (!(x >> 64)) return F(u64(x));
  const u32 shift = 64 - leading_zeros(x);
  const u64 high = u64(x >> shift) | u64((x & ((u128(1) << shift) - 1)) != 0);
  const F scale = same_type<F, f32> ? F(from_bits<f32>((127u + shift) << 23)) : F(from_bits<f64>(u64(1023u + shift) << 52));
  return F(high) * scale;
}
// Returns `x` rounded towards 0; `x` is not negative and less than 2^128.
ARITH u128 f64_to_u128(f64 x) {
  const u64 bits = raw_bits(x), fraction = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  const i32 exponent = i32(bits >> 52) - 1023;
  if (exponent < 0) return 0;
  return exponent <= 52 ? u128(fraction >> (52 - exponent)) : u128(fraction) << (exponent - 52);
}
#ifdef __CUDA_ARCH__
// Converts a float to an integer, rounded towards 0 and saturated: the instructions stop at the ends of the integer's
// range by themselves.
ARITH i32 stopped(f32 x, i32) { return __float2int_rz(x); }
ARITH u32 stopped(f32 x, u32) { return __float2uint_rz(x); }
ARITH i64 stopped(f32 x, i64) { return __float2ll_rz(x); }
ARITH u64 stopped(f32 x, u64) { return __float2ull_rz(x); }
ARITH i32 stopped(f64 x, i32) { return __double2int_rz(x); }
ARITH u32 stopped(f64 x, u32) { return __double2uint_rz(x); }
ARITH i64 stopped(f64 x, i64) { return __double2ll_rz(x); }
ARITH u64 stopped(f64 x, u64) { return __double2ull_rz(x); }
template <full From, integer To> ARITH To stopped(From x, To) {
  const i32 whole = stopped(x, i32(0)), least = number<To>::min, most = number<To>::max;
  return To(whole < least ? least : whole > most ? most : whole);
}
#endif
template <integer To, full From> ARITH To float_to_integer(From x) {
  typedef number<To> N;
#ifdef __CUDA_ARCH__
  if constexpr (N::bits <= 64) {
    const To whole = stopped(x, To(0));  // of NaN, too: without a branch, equal conversions are merged
    return x != x ? To(0) : whole;
  }
#endif
  const From limit = from_bits<From>(same_type<From, f32>
    ? typename number<From>::bits_t((127u + N::bits - N::is_signed) << 23)
    : typename number<From>::bits_t(u64(1023u + N::bits - N::is_signed) << 52));
  if (x != x) return To(0);
  if (x >= limit) return N::max;
  if (N::is_signed ? x < -limit : x <= 0) return N::min;
  if constexpr (N::bits == 128) {
    const u128 magnitude = f64_to_u128(x < 0 ? -f64(x) : f64(x));
    return To(x < 0 ? 0 - magnitude : magnitude);
  } else {
    return To(x);
  }
}

// Converts a value as Rust's `as` and `T::from` do.
template <class To, class From> ARITH To cast(From x) {
  if constexpr (same_type<To, From>) return x;
  else if constexpr (same_type<From, int_lit> && integer<To>) return To(x);
  else if constexpr (same_type<From, int_lit>) return cast<To>(i32(x));
  else if constexpr (same_type<From, float_lit>) return cast<To>(f64(x));
  else if constexpr (half<From>) return cast<To>(widen(x));
  else if constexpr (half<To>) return narrow<To>(f32(x));
  else if constexpr (floating<From> && integer<To>) return float_to_integer<To>(x);
  else if constexpr (same_type<From, u128> && floating<To>) return u128_to_float<To>(x);
  else if constexpr (same_type<From, i128> && floating<To>) {
    const To magnitude = u128_to_float<To>(x < 0 ? u128(0) - u128(x) : u128(x));
    return x < 0 ? -magnitude : magnitude;
  } else return To(x);
}

}  // namespace arith

using arith::canonical;
using arith::cast;
using arith::eq;
