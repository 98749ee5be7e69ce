// Access to the kernel's parameters by their name in PTX.
//
// A function is called from many places, far from the kernel that has the parameters. But it is inlined there, and in
// its PTX they have a name, `PARAMETERS`. So a value read here is an operand of an instruction, as a literal constant
// would be.

#pragma once

#include "config.cuh"

// Returns the 4 bytes of the kernel's parameters from byte `at` on, a multiple of 4.
__device__ __forceinline__ u32 parameter_word(u64 at) {
    u32 word;
    asm("{ .reg .b64 p; mov.b64 p, " PARAMETERS "; add.s64 p, p, %1; ld.param.b32 %0, [p]; }" : "=r"(word) : "l"(at));
    return word;
}

// Returns the 8 bytes of the kernel's parameters from byte `at` on, a multiple of 8.
__device__ __forceinline__ u64 parameter_long(u64 at) {
    u64 word;
    asm("{ .reg .b64 p; mov.b64 p, " PARAMETERS "; add.s64 p, p, %1; ld.param.b64 %0, [p]; }" : "=l"(word) : "l"(at));
    return word;
}

__device__ __forceinline__ u8 parameter_byte(u64 at) {
    u32 byte;
    asm("{ .reg .b64 p; mov.b64 p, " PARAMETERS "; add.s64 p, p, %1; ld.param.u8 %0, [p]; }" : "=r"(byte) : "l"(at));
    return (u8)byte;
}
