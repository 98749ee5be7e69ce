// CUDA's threads on one thread of the host, for src/emulated_tests.rs. Each is a fiber, which runs until it waits for
// others. The next one to run is drawn at random: blocks start in ascending order and few are resident at once, warps
// are starved for a while, lanes run in either order. Unsynchronised threads see interleavings that a GPU may show
// them, however rarely.
//
// Every access to shared memory is checked: -fsanitize=thread makes the compiler call a function for each, and races.h
// defines these functions in place of its own library.

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <functional>
#include <vector>

namespace emulator {

constexpr u32 LANES = 32, MOST_THREADS = 512, MOST_WARPS = MOST_THREADS / LANES, MOST_RESIDENT = 3, MOST_OF_CLUSTER = 4, BARRIERS = 16;
constexpr u32 STACK = 1 << 16, PAGE = 1 << 12;
constexpr u32 VARIABLES = 1 << 16;                  // bytes of shared memory for variables
constexpr u32 ARENA = VARIABLES + (1 << 18);  // and for a launch's dynamic memory, at the end, before a guard page
constexpr u64 MOST_SLEEPS = 1 << 20;                // of all threads without progress

// Seed of a case: its data, its options and its schedule.
static u64 seed, random_state;
static u64 random_bits() {  // splitmix64
    u64 x = random_state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
static u64 below(u64 n) { return random_bits() % n; }
static bool once_in(u32 n) { return below(n) == 0; }

struct Block;
struct Warp;
struct Thread {
    struct Index { u32 x; } index;
    Warp* warp;
    enum { READY, WAITING, DONE } state;
    const char* waits_for;
    bool started;
    ucontext_t start;
    jmp_buf at;
    struct Copy { void* to; const void* from; u32 bytes; };
    std::vector<std::vector<Copy>> copies;  // groups in flight; the last is open
    u32 meeting;                            // the cluster's meeting at which it has arrived last
};

struct Warp {
    Block* block;
    u32 index;
    Thread* lanes[LANES];
    // Meeting of the lanes: number arrived, kind, and values. The values of two turns, as lanes go on one by one.
    u32 arrived, turn;
    const char* what;
    u64 values[2][LANES];
    // Meetings of the lanes that order memory end a step; a shuffle does not. The steps of warp v before seen[v]
    // happened before this warp's current step.
    u32 step, seen[MOST_WARPS];
};

struct Barrier {
    u32 arrived, threads;
    u32 lanes[MOST_WARPS];  // number arrived, by warp
    u32 seen[MOST_WARPS];   // maximum of those who have arrived
    std::vector<Thread*> waiting;
};

struct Touched { u32 written, read; };  // last accesses: see races.h
struct Block {
    u32 index;
    bool live = false;
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    Barrier barriers[BARRIERS];
    u32 seen[2][MOST_WARPS];  // of those who have arrived at meetings of the cluster, two of which may be in flight
    u8* shared = nullptr;
    Touched* touched = nullptr;
    void* variables[16];
    u32 used;       // bytes of shared memory
    u32 dynamic;
};

static Thread* current;  // null while the scheduler runs
static jmp_buf scheduler;
static u64 sleeps;
static Block blocks[MOST_OF_CLUSTER];
static Thread::Index grid_size, block_size;
static std::function<void()> kernel;

[[noreturn]] static void fail(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("seed %llu: ", seed);
    if (current) printf("block %u, thread %u: ", current->warp->block->index, current->index.x);
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    _exit(1);
}

// Switches from a thread to the scheduler, until it resumes the thread.
static void pause() {
    if (_setjmp(current->at) == 0) _longjmp(scheduler, 1);
}
static void resume(Thread& thread) {
    current = &thread;
    if (_setjmp(scheduler) == 0) {
        if (thread.started) _longjmp(thread.at, 1);
        thread.started = true;
        setcontext(&thread.start);
    }
    current = nullptr;
}
static void wait_for(const char* what) {
    current->state = Thread::WAITING;
    current->waits_for = what;
    pause();
}
static void run_thread() {
    kernel();
    current->state = Thread::DONE;
    sleeps = 0;
    _longjmp(scheduler, 1);
}

// Meeting of a warp's lanes, which exchange a value. Returns all lanes' values, valid until the next meeting.
static const u64* meet(const char* what, u64 value, bool orders_memory = false) {
    Warp& warp = *current->warp;
    const u32 turn = warp.turn;
    if (warp.arrived > 0 && warp.what != what) fail("meets others of its warp in %s, who are in %s", what, warp.what);
    warp.what = what;
    warp.values[turn % 2][current->index.x % LANES] = value;
    if (++warp.arrived < LANES) {
        while (warp.turn == turn) wait_for(what);
    } else {
        warp.arrived = 0;
        warp.turn++;
        if (orders_memory) warp.seen[warp.index] = ++warp.step;
        for (Thread* lane : warp.lanes) {
            if (lane != current) lane->state = Thread::READY;
        }
    }
    return warp.values[turn % 2];
}

static void learn(u32* seen, const u32* from) {
    for (u32 v = 0; v < MOST_WARPS; v++) seen[v] = seen[v] < from[v] ? from[v] : seen[v];
}

// Arrives at a barrier of the block, with the whole warp; waits there or goes on.
static void arrive(u32 id, u32 threads, bool waits) {
    meet("a barrier", 0, true);
    Warp& warp = *current->warp;
    if (id >= BARRIERS) fail("there is no barrier %u", id);
    Barrier& barrier = warp.block->barriers[id];
    if (barrier.arrived > 0 && barrier.threads != threads) fail("barrier %u is of %u threads and of %u", id, barrier.threads, threads);
    const u32 bit = 1u << current->index.x % LANES;
    if (barrier.lanes[warp.index] & bit) fail("arrives twice at barrier %u", id);
    barrier.threads = threads;
    barrier.lanes[warp.index] |= bit;
    learn(barrier.seen, warp.seen);
    if (waits) barrier.waiting.push_back(current);
    if (++barrier.arrived < threads) {
        if (waits) wait_for("a barrier");
        return;
    }
    for (u32 v = 0; v < MOST_WARPS; v++) {
        if (barrier.lanes[v] != 0 && barrier.lanes[v] != ~0u) fail("more warps are at barrier %u than its %u threads", id, threads);
    }
    for (Thread* thread : barrier.waiting) {
        learn(thread->warp->seen, barrier.seen);
        thread->state = Thread::READY;
    }
    barrier.waiting.clear();
    barrier.arrived = 0;
    memset(barrier.lanes, 0, sizeof barrier.lanes);
    memset(barrier.seen, 0, sizeof barrier.seen);
    sleeps = 0;
}

// Barrier of all threads of a grid whose blocks are a cluster. A thread that has arrived goes on until it waits.
static u32 meetings, at_meeting;
static void sleep();
static void arrive_in_cluster() {
    meet("a meeting of the cluster", 0, true);
    learn(current->warp->block->seen[meetings % 2], current->warp->seen);
    current->meeting = meetings;
    if (++at_meeting == grid_size.x * block_size.x) at_meeting = 0, meetings++, sleeps = 0;
}
static void wait_in_cluster() {
    while (meetings == current->meeting) sleep();
    learn(current->warp->seen, current->warp->block->seen[current->meeting % 2]);
}

static void sleep() {
    if (++sleeps > MOST_SLEEPS) fail("waits for a word that nobody writes");
    pause();
}

// A variable in shared memory.
template <class X, u32 ID>
X& shared_variable() {
    Block& block = *current->warp->block;
    if (!block.variables[ID]) {
        block.used = (block.used + 127) / 128 * 128;
        block.variables[ID] = block.shared + block.used;
        block.used += sizeof(X);
        if (block.used > VARIABLES) fail("%u bytes of shared variables", block.used);
    }
    return *(X*)block.variables[ID];
}
static u8* dynamic_shared() {
    const Block& block = *current->warp->block;
    return block.shared + ARENA - (block.dynamic + 127) / 128 * 128;
}

// Counterpart of `own` in the shared memory of another block of the cluster.
static void* shared_of(u32 index, void* own) {
    for (Block& block : blocks) {
        if (block.live && block.index == index) return block.shared + ((u8*)own - current->warp->block->shared);
    }
    fail("reaches for the memory of block %u, which is not there", index);
}

static void start(Block& block, u32 index, u32 threads, u32 dynamic) {
    if (!block.shared) {
        block.shared = (u8*)mmap(nullptr, ARENA + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(block.shared + ARENA, PAGE, PROT_NONE);
        block.touched = new Touched[ARENA];
        u8* const stacks = (u8*)mmap(nullptr, (u64)MOST_THREADS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        block.threads.resize(MOST_THREADS);
        for (Thread& thread : block.threads) {
            getcontext(&thread.start);
            thread.start.uc_stack.ss_sp = stacks + (&thread - block.threads.data()) * STACK;
            thread.start.uc_stack.ss_size = STACK;
        }
    }
    memset(block.shared, 0xa5, ARENA);
    memset((void*)block.touched, 0, ARENA * sizeof(Touched));
    memset(block.variables, 0, sizeof block.variables);
    memset(block.seen, 0, sizeof block.seen);
    block.index = index, block.live = true, block.used = 0, block.dynamic = dynamic;
    block.warps.assign(threads / LANES, Warp{});
    for (Barrier& barrier : block.barriers) barrier = Barrier{};
    for (u32 t = 0; t < threads; t++) {
        Thread& thread = block.threads[t];
        Warp& warp = block.warps[t / LANES];
        warp.block = &block, warp.index = t / LANES, warp.lanes[t % LANES] = &thread;
        warp.step = warp.seen[warp.index] = 1;
        thread.index.x = t, thread.warp = &warp, thread.state = Thread::READY, thread.started = false;
        thread.copies.assign(1, {});
        makecontext(&thread.start, run_thread, 0);
    }
}

// Lets the warp's threads run until each waits or is done, several times. Returns whether any ran.
static bool run_warp(Warp& warp) {
    bool ran = false;
    for (u64 turns = 1 + below(16); turns > 0; turns--) {
        const u32 order = once_in(2) ? LANES - 1 : 0;
        bool ready = false;
        for (u32 i = 0; i < LANES; i++) {
            Thread& thread = *warp.lanes[i ^ order];
            if (thread.state == Thread::READY) resume(thread), ready = true;
        }
        if (!ready) break;
        ran = true;
    }
    return ran;
}

// Whether the block is done: then no thread may be left at a barrier.
static bool finished(Block& block) {
    for (const Warp& warp : block.warps) {
        for (const Thread* lane : warp.lanes) {
            if (lane->state != Thread::DONE) return false;
        }
    }
    for (u32 id = 0; id < BARRIERS; id++) {
        const Barrier& barrier = block.barriers[id];
        if (barrier.arrived > 0) fail("block %u ends with %u of %u threads at barrier %u", block.index, barrier.arrived, barrier.threads, id);
    }
    return true;
}

[[noreturn]] static void fail_for_ever() {
    for (u32 b = 0; b < MOST_OF_CLUSTER; b++) {
        if (!blocks[b].live) continue;
        for (const Warp& warp : blocks[b].warps) {
            printf("  block %u, warp %u:", blocks[b].index, warp.index);
            const char* before = "";
            for (u32 l = 0; l < LANES; l++) {
                const char* const what = warp.lanes[l]->state == Thread::DONE ? "the end" : warp.lanes[l]->waits_for;
                if (what != before) printf(" lane %u at %s", l, before = what);
            }
            printf("\n");
        }
    }
    fail("all wait for each other");
}

// Runs a grid of blocks, all of them concurrently if they are a cluster.
static void launch(u32 grid, u32 threads, u32 dynamic, std::function<void()> body, bool is_cluster = false) {
    kernel = body, grid_size.x = grid, block_size.x = threads, sleeps = 0;
    const u32 resident = is_cluster ? grid : 1 + below(MOST_RESIDENT);
    u32 started = 0, done = 0, idle = 0, starved[MOST_OF_CLUSTER * MOST_WARPS] = {};
    while (done < grid) {
        if (started < grid && started - done < resident && (started == done || once_in(64))) {
            Block* free = blocks;
            while (free->live) free++;
            start(*free, started++, threads, dynamic);
        }
        // One in four warps is starved, until the next draw.
        if (once_in(256)) {
            for (u32& s : starved) s = once_in(4);
        }
        const u32 b = below(resident), w = below(threads / LANES);
        if (!blocks[b].live || (starved[b * MOST_WARPS + w] && !once_in(16))) continue;
        if (run_warp(blocks[b].warps[w])) {
            idle = 0;
            if (finished(blocks[b])) blocks[b].live = false, done++;
        } else if (++idle > 1 << 16) {
            fail_for_ever();
        }
    }
}

}  // namespace emulator
