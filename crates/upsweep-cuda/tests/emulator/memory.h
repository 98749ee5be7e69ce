// Arrays of emulated kernels, with guards: an access next to them is detected.

namespace emulator {

// Array of `number` values, at the begin or the end of pages whose neighbours are inaccessible, or somewhere between:
// then the bytes around it must stay unchanged. Vectors of `vector` values are not split: `vector` divides `number`.
template <class X>
struct Guarded {
    X* values;
    u64 number;

    explicit Guarded(u64 n, u64 vector = 1) : number(n) {
        bytes = (n * sizeof(X) + 2 * PAGE - 1) / PAGE * PAGE;
        pages = (u8*)mmap(nullptr, bytes + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(pages, PAGE, PROT_NONE);
        mprotect(pages + PAGE + bytes, PAGE, PROT_NONE);
        memset(pages + PAGE, FREE, bytes);
        const u64 room = bytes / sizeof(X) - n, place = below(3);
        values = (X*)(place == 0 ? pages + PAGE : pages + PAGE + bytes - n * sizeof(X));
        if (place == 2) values -= below(room / vector + 1) * vector;
    }
    ~Guarded() { munmap(pages, bytes + 2 * PAGE); }
    Guarded(const Guarded&) = delete;

    X& operator[](u64 i) { return values[i]; }
    void check(const char* name) const {
        for (const u8* at = pages + PAGE; at < pages + PAGE + bytes; at++) {
            const bool outside = at < (u8*)values || at >= (u8*)(values + number);
            if (outside && *at != FREE) fail("written %lld bytes from the begin of the %s", (i64)(at - (u8*)values), name);
        }
    }

private:
    static constexpr u8 FREE = 0xc3;
    u8* pages;
    u64 bytes;
};

// Random value of an array.
template <class X>
X any_value() {
    X x;
    u64 bits[(sizeof(X) + 7) / 8];
    for (u64& b : bits) b = random_bits();
    memcpy(&x, bits, sizeof x);
    // Sums of small numbers are exact in f32, however they are grouped.
    if constexpr (arith::half<X>) x = arith::narrow<X>((f32)(bits[0] % 9));
    if constexpr (arith::same_type<X, f64>) x = once_in(50) ? 0.0 / 0.0 : (f64)(i32)bits[0];
    return x;
}
// Whether a stored result equals the expected one, with 0 between its fields: the expected one is a return value, whose
// padding is undefined.
template <class X>
bool same_bits(const X& stored, X wanted) {
    if constexpr (requires { clear_between_fields(&wanted); }) clear_between_fields(&wanted);
    return memcmp(&stored, &wanted, sizeof(X)) == 0;
}

constexpr u32 MOST_SECONDS = 20;  // of a case
static void on_signal(int signal, siginfo_t* info, void*) {
    if (signal == SIGILL) fail("accesses a vector at an address that is no multiple of its size");
    if (signal == SIGALRM) fail("is still at work after %u seconds", MOST_SECONDS);
    fail("touches memory that is not the kernel's, at %p", info->si_addr);
}

// Runs the seeds from argument 1 on, as many as argument 2 says.
static int run_cases(int arguments, char** argument, void (*one_case)()) {
    static u8 stack[1 << 16];
    const stack_t other = {stack, 0, sizeof stack};
    sigaltstack(&other, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = on_signal, action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGALRM}) sigaction(signal, &action, nullptr);
    if (arguments != 3) return 2;
    const u64 first = atoll(argument[1]), number = atoll(argument[2]);
    for (seed = first; seed < first + number; seed++) {
        random_state = seed * 0x2545f4914f6cdd1d;
        alarm(MOST_SECONDS);
        races_matter = true;
        one_case();
    }
    return 0;
}

}  // namespace emulator
