#include "core/plan/shared_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "simd/instruction_set.hpp"

namespace mercer::plan {

namespace {

constexpr std::size_t together = 96;  // rows

}  // namespace

template <class T>
std::size_t SharedBlocks<T>::padded(std::size_t length) {
    const std::size_t lanes = instruction_set().subproblem.of<T>().lanes;
    return (length + lanes - 1) / lanes * lanes;
}

template <class T>
SharedBlocks<T>::SharedBlocks(Gram<T>& gram, std::span<const std::int64_t> offsets)
    : gram_(gram), begin_(offsets.begin(), offsets.end()), block_(gram.size()),
      blocks_(std::make_unique<Block[]>(begin_.size())), has_row_(gram.size(), false) {
    std::size_t total = 0;
    for (std::size_t b = 0; b + 1 < begin_.size(); ++b) {
        const std::size_t n = begin_[b + 1] - begin_[b];
        blocks_[b].first = total;
        total += size(n);
        std::fill_n(block_.begin() + std::ptrdiff_t(begin_[b]), n, std::uint32_t(b));
    }
    values_ = Buffer<T>(total);
    for (std::size_t b = 0; b + 1 < begin_.size(); ++b) {
        const std::size_t n = begin_[b + 1] - begin_[b];
        std::fill_n(&values_[blocks_[b].first + padded(n) * padded(n)], padded(n), T(0));
    }
}

template <class T>
std::size_t SharedBlocks<T>::bytes(std::span<const std::int64_t> offsets) {
    std::size_t total = 0;
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
        const auto n = std::size_t(offsets[b + 1] - offsets[b]);
        total += checked_product(n, n);
    }
    return checked_product(total, sizeof(T));
}

template <class T>
const T* SharedBlocks<T>::row(std::size_t row) {
    Block& block = blocks_[block_[row]];
    std::lock_guard lock(block.mutex);
    if (!has_row_[row]) {
        const bool is_worth_all =
            n_blocks() == 1 || block.n_rows >= worth_of_all(length(row), gram_.kernel());
        is_worth_all ? compute_all(row) : compute_row(row);
    }
    return storage(row) + (row - begin(row)) * stride(row);
}

template <class T>
T* SharedBlocks<T>::all(std::size_t row) {
    Block& block = blocks_[block_[row]];
    std::lock_guard lock(block.mutex);
    if (!block.is_whole) compute_all(row);
    return storage(row);
}

template <class T>
void SharedBlocks<T>::compute_row(std::size_t row) {
    const std::size_t first = begin(row), n = length(row);
    T* out = storage(row) + (row - first) * padded(n);
    gram_.kernel().values(Indices(&row, 1), first, first + n, out, n);
    std::fill(out + n, out + padded(n), T(0));
    gram_.count_evaluations(n);
    has_row_[row] = true;
    ++blocks_[block_[row]].n_rows;
}

template <class T>
void SharedBlocks<T>::compute_all(std::size_t row) {
    const std::size_t first = begin(row), n = length(row), stride = padded(n);
    T* out = storage(row);
    for (std::size_t r = 0; r < n; r += together) {
        const std::size_t height = std::min(together, n - r);
        std::vector<std::size_t> rows(height);
        std::iota(rows.begin(), rows.end(), first + r);
        gram_.kernel().values(rows, first + r, first + n, out + r * stride + r, stride);
        gram_.count_evaluations(height * (n - r));
        instruction_set().subproblem.of<T>().mirror(out, stride, r, r + height, n);
    }
    for (std::size_t r = 0; r < n; ++r) std::fill_n(out + r * stride + n, stride - n, T(0));
    std::fill_n(has_row_.begin() + std::ptrdiff_t(first), n, true);
    blocks_[block_[row]].is_whole = true;
}

template class SharedBlocks<float>;
template class SharedBlocks<double>;

}  // namespace mercer::plan
