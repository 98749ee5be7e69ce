// std::inclusive_scan on every core (TBB) on the work of the CPU's benches. Rows for a record on standard output.
// Build: c++ -O3 -march=native -std=c++17 cpu.cpp -ltbb -lpthread. With --smoke, once, at a small size.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

static bool smoke = false;

// The median of 15 samples, each the mean of as many calls as handle a quarter of a million elements.
template <class F> static double median_us(size_t n, F call) {
    size_t calls = smoke ? 1 : std::max<size_t>(1, ((size_t)1 << 18) / n);
    std::vector<double> times(smoke ? 1 : 15);
    for (double& time : times) {
        auto begin = std::chrono::steady_clock::now();
        for (size_t i = 0; i < calls; i++) call();
        time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / calls;
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// memcpy, each thread its own part. Starting threads takes long: short copies are quicker on one.
template <class T> static void copy_parts(const std::vector<T>& from, std::vector<T>& to, size_t threads) {
    size_t n = from.size(), part = (n + threads - 1) / threads;
    auto copy_part = [&](size_t begin) {
        if (begin < n) memcpy(&to[begin], &from[begin], std::min(part, n - begin) * sizeof(T));
    };
    std::vector<std::thread> others;
    for (size_t t = 1; t < threads; t++) others.emplace_back(copy_part, t * part);
    copy_part(0);
    for (auto& other : others) other.join();
}

template <class T, class Op> static void scan(const char* algo, const char* type, const std::vector<T>& in, Op op) {
    size_t n = in.size();
    std::vector<T> out(n);
    int log2n = 0;
    while ((size_t)1 << (log2n + 1) <= n) log2n++;
    double every = median_us(n, [&] { copy_parts(in, out, std::max(1u, std::thread::hardware_concurrency())); });
    double fastest = std::min(every, median_us(n, [&] { copy_parts(in, out, 1); }));
    double us = median_us(n, [&] {
        std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin(), op);
    });
    double gbps = 2.0 * n * sizeof(T) / us / 1e3;
    printf("std-tbb,%s,%s,%d,%.3f,%.2f,%.4f,\n", algo, type, log2n, us, gbps, fastest / us);
    fflush(stdout);
}

template <class T> static void bench(const char* type) {
    for (int log2n : smoke ? std::vector<int>{10} : std::vector<int>{10, 16, 20, 24, 27}) {
        std::vector<T> in((size_t)1 << log2n);
        uint64_t x = 1;
        for (T& value : in) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            value = (T)((int)(x >> 60) - 8);
        }
        scan("inclusive_sum", type, in, [](T a, T b) { return (T)(a + b); });
        scan("inclusive_max", type, in, [](T a, T b) { return a < b ? b : a; });
    }
}

int main(int argc, char** argv) {
    smoke = argc > 1 && std::string(argv[1]) == "--smoke";
    bench<int8_t>("i8");
    bench<int32_t>("i32");
    bench<float>("f32");
    bench<double>("f64");
}
