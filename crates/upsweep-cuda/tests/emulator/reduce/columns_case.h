// A case of the kernels that reduce columns by a tree.

#include "emulator/workspace.h"
#include "emulator/columns_oracle.h"

namespace emulator {

static In any_element() {
    const double x = ((double)random_bits() - 9e18) * 1.2345e-20;
    if constexpr (arith::half<In>) return arith::narrow<In>((f32)x);
    else return (In)(PRODUCT ? 1 + x / 8 : x);
}

// Runs the kernel on columns that are cut into parts of `part` elements, in `blocks(parts)` blocks, and checks it.
template <class B>
static void columns_case(u64 outer, u64 len, u64 inner, u64 part, const B& blocks) {
    const u64 n = outer * len * inner, parts = (len + part - 1) / part;
    Guarded<In> input(n);
    for (u64 i = 0; i < n; i++) input[i] = any_element();
    Guarded<Out> output(outer * inner);
    Guarded<Acc> totals(outer * inner * parts);
    Guarded<Given> init(1);
    init[0] = (Given)0.375;
    Space space = Space::of<T>(1);
    ColumnTotalsParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.outer = outer, p.len = len, p.inner = inner;
    p.part = part, p.parts = parts, p.to = totals.values, p.workspace = space.workspace();
    p.given_init = p.given_first = given_acc(init[0]);
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.given_init, 0x77, sizeof(Acc));
    launch(blocks(parts), THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), input.check("elements"), totals.check("totals of parts");
    for (u64 line = 0; line < outer * inner; line++) {
        const u64 o = line / inner, c = line % inner;
        std::vector<T> mapped(len);
        for (u64 k = 0; k < len; k++) {
            const u64 at = (o * len + k) * inner + c;
            mapped[k] = map(input[at], k, at);
        }
        for (u64 q = 0; q < parts; q++) {
            const std::vector<T> own(mapped.begin() + q * part, mapped.begin() + (q + 1 < parts ? (q + 1) * part : len));
            const T total = ColumnsOracle<T>::total(own);
            if (parts == 1 && !same_bits(output[line], result(HAS_INIT ? combine(ValueOfAcc::of(given_acc(init[0])), total) : total)))
                fail("wrong in column %llu of %llu, of %llu elements", line, outer * inner, len);
            if (parts > 1 && !same_bits(totals[(o * parts + q) * inner + c], ValueOfAcc::back(total)))
                fail("wrong in part %llu of column %llu of %llu, of %llu elements", q, line, outer * inner, len);
        }
    }
}

}  // namespace emulator
