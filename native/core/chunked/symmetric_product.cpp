#include "core/chunked/symmetric_product.hpp"

#include <algorithm>
#include <vector>

#include "simd/instruction_set.hpp"

namespace mercer::chunked {

namespace {

// Rows of a panel: whole blocks of any instruction set.
constexpr std::size_t height = 48;

// Rows [first, first + count) of a symmetric matrix, `stride` apart, from column `first` on.
struct Panel {
    const double* values;
    std::size_t stride, first, count;

    const double* row(std::size_t k) const { return values + k * stride; }
};

// What the rows of the panel add to the columns from `first` on, and the columns beyond the panel
// to its rows.
void add_panel(const Panel& panel, const double* weights, std::size_t size, double* out) {
    std::vector<const double*> rows(panel.count);
    for (std::size_t k = 0; k < panel.count; ++k) rows[k] = panel.row(k);
    const std::size_t first = panel.first, beyond = first + panel.count;
    const InstructionSet& simd = instruction_set();
    simd.micro_kernels.of<double>().add_product(rows.data(), panel.count, size - first,
                                                weights + first, 1, out + first, size);
    for (std::size_t k = 0; k < panel.count && beyond < size; ++k) {
        out[first + k] += simd.factor.of<double>().inner_product(panel.row(k) + panel.count,
                                                                 weights + beyond, size - beyond);
    }
}

}  // namespace

bool symmetric_product(Gram<double>& gram, Indices rows, const double* weights, std::size_t n_kept,
                       double* kept, double* out, const Poll& poll) {
    const std::size_t size = rows.size();
    const KernelPointer<double> among = gram.kernel().with_right(rows, &gram.threads());
    Buffer<double> values(std::min(height, size) * size);
    std::fill_n(out, size, 0.0);
    for (std::size_t r = 0, count; r < size; r += count) {
        const bool is_kept = r < n_kept;
        count = std::min(height, (is_kept ? n_kept : size) - r);
        const std::size_t begin = is_kept ? 0 : r;  // of the columns
        double* const to = is_kept ? kept + r * size : values.data();
        among->ready(rows.subspan(r, count))(begin, size, to, size);
        gram.count_evaluations(count * (size - begin));
        add_panel({to + (r - begin), size, r, count}, weights, size, out);
        if (poll && !poll()) return false;
    }
    return true;
}

}  // namespace mercer::chunked
