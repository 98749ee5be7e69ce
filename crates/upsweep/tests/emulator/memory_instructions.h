// In the place of kernels/memory/instructions.cuh. A copy is done as early or as late as it may be: what is read before is
// not there, and what is written over is written over late.

namespace emulator {
static void finish_copies(u32 pending) {
    auto& groups = current->copies;
    while (groups.size() > pending + 1) {
        for (const Thread::Copy& copy : groups.front()) {
            look_at_access(copy.to, copy.bytes, true);
            memcpy(copy.to, copy.from, copy.bytes);
        }
        groups.erase(groups.begin());
    }
}
}  // namespace emulator

template <u32 BYTES>
inline void copy_async(void* shared, const void* global) {
    if ((u64)shared % BYTES != 0 || (u64)global % BYTES != 0) emulator::fail("a misaligned copy of %u bytes", BYTES);
    emulator::look_at_access(shared, BYTES, true);
    memset(shared, 0x5b, BYTES);
    emulator::current->copies.back().push_back({shared, global, BYTES});
}
inline void close_group() {
    emulator::current->copies.push_back({});
    if (emulator::once_in(4)) emulator::finish_copies(0);
}
template <u32 PENDING>
inline void wait_copies() {
    // Those that are done already are fewer groups under way, in the same order.
    emulator::finish_copies(PENDING);
}
using SharedPlace = u64;
inline SharedPlace shared_place(void* shared) { return (u64)shared; }
inline void* at_shared_place(SharedPlace at) { return (void*)at; }
template <u32 BYTES>
inline void store_next(SharedPlace& at, u32 value) {
    if constexpr (BYTES == 1) *(u8*)at = (u8)value;
    else if constexpr (BYTES == 2) *(u16*)at = (u16)value;
    else *(u32*)at = value;
    at += BYTES;
}
inline SharedPlace kept(SharedPlace place) { return place; }
inline u32 load_shared(SharedPlace at) { return *(const u32*)at; }
inline void add_shared(SharedPlace at, u32 amount) { atomicAdd((u32*)at, amount); }
inline void store_next(SharedPlace& at, u64 value) { *(u64*)at = value, at += 8; }
inline u64 unknown(u64 number) { return number; }
inline void prefetch(const void*) {}
inline void wait_for_kernel_before() {}
template <class V>
inline V load_constant(u64 address) { return *(const V*)address; }

inline void store_relaxed(u32* to, u32 word) { *to = word, emulator::sleeps = 0; }
inline void load_relaxed(const u32* from, u32& word) { word = *from; }
inline void store_relaxed(u64* to, u64 word) { *to = word, emulator::sleeps = 0; }
inline void store_relaxed(u64* to, u64 low, u64 high) { to[0] = low, to[1] = high, emulator::sleeps = 0; }
inline void load_relaxed(const u64* from, u64& word) { word = *from; }
inline void load_relaxed(const u64* from, u64& low, u64& high) { low = from[0], high = from[1]; }
