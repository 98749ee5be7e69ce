// Cases of pyramid/pyramid.cuh: a launch, whose levels are compared with loops over the level before.

#include "emulator/memory.h"

namespace emulator {

// Random size that can be halved `levels` times.
static u64 any_size(u64 levels, u64 tile) {
    if (once_in(4)) return 1ull << below(levels + 1);
    return (1 + below(once_in(2) ? 2 * tile >> levels : 3)) << levels;
}

static void one_case() {
    const u64 levels = WITH_INPUT && once_in(8) ? 0 : 1 + below(TILE_LEVELS);
    u64 height = any_size(levels, TILE_ROWS), width = any_size(levels, TILE_WIDTH);
    if (levels == 0) height = 1 + below(2 * TILE_ROWS), width = 1 + below(2 * TILE_WIDTH);
    const u64 channels = WHOLE_PIXELS ? BLOCK_CHANNELS : 1 + below(3 * BLOCK_CHANNELS), planes = 1 + below(3), first_plane = below(planes);
    const u64 image = planes * height * width * channels;
    u64 results = WITH_INPUT ? image : 0;
    for (u64 l = 1; l <= levels; l++) results += planes * max(height >> l, 1ull) * max(width >> l, 1ull) * channels;
    Guarded<Out> input(image), output(results);
    for (u64 i = 0; i < image; i++) input[i] = any_value<Out>();

    PyramidParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.levels = levels, p.height = height, p.width = width, p.channels = channels, p.first_plane = first_plane;
    p.tiles_across = (width + TILE_WIDTH - 1) / TILE_WIDTH, p.tiles_down = (height + TILE_ROWS - 1) / TILE_ROWS;
    const auto reciprocal = [](u64 n) { return n == 1 ? 0xffffffffull : (1ull << 32) / n; };
    p.across_reciprocal = reciprocal(p.tiles_across), p.down_reciprocal = reciprocal(p.tiles_down);
    Out** const places[] = {&p.level_0, &p.level_1, &p.level_2, &p.level_3, &p.level_4, &p.level_5, &p.level_6};
    for (Out** place : places) *place = output.values;
    u64 at = WITH_INPUT ? image : 0;
    for (u64 l = 1; l <= levels; l++) {
        *places[l] = output.values + at;
        at += planes * max(height >> l, 1ull) * max(width >> l, 1ull) * channels;
    }
    const u64 parts = WHOLE_PIXELS ? 1 : (channels + BLOCK_CHANNELS - 1) / BLOCK_CHANNELS;
    launch((planes - first_plane) * p.tiles_down * p.tiles_across * parts, THREADS, 0, [&] { KERNEL(p); });
    output.check("output"), input.check("image");

    const Out* above = input.values;
    if (WITH_INPUT) {
        for (u64 i = first_plane * height * width * channels; i < image; i++) {
            if (!same_bits(output[i], canonical(input[i]))) fail("wrong at %llu of the image", i);
        }
        above = output.values;
    }
    for (u64 l = 1; l <= levels; l++) {
        const u64 w = max(width >> l, 1ull), h = max(height >> l, 1ull), ww = max(width >> (l - 1), 1ull), hh = max(height >> (l - 1), 1ull);
        for (u64 i = first_plane * h * w * channels; i < planes * h * w * channels; i++) {
            const u64 c = i % channels, x = i / channels % w, y = i / channels / w % h, plane = i / channels / w / h;
            const auto from = [&](u64 y, u64 x) { return above[((plane * hh + min(y, hh - 1)) * ww + min(x, ww - 1)) * channels + c]; };
            const In four = {from(2 * y, 2 * x), from(2 * y, 2 * x + 1), from(2 * y + 1, 2 * x), from(2 * y + 1, 2 * x + 1)};
            if (!same_bits((*places[l])[i], result(map(four, 0, 0)))) fail("level %llu is wrong at %llu, pixel (%llu, %llu)", l, i, y, x);
        }
        above = *places[l];
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
