#include "core/chunked/kernel_square.hpp"

#include <algorithm>

#include "simd/leaf.hpp"

namespace mercer::chunked {

namespace {

// Rows a power of two apart would share their places in the cache.
constexpr std::size_t extra_columns = 16;
// A value that costs less is computed as fast as it is copied.
constexpr double price_of_copying = 2.5e-9;
// Rows copied together, by one thread: some fifty microseconds of work.
constexpr std::size_t row_grain = 128;

}  // namespace

template <class T>
void KernelSquare<T>::compute(Variables<T>& variables, const std::vector<std::uint32_t>& member,
                              const std::vector<SquareRange>& ranges) {
    // The whole matrix has all values: what the last square knew is nowhere nearer.
    const bool copies = !variables.whole() && variables.price_of_value() > price_of_copying;
    if (copies) std::swap(matrix_, last_matrix_);
    matrix_.require(checked_product(member.size() + 1, member.size() + extra_columns));
    rows_ = matrix_.data();
    last_stride_ = stride_;
    stride_ = member.size() + extra_columns;
    row_.resize(member.size());
    std::vector<std::uint32_t> known, fresh, padding;
    for (std::size_t p = 0; p < member.size(); ++p) {
        // Padding repeats a row: its values are never used but must be numbers.
        row_[p] = variables.row(member[p] == nowhere ? member[0] : member[p]);
        const bool is_known = copies && member[p] != nowhere && knows(member[p]);
        (member[p] == nowhere ? padding : is_known ? known : fresh).push_back(std::uint32_t(p));
    }
    for (const SquareRange& range : ranges) {
        const auto is_fresh = [&](std::size_t p) { return std::ranges::binary_search(fresh, p); };
        std::size_t end = range.begin;
        while (end < range.end && is_fresh(end)) ++end;
        if (end > range.begin) compute_rows(variables, member, range.begin, end);
    }
    copy_known(variables.gram().threads(), known, member);
    mirror(variables.gram().threads(), fresh, known);
    for (const std::uint32_t p : padding) {
        std::fill_n(at(p), stride_, T(0));
        for (const std::uint32_t q : known) at(q)[p] = T(0);
    }
    std::fill_n(at(member.size()), stride_, T(0));
    place_.assign(variables.whole() ? 0 : variables.size(), nowhere);
    if (place_.empty()) return;
    for (std::size_t p = 0; p < member.size(); ++p) {
        if (member[p] != nowhere) place_[member[p]] = std::uint32_t(p);
    }
}

template <class T>
void KernelSquare<T>::use_whole(const Variables<T>& variables) {
    rows_ = variables.whole();
    stride_ = variables.whole_stride();
    place_.clear();
}

template <class T>
void KernelSquare<T>::compute_rows(Variables<T>& variables, const std::vector<std::uint32_t>& member,
                                   std::size_t begin, std::size_t end) {
    if (variables.whole()) {
        copy_whole(variables, begin, end);
    } else {
        variables.gram().square_rows(row_, begin, end, at(0), stride_);
    }
    for (std::size_t p = begin; p < end; ++p) {
        at(p)[p] += T(variables.problem.ridge[member[p]]);
    }
}

// Half of the values are read, the others mirrored: the matrix lies farther away than the square.
template <class T>
void KernelSquare<T>::copy_whole(const Variables<T>& variables, std::size_t begin, std::size_t end) {
    const std::vector<std::uint32_t> columns(row_.begin(), row_.end());
    const auto copy = [&](std::size_t p, std::size_t first, std::size_t last) {
        const T* from = variables.whole() + row_[p] * variables.whole_stride();
        T* to = at(p);
        for (std::size_t q = first; q < last; ++q) to[q] = from[columns[q]];
    };
    for (std::size_t top = begin; top < end; top += row_grain) {
        const std::size_t bottom = std::min(top + row_grain, end);
        for (std::size_t p = top; p < bottom; ++p) {
            copy(p, 0, begin);
            copy(p, top, columns.size());
        }
        square_functions<T>(instruction_set()).mirror(at(0), stride_, top, bottom, end);
    }
}

template <class T>
void KernelSquare<T>::copy_known(ThreadPool& threads, const std::vector<std::uint32_t>& known,
                                 const std::vector<std::uint32_t>& member) {
    std::vector<std::uint32_t> before(known.size());
    std::ranges::transform(known, before.begin(), [&](auto p) { return place_[member[p]]; });
    threads.parallel_for(known.size(), row_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            T* row = at(known[k]);
            const T* from = last_matrix_.data() + before[k] * last_stride_;
            for (std::size_t m = 0; m < known.size(); ++m) row[known[m]] = from[before[m]];
        }
    });
}

// k(to, from) = k(from, to), by tiles that fit into the cache.
template <class T>
void KernelSquare<T>::mirror(ThreadPool& threads, const std::vector<std::uint32_t>& from,
                             const std::vector<std::uint32_t>& to) {
    constexpr std::size_t tile = 16;
    const auto mirror_tile = [&](std::size_t a, std::size_t a_end, std::size_t b) {
        for (std::size_t k = a; k < a_end; ++k) {
            T* row = at(to[k]);
            for (std::size_t m = b; m < std::min(b + tile, from.size()); ++m) {
                row[from[m]] = at(from[m])[to[k]];
            }
        }
    };
    threads.parallel_for(to.size(), row_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t a = begin; a < end; a += tile) {
            for (std::size_t b = 0; b < from.size(); b += tile) {
                mirror_tile(a, std::min(a + tile, end), b);
            }
        }
    });
}

template class KernelSquare<float>;
template class KernelSquare<double>;

}  // namespace mercer::chunked
