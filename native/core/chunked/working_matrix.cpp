#include "core/chunked/working_matrix.hpp"

#include <algorithm>

#include "simd/instruction_set.hpp"

namespace mercer::chunked {

namespace {

// Rows a power of two apart would share their places in the cache.
constexpr std::size_t extra_columns = 16;
// A value that costs less is computed as fast as it is copied.
constexpr double cost_of_copying = 2.5e-9;
// Rows copied together, by one thread: some fifty microseconds of work.
constexpr std::size_t row_grain = 128;
constexpr double cost_of_mirroring = 0.3e-9;
// Rows that follow each other are copied together if there are that many of them on the average.
constexpr std::size_t short_run = 8;

}  // namespace

template <class T>
void WorkingMatrix<T>::compute(Variables<T>& variables, const std::vector<std::uint32_t>& member,
                               const std::vector<SubproblemRange>& ranges, double share_used) {
    const bool copies = has_row_.empty() && variables.costs().value > cost_of_copying;
    if (copies) std::swap(matrix_, last_matrix_);
    matrix_.require(checked_product(member.size() + 1, member.size() + extra_columns));
    rows_ = matrix_.data();
    last_stride_ = stride_;
    stride_ = member.size() + extra_columns;
    row_.resize(member.size());
    for (std::size_t p = 0; p < member.size(); ++p) {
        // Padding repeats a row: its values are never used but must be numbers.
        row_[p] = variables.row(member[p] == nowhere ? member[0] : member[p]);
    }
    std::fill_n(at(member.size()), stride_, T(0));
    // Of the working matrix half of the values are computed, many rows together. Alone a row takes
    // longer, and longest where it is not computed here.
    const Costs& costs = variables.costs();
    const bool awaits = variables.gram().kernel().is_parallel() &&
                        share_used * costs.value_alone < 0.5 * costs.value + cost_of_mirroring;
    if (variables.full_matrix() || awaits) {
        await(variables, member);
    } else {
        compute_all(variables, member, ranges, copies);
    }
    place_.assign(variables.full_matrix() ? 0 : variables.size(), nowhere);
    if (place_.empty()) return;
    for (std::size_t p = 0; p < member.size(); ++p) {
        if (member[p] != nowhere) place_[member[p]] = std::uint32_t(p);
    }
}

// Rows come when they are asked for.
template <class T>
void WorkingMatrix<T>::await(Variables<T>& variables, const std::vector<std::uint32_t>& member) {
    has_row_.assign(member.size(), false);
    full_matrix_ = variables.full_matrix();
    full_stride_ = variables.full_stride();
    gram_ = &variables.gram();
    find_runs();
    if (!full_matrix_) kernel_ = gram_->kernel().with_right(row_, &gram_->threads());
    ridge_.resize(member.size());
    for (std::size_t p = 0; p < member.size(); ++p) {
        ridge_[p] = member[p] == nowhere ? 0.0 : variables.problem.ridge[member[p]];
    }
}

template <class T>
void WorkingMatrix<T>::find_runs() {
    runs_.clear();
    if (!full_matrix_) return;
    for (std::size_t p = 0; p < row_.size(); ++p) {
        if (!runs_.empty() && runs_.back().row + runs_.back().count == row_[p]) {
            ++runs_.back().count;
        } else {
            runs_.push_back({row_[p], p, 1});
        }
    }
}

template <class T>
void WorkingMatrix<T>::fetch(std::size_t p) {
    T* to = at(p);
    if (full_matrix_) {
        const T* from = full_matrix_ + row_[p] * full_stride_;
        if (runs_.size() < row_.size() / short_run) {
            for (const Run& run : runs_) {
                std::copy_n(from + run.row, run.count, to + run.position);
            }
        } else {
            for (std::size_t q = 0; q < row_.size(); ++q) to[q] = from[row_[q]];
        }
    } else {
        kernel_->values(Indices(&row_[p], 1), 0, row_.size(), to, stride_);
        gram_->count_evaluations(row_.size());
    }
    to[p] += T(ridge_[p]);
    has_row_[p] = true;
}

template <class T>
void WorkingMatrix<T>::compute_all(Variables<T>& variables,
                                   const std::vector<std::uint32_t>& member,
                                   const std::vector<SubproblemRange>& ranges, bool copies) {
    has_row_.clear();
    std::vector<std::uint32_t> known, fresh, padding;
    for (std::size_t p = 0; p < member.size(); ++p) {
        const bool is_known = copies && member[p] != nowhere && knows(member[p]);
        (member[p] == nowhere ? padding : is_known ? known : fresh).push_back(std::uint32_t(p));
    }
    for (const SubproblemRange& range : ranges) {
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
}

template <class T>
void WorkingMatrix<T>::use_full_matrix(const Variables<T>& variables) {
    rows_ = variables.full_matrix();
    stride_ = variables.full_stride();
    place_.clear();
    has_row_.clear();
}

template <class T>
void WorkingMatrix<T>::compute_rows(Variables<T>& variables,
                                    const std::vector<std::uint32_t>& member, std::size_t begin,
                                    std::size_t end) {
    variables.gram().square_rows(row_, begin, end, at(0), stride_);
    for (std::size_t p = begin; p < end; ++p) {
        at(p)[p] += T(variables.problem.ridge[member[p]]);
    }
}

template <class T>
void WorkingMatrix<T>::copy_known(ThreadPool& threads, const std::vector<std::uint32_t>& known,
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
void WorkingMatrix<T>::mirror(ThreadPool& threads, const std::vector<std::uint32_t>& from,
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

template class WorkingMatrix<float>;
template class WorkingMatrix<double>;

}  // namespace mercer::chunked
