// From registers to global memory: one vector of neighbouring results a thread.

// Stores `count` of the VECTOR results in `values` (logical order) at the vector whose lowest address is `to`.
__device__ __forceinline__ void store_vector(Out* to, const Out (&values)[VECTOR], u32 count, bool aligned) {
    constexpr u32 BYTES = VECTOR * sizeof(Out);
    if constexpr (BYTES % 16 == 0 || BYTES == 8 || BYTES == 4) {
        if (count == VECTOR && aligned) {
            constexpr u32 PART = BYTES % 16 == 0 ? 16 : BYTES;
            union {
                u32 words[BYTES / 4];
                unsigned char bytes[BYTES];
            } all;
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                memcpy(all.bytes + (REVERSE ? VECTOR - 1 - j : j) * sizeof(Out), &values[j], sizeof(Out));
            }
#pragma unroll
            for (u32 i = 0; i < BYTES / PART; i++) {
                if constexpr (PART == 16) {
                    ((uint4*)to)[i] = make_uint4(all.words[4 * i], all.words[4 * i + 1], all.words[4 * i + 2], all.words[4 * i + 3]);
                } else if constexpr (PART == 8) {
                    *(uint2*)to = make_uint2(all.words[0], all.words[1]);
                } else {
                    *(u32*)to = all.words[0];
                }
            }
            return;
        }
    }
#pragma unroll
    for (u32 j = 0; j < VECTOR; j++) {
        if (j < count) to[REVERSE ? VECTOR - 1 - j : j] = values[j];
    }
}
