// Replacement of kernels/memory/parameters.cuh: the test defines the values (`VALUES`), or a case stores them.

#ifndef VALUES
#define VALUES {0}
#endif
inline unsigned char parameter_bytes[32 << 10] = VALUES;
inline u8 parameter_byte(u64 at) { return parameter_bytes[at - VALUES_AT]; }
inline u32 parameter_word(u64 at) {
    u32 word;
    memcpy(&word, parameter_bytes + (at - VALUES_AT), 4);
    return word;
}
inline u64 parameter_long(u64 at) { return parameter_word(at) | (u64)parameter_word(at + 4) << 32; }
