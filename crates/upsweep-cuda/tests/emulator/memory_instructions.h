// Replacement of kernels/memory/instructions.cuh. A copy is done as early or as late as allowed: a read that comes too
// early misses it, and its destination is overwritten late.

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
    // Groups that are done already reduce those in flight, in the same order.
    emulator::finish_copies(PENDING);
}

// Bulk copies are done when their warp waits; until then the destination holds neither the old nor the new data. A
// barrier's word has the number of waits at it, and in its upper half one more than the bytes that are expected.
namespace emulator {
struct BulkCopy { u64* barrier; void* to; const void* from; u32 bytes; };
static std::vector<BulkCopy> bulk_copies;
}  // namespace emulator

constexpr bool BULK_COPIES = true;
inline void open_barrier(u64& barrier) { barrier = 0; }
inline void expect_copies(u64& barrier, u32 bytes) {
    if (barrier >> 32) emulator::fail("expects copies twice");
    barrier |= (u64)(bytes + 1) << 32;
}
inline void copy_bulk(u64& barrier, void* shared, const void* global, u32 bytes) {
    if ((u64)shared % 16 != 0 || (u64)global % 16 != 0 || bytes % 16 != 0 || bytes == 0) emulator::fail("a misaligned bulk copy of %u bytes", bytes);
    emulator::look_at_access(shared, bytes, true);
    memset(shared, 0x5b, bytes);
    emulator::bulk_copies.push_back({&barrier, shared, global, bytes});
}
inline void await_copies(u64& barrier, u32 turn) {
    if (threadIdx.x % 32 == 0) {
        u32 bytes = 0;
        std::erase_if(emulator::bulk_copies, [&](const emulator::BulkCopy& copy) {
            if (copy.barrier != &barrier) return false;
            emulator::look_at_access(copy.to, copy.bytes, true);
            memcpy(copy.to, copy.from, copy.bytes);
            bytes += copy.bytes;
            return true;
        });
        if (barrier >> 32 != bytes + 1) emulator::fail("waits for %llu bytes, of which %u are copied", (barrier >> 32) - 1, bytes);
        if ((u32)barrier % 2 != turn % 2) emulator::fail("waits for copies of another turn");
        barrier = (u32)barrier + 1;
    }
    __syncwarp();
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

inline u32 count_relaxed(u32* word) { return atomicAdd(word, 1u); }
inline void store_relaxed(u32* to, u32 word) { *to = word, emulator::sleeps = 0; }
inline void load_relaxed(const u32* from, u32& word) { word = *from; }
inline void store_relaxed(u64* to, u64 word) { *to = word, emulator::sleeps = 0; }
inline void store_relaxed(u64* to, u64 low, u64 high) { to[0] = low, to[1] = high, emulator::sleeps = 0; }
inline void load_relaxed(const u64* from, u64& word) { word = *from; }
inline void load_relaxed(const u64* from, u64& low, u64& high) { low = from[0], high = from[1]; }
