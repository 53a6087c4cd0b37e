// Kernel values among the variables of one problem of many, a row at a time as steps ask for them.
//
// Easy problems ask for few: of two classes of four hundred rows with forty support vectors for one
// row in twenty. Values computed together take less time, and by symmetry half of them are enough:
// where the rows asked for have taken as long as all of them together would, all are computed.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/arena.hpp"
#include "core/gram/gram.hpp"
#include "core/plan/layout.hpp"
#include "core/plan/shared_blocks.hpp"
#include "core/problem/problem.hpp"
#include "simd/subproblem.hpp"

namespace mercer::plan {

template <class T>
class PartMatrix final : public RowSource {
  public:
    // `shared` may be null.
    PartMatrix(Gram<T>& gram, SharedBlocks<T>* shared)
        : gram_(gram), shared_(shared), own_(gram.arena()) {}

    // Makes room for the variables of a problem at their positions. `diagonal`, with the ridge,
    // must stay.
    void load(const ProblemView& problem, const Layout& layout, const T* diagonal);
    // Another ridge of the same variables.
    void set_diagonal(const T* diagonal);
    void fetch(std::size_t position) override;
    // All rows, unless a block that is shared has them.
    void fetch_all();

    // Kernel values of a position plus its ridge, if that row is there; a row of zeros follows the
    // last position.
    const T* row(std::size_t p) const { return base_ + p * size_; }
    std::size_t stride() const { return size_; }
    const std::uint8_t* has_row() const { return has_row_.data(); }
    std::size_t n_fetched() const { return n_fetched_; }
    // Rows that take as long one by one as all of them together.
    std::size_t worth() const { return most_fetched_; }
    // Multiplications that a value takes.
    double work() const { return kernel().work(); }

  private:
    // Rows of the Gram, or of those that were packed anew, that follow each other at positions
    // that do.
    struct Run {
        std::size_t row, position, count;
    };
    void place(const ProblemView& problem, const Layout& layout);
    // Runs of the rows at these positions.
    void find_runs(const std::vector<std::size_t>& rows);
    bool is_hole(std::size_t p) const { return row_[p] == no_row; }
    // Packs the rows of the problem anew, in the order of their positions.
    void pack();
    // Whether all rows of the Gram are one block, which then has all values.
    bool is_gathered() const { return shared_ && shared_->n_blocks() == 1; }
    // Whether they are all rows of the problem, too, without a ridge: values serve as they are.
    bool is_borrowed() const { return base_ != own_.data(); }
    bool is_shared(std::size_t row, const Run& run) const;
    void gather(std::size_t p);
    void fetch_block(const Run& run, std::size_t p, std::size_t height, const T* shared);
    const Kernel<T>& kernel() const { return packed_ ? *packed_ : gram_.kernel(); }
    void finish(std::size_t p);
    T* at(std::size_t p) { return base_ + p * size_; }

    Gram<T>& gram_;
    SharedBlocks<T>* shared_;
    KernelPointer<T> packed_;  // with the rows of the problem on the right; null: in runs
    static constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();

    std::vector<std::size_t> row_;  // of each position, no_row in a hole
    const T* diagonal_ = nullptr;
    std::vector<Run> runs_;
    std::vector<Layout::Hole> holes_;
    std::vector<std::uint8_t> has_row_;
    Borrowed<T> own_;
    T* base_ = nullptr;
    std::size_t size_ = 0, n_variables_ = 0, n_fetched_ = 0, most_fetched_ = 0;
};

}  // namespace mercer::plan
