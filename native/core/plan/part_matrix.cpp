#include "core/plan/part_matrix.hpp"

#include <algorithm>

#include "simd/instruction_set.hpp"

namespace mercer::plan {

namespace {

// Rows that follow each other, fewer of which are better packed anew than computed run by run.
constexpr std::size_t short_run = 48;
constexpr std::size_t together = 96;  // rows
constexpr std::size_t few_rows = 32;  // to be computed together at once

}  // namespace

template <class T>
void PartMatrix<T>::load(const ProblemView& problem, const Layout& layout, const T* diagonal) {
    n_fetched_ = 0;
    place(problem, layout);
    packed_ = nullptr;
    find_runs(row_);
    const bool is_scattered = runs_.size() > 2 && runs_.size() * short_run > n_variables_;
    if (is_scattered && !is_gathered()) pack();
    const auto end = problem.ridge + n_variables_;
    const bool is_plain = std::all_of(problem.ridge, end, [](double r) { return r == 0.0; });
    if (is_plain && is_gathered() && runs_.size() == 1 && is_shared(runs_[0].row, runs_[0])) {
        base_ = shared_->storage(runs_[0].row);
    } else {
        own_.require(checked_product(size_ + 1, size_));
        base_ = own_.data();
        std::fill_n(at(size_), size_, T(0));
    }
    set_diagonal(diagonal);
    most_fetched_ = n_variables_ <= few_rows ? 0 : worth_of_all(n_variables_, kernel());
}

template <class T>
void PartMatrix<T>::place(const ProblemView& problem, const Layout& layout) {
    size_ = layout.size();
    n_variables_ = layout.n_variables();
    holes_ = layout.holes();
    row_.assign(size_, no_row);
    layout.spread(problem.index, row_.data());
    has_row_.assign(size_, false);
    // no step asks for the row of a hole
    for (const auto& [begin, end] : holes_) {
        std::fill(has_row_.begin() + std::ptrdiff_t(begin), has_row_.begin() + std::ptrdiff_t(end),
                  true);
    }
}

// requires: none if the values are borrowed
template <class T>
void PartMatrix<T>::set_diagonal(const T* diagonal) {
    diagonal_ = diagonal;
    for (std::size_t p = 0; p < size_ && !is_borrowed(); ++p) {
        if (has_row_[p] && !is_hole(p)) at(p)[p] = diagonal_[p];
    }
}

template <class T>
void PartMatrix<T>::find_runs(const std::vector<std::size_t>& rows) {
    runs_.clear();
    for (std::size_t p = 0; p < size_; ++p) {
        if (rows[p] == no_row) continue;
        const bool goes_on = !runs_.empty() && runs_.back().row + runs_.back().count == rows[p] &&
                             runs_.back().position + runs_.back().count == p;
        if (goes_on) ++runs_.back().count;
        else runs_.push_back({rows[p], p, 1});
    }
}

template <class T>
void PartMatrix<T>::pack() {
    std::vector<std::size_t> rows, place(size_, no_row);
    for (std::size_t p = 0; p < size_; ++p) {
        if (is_hole(p)) continue;
        place[p] = rows.size();
        rows.push_back(row_[p]);
    }
    packed_ = gram_.kernel().with_right(rows, nullptr);
    find_runs(place);
}

template <class T>
bool PartMatrix<T>::is_shared(std::size_t row, const Run& run) const {
    return shared_ && !packed_ && shared_->begin(row) == run.row &&
           shared_->length(row) == run.count;
}

// Copies from the one block that all problems share.
template <class T>
void PartMatrix<T>::gather(std::size_t p) {
    const T* known = shared_->row(row_[p]);
    for (const Run& run : runs_) {
        std::copy_n(known + run.row, run.count, at(p) + run.position);
    }
}

template <class T>
void PartMatrix<T>::fetch(std::size_t p) {
    if (is_gathered()) {
        is_borrowed() ? void(shared_->row(row_[p])) : gather(p);
        finish(p);
        return;
    }
    if (n_fetched_ >= most_fetched_) {
        fetch_all();
        return;
    }
    const std::size_t row = row_[p];
    for (const Run& run : runs_) {
        T* out = at(p) + run.position;
        if (is_shared(row, run)) {
            std::copy_n(shared_->row(row), run.count, out);
        } else {
            kernel().values(Indices(&row, 1), run.row, run.row + run.count, out, run.count);
            gram_.count_evaluations(run.count);
        }
    }
    finish(p);
}

template <class T>
void PartMatrix<T>::fetch_all() {
    if (is_gathered()) return;
    for (const Run& run : runs_) {
        const T* shared = is_shared(run.row, run) ? shared_->all(run.row) : nullptr;
        for (std::size_t r = 0; r < run.count; r += together) {
            fetch_block(run, run.position + r, std::min(together, run.count - r), shared);
        }
    }
    n_fetched_ = 0;
    for (std::size_t p = 0; p < size_; ++p) {
        if (!is_hole(p)) finish(p);
    }
}

// Rows p .. p + height of a run with those of the run and of the runs behind it; what stands before
// them was computed with rows before.
template <class T>
void PartMatrix<T>::fetch_block(const Run& run, std::size_t p, std::size_t height,
                                const T* shared) {
    const RowValues<T> values = kernel().ready(Indices(row_).subspan(p, height));
    const std::size_t r = p - run.position;
    if (shared) {
        const std::size_t stride = shared_->stride(run.row);
        for (std::size_t k = 0; k < height; ++k) {
            std::copy_n(shared + (r + k) * stride, run.count, at(p + k) + run.position);
        }
    } else {
        values(run.row + r, run.row + run.count, at(p) + p, size_);
        gram_.count_evaluations(height * (run.count - r));
    }
    for (const Run& later : runs_) {
        if (later.position <= run.position) continue;
        values(later.row, later.row + later.count, at(p) + later.position, size_);
        gram_.count_evaluations(height * later.count);
    }
    instruction_set().subproblem.of<T>().mirror(at(0), size_, p, p + height, size_);
}

template <class T>
void PartMatrix<T>::finish(std::size_t p) {
    has_row_[p] = true;
    ++n_fetched_;
    if (is_borrowed()) return;
    for (const auto& [begin, end] : holes_) std::fill(at(p) + begin, at(p) + end, T(0));
    at(p)[p] = diagonal_[p];
}

template class PartMatrix<float>;
template class PartMatrix<double>;

}  // namespace mercer::plan
