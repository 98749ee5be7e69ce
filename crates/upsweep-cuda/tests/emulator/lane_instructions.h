// Replacement of kernels/word/instructions.cuh.

constexpr bool LANE_INSTRUCTIONS = true;
template <class H, class F>
inline u32 by_lane(u32 a, u32 b, F f) {
    return (u32)(u16)f((H)a, (H)b) | (u32)(u16)f((H)(a >> 16), (H)(b >> 16)) << 16;
}
inline u32 add_lanes(u32 a, u32 b) { return by_lane<u16>(a, b, [](u16 x, u16 y) { return x + y; }); }
inline u32 max_signed(u32 a, u32 b) { return by_lane<i16>(a, b, [](i16 x, i16 y) { return x > y ? x : y; }); }
inline u32 max_unsigned(u32 a, u32 b) { return by_lane<u16>(a, b, [](u16 x, u16 y) { return x > y ? x : y; }); }
inline u32 min_signed(u32 a, u32 b) { return by_lane<i16>(a, b, [](i16 x, i16 y) { return x < y ? x : y; }); }
inline u32 min_unsigned(u32 a, u32 b) { return by_lane<u16>(a, b, [](u16 x, u16 y) { return x < y ? x : y; }); }
inline u32 add_lower(u32 number, u32 distance) {
    const u32 lower = __shfl_up_sync(~0u, number, distance);
    return threadIdx.x % 32 < distance ? number : number + lower;
}
