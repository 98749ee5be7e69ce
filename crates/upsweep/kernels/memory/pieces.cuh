// Several neighbouring values as the few words that hold them, for loads and stores as large as their bytes allow.

// The largest access that divides so many bytes; 1 where none does.
__device__ constexpr u32 piece_for(u32 bytes) { return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1; }

template <u32 BYTES> struct Piece;
template <> struct Piece<16> { using type = uint4; };
template <> struct Piece<8> { using type = uint2; };
template <> struct Piece<4> { using type = u32; };
template <> struct Piece<1> { using type = u8; };
