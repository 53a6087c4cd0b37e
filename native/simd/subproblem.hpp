// Pair steps on a small dense problem that stays in the cache: the inner solver of `chunked`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer {

// Variables of one group (or, alone, of none) in neighbouring positions [begin, end).
struct SubproblemRange {
    std::size_t begin, end;
    bool alone;  // no group: variables move one at a time
};

// Where rows of the working matrix come from that are not there yet.
class RowSource {
  public:
    virtual ~RowSource() = default;
    virtual void fetch(std::size_t position) = 0;
};

// maximize over beta within the box, sums of the ranges kept, from a point with `gradient`.
// Positions come in whole vectors: ranges are padded with variables that cannot move.
template <class T>
struct Subproblem {
    std::size_t size;
    const T* matrix;  // kernel values plus ridge on the diagonal; zero in padding
    std::size_t stride;
    const T* diagonal;
    T* gradient;
    double* beta;
    const double* lower;
    const double* upper;
    // Added to a gradient they take those out of a comparison that cannot grow (-infinity) or fall
    // (infinity); 0 elsewhere.
    T* grow_bar;
    T* fall_bar;
    const SubproblemRange* ranges;
    std::size_t n_ranges;
    T* product;  // room for the matrix times the direction of the last steps
    // Which rows of the matrix are there; the others must be fetched. Null: all are.
    const std::uint8_t* has_row = nullptr;
    RowSource* source = nullptr;
};

struct SubproblemResult {
    std::size_t iterations = 0;
    double violation = 0.0;
    bool unbounded = false;
};

template <class T>
struct SubproblemFunctions {
    std::size_t lanes;
    // Sets the bars from beta and the box.
    void (*refresh)(const Subproblem<T>&);
    // Second-order conjugate pair steps until the violation is at most `tolerance`.
    SubproblemResult (*solve)(const Subproblem<T>&, double tolerance, std::size_t max_iterations);
    // matrix[c][r] = matrix[r][c] for rows r in [begin, end) and columns c in [end, last).
    void (*mirror)(T* matrix, std::size_t stride, std::size_t begin, std::size_t end,
                   std::size_t last);
};

}  // namespace mercer
