// The passes of a pair step over all variables: update the gradient, find its extremes, and the
// partner of the largest gain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace mercer {

// Largest gradient among variables that may grow, smallest among those that may fall.
struct Extremes {
    static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
    double up = -std::numeric_limits<double>::infinity();
    double down = std::numeric_limits<double>::infinity();
    std::size_t up_at = nowhere, down_at = nowhere;
};

// Neighbouring positions [begin, end), and where their values lie in a kernel row: those of
// position p at columns[p], or, without columns, at first + (p - begin).
struct ScanRange {
    std::size_t begin, end;
    std::size_t first;
    const std::uint32_t* columns;
};

// Arrays indexed by position. Flags have all bits set where they hold, else none.
struct ScanArrays {
    const double* gradient;
    const double* curvature;
    const std::int64_t* can_grow;
    const std::int64_t* can_fall;
};

template <class T>
struct ScanFunctions {
    // gradient -= weight * (up_row - down_row)
    void (*subtract_rows)(double* gradient, const ScanRange&, const T* up_row, const T* down_row,
                          double weight);
    // gradient -= weight * row
    void (*subtract_row)(double* gradient, const ScanRange&, const T* row, double weight);
    // Widens `found` by the range; ties go to the last position.
    void (*extremes)(const ScanArrays&, const ScanRange&, Extremes& found);
    // The position of the largest (high - gradient)^2 / curvature among those that may fall and
    // whose gradient is below `high`, or Extremes::nowhere; ties go to the last. `own` is the
    // curvature of the variable that grows, `row` its kernel row, `span` the size of the slopes.
    std::size_t (*best_partner)(const ScanArrays&, const ScanRange&, const T* row, double high,
                                double own, double span);
};

}  // namespace mercer
