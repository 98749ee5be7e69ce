// Cases of moving_sum/moving_sum.cuh: images and windows of all sizes, compared with loops over each window.

#include "emulator/memory.h"

namespace emulator {

static void one_case() {
    const u64 room = THREADS / BLOCK_CHANNELS;
    const u64 most = CHUNK_COLUMNS * (room - 2) / 2;
    u64 left, right;
    // The kernel knows the width of a window, if it is small, and its begin and end in a chunk.
    do left = below(once_in(2) ? 3 * CHUNK_COLUMNS : most) / CHUNK_COLUMNS * CHUNK_COLUMNS + (CHUNK_COLUMNS - WINDOW_FIRST) % CHUNK_COLUMNS, right = below(once_in(2) ? 3 * CHUNK_COLUMNS : most) / CHUNK_COLUMNS * CHUNK_COLUMNS + WINDOW_LAST;
    while (left + right + 1 != FEW_COLUMNS && (FEW_COLUMNS > 0 || left + right < CHUNK_COLUMNS || left + right > 2 * most - 2 * CHUNK_COLUMNS));
    const u64 above = ONE_ROW ? 0 : below(9), below_ = ONE_ROW ? 0 : above == 0 ? 1 + below(8) : below(9);
    const u64 reach = (left + CHUNK_COLUMNS - 1) / CHUNK_COLUMNS + (right + CHUNK_COLUMNS - 1) / CHUNK_COLUMNS, strip = 1 + below(room - reach);
    // A window reaches no further than the image.
    const u64 height = max(above, below_) + 1 + below(20), width = max(left, right) + 1 + below(once_in(2) ? 8 * CHUNK_COLUMNS : 3);
    const u64 channels = BLOCK_CHANNELS > 1 ? BLOCK_CHANNELS : 1 + below(3) * below(2), planes = 1 + below(2), part = 1 + below(height + 2);
    const u64 values = planes * height * width * channels;
    Guarded<In> input(values);
    Guarded<Out> output(values);
    for (u64 i = 0; i < values; i++) {
        input[i] = any_value<In>();
        // Few values are NaN, so that most windows have none.
        if (input[i] != input[i] && !once_in(40)) input[i] = In(1);
    }

    MovingSumParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.height = height, p.width = width, p.channels = channels;
    p.above = above, p.below = below_, p.left = left, p.right = right, p.part = part, p.parts = (height + part - 1) / part;
    p.strip = strip, p.strips = (width + strip * CHUNK_COLUMNS - 1) / (strip * CHUNK_COLUMNS);
    const u64 blocks = planes * p.parts * (channels / BLOCK_CHANNELS) * p.strips, split = below(blocks + 1);
    const u32 threads = ((strip + reach) * BLOCK_CHANNELS + 31) / 32 * 32;
    const u32 shared = 4 * CHUNK_COLUMNS * THREADS * sizeof(Addend);
    if (split > 0) launch(split, threads, shared, [&] { KERNEL(p); });
    p.first_block = split;
    if (split < blocks) launch(blocks - split, threads, shared, [&] { KERNEL(p); });
    output.check("output"), input.check("image");

    for (u64 i = 0; i < values; i++) {
        const u64 c = i % channels, x = i / channels % width, y = i / channels / width % height, plane = i / channels / width / height;
        Acc window;
        window.sum = Addend(0), window.values = 0;
        for (u64 v = y - min(y, above); v <= min(y + below_, height - 1); v++) {
            for (u64 u = x - min(x, left); u <= min(x + right, width - 1); u++) {
                window.sum = arith::add(window.sum, map(input[((plane * height + v) * width + u) * channels + c], 0, 0).sum), window.values++;
            }
        }
        if (!same_bits(output[i], result(window))) fail("wrong at %llu: (%llu, %llu) of %llu x %llu", i, y, x, height, width);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
