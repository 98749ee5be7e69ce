// Integers by their number of bytes.

#pragma once

#include "config.cuh"

template <u32 BYTES> struct Number;
template <> struct Number<1> { using type = u8; using negative = i8; };
template <> struct Number<2> { using type = u16; using negative = i16; };
template <> struct Number<4> { using type = u32; using negative = i32; };
template <> struct Number<8> { using type = u64; using negative = i64; };
template <> struct Number<16> { using type = u128; using negative = i128; };
