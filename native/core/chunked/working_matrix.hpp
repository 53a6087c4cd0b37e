// The kernel values among the members of a chunk.
//
// If values are expensive, none is computed twice within a chunk, and values among members of the
// last chunk are copied (Rifkin 2002, section 2.4.1). If they are cheap, rows are computed when a
// step first asks for them, which most steps never do. No bit of a result depends on the choice.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/chunked/variables.hpp"
#include "simd/subproblem.hpp"

namespace mercer::chunked {

// Position in a chunk without a variable, or variable without a position.
inline constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

template <class T>
class WorkingMatrix final : public RowSource {
  public:
    explicit WorkingMatrix(Arena& arena) : matrix_(arena), last_matrix_(arena) {}
    WorkingMatrix(const WorkingMatrix&) = delete;
    WorkingMatrix& operator=(const WorkingMatrix&) = delete;

    // Whether the variable was in the last working matrix.
    bool knows(std::uint32_t v) const { return v < place_.size() && place_[v] != nowhere; }

    // member[p]: the variable at position p, or `nowhere`. share_used: of the rows, that steps are
    // likely to ask for. requires: in each range those the last working matrix did not know come
    // first
    void compute(Variables<T>& variables, const std::vector<std::uint32_t>& member,
                 const std::vector<SubproblemRange>& ranges, double share_used);

    // Reads the full kernel matrix where it lies. requires: variables.is_full_matrix_in_place()
    void use_full_matrix(const Variables<T>& variables);
    // Kernel values of a position plus its ridge, if that row is there; a row of zeros follows the
    // last one.
    const T* row(std::size_t p) const { return rows_ + p * stride_; }
    std::size_t stride() const { return stride_; }
    // Of each position; null: all rows are there.
    const std::uint8_t* has_row() const { return has_row_.empty() ? nullptr : has_row_.data(); }
    void fetch(std::size_t position) override;

  private:
    void compute_all(Variables<T>& variables, const std::vector<std::uint32_t>& member,
                     const std::vector<SubproblemRange>& ranges, bool copies);
    void await(Variables<T>& variables, const std::vector<std::uint32_t>& member);
    void compute_rows(Variables<T>& variables, const std::vector<std::uint32_t>& member,
                      std::size_t begin, std::size_t end);
    void copy_known(ThreadPool& threads, const std::vector<std::uint32_t>& known,
                    const std::vector<std::uint32_t>& member);
    void mirror(ThreadPool& threads, const std::vector<std::uint32_t>& from,
                const std::vector<std::uint32_t>& to);
    // Rows of the Gram that follow each other, at positions that do: copied together.
    struct Run {
        std::size_t row, position, count;
    };
    void find_runs();
    T* at(std::size_t p) { return matrix_.data() + p * stride_; }

    Borrowed<T> matrix_, last_matrix_;
    const T* rows_ = nullptr;
    std::size_t stride_ = 0, last_stride_ = 0;
    std::vector<std::uint32_t> place_;  // of each variable in the last working matrix
    std::vector<std::size_t> row_;      // of each position
    std::vector<std::uint8_t> has_row_;
    // What rows are fetched with.
    const T* full_matrix_ = nullptr;
    std::size_t full_stride_ = 0;
    std::vector<Run> runs_;
    Gram<T>* gram_ = nullptr;
    KernelPointer<T> kernel_;  // with the members on the right
    std::vector<double> ridge_;
};

}  // namespace mercer::chunked
