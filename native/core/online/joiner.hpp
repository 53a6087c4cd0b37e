// Rows between two others, made while a block of examples is taken in: dense rows, a Gaussian
// kernel.
//
// Places are numbered: kept rows first, as the columns of the block, then the rows of the block,
// then joined ones. Kernel values of a joined row come from the micro-kernels, as those of all
// others do, and not from the values of both rows it lies between: every bit is what it would be if
// the row had come from outside, so that the cut of a stream does not matter.
#pragma once

#include <cstddef>
#include <vector>

#include "core/gram/kernel.hpp"

namespace mercer::online {

// Dense rows as the user has them, in one of two precisions; the other pointer is null.
struct GivenRows {
    const float* single;
    const double* wide;
    std::size_t n_rows;
};

template <class T>
class Joiner {
  public:
    struct Part {
        GivenRows given;
        RowsPointer<T> packed;
    };

    // `scale`: of each feature, empty: none. What is given in `parts` must outlive this.
    Joiner(LeafParameters leaf, bool by_differences, std::vector<double> scale,
           std::vector<Part> parts);

    // Makes the row share * a + (1 - share) * b of two places and its values; returns its place.
    std::size_t join(std::size_t a, std::size_t b, double share);

    // Of a joined place: kernel values with all places up to itself.
    const T* values(std::size_t place) const { return values_[place - n_given_].data(); }
    std::size_t n_given() const { return n_given_; }
    // The joined rows, one after the other.
    const std::vector<double>& rows() const { return rows_; }
    std::size_t n_features() const { return n_features_; }

  private:
    // One row in double precision; whether it was given in single precision.
    bool read(std::size_t place, std::vector<double>& row) const;
    RowsPointer<T> packed(std::size_t first, std::size_t last) const;
    void add_values(const RowsPointer<T>& row, const RowsPointer<T>& others,
                    std::vector<T>& values) const;

    LeafParameters leaf_;
    bool by_differences_;
    std::vector<double> scale_;
    std::vector<Part> parts_;
    std::size_t n_given_ = 0, n_features_ = 0;
    Storage storage_ = Storage::dense;
    std::vector<double> rows_;             // joined ones
    std::vector<std::uint8_t> is_single_;  // of each of them
    std::vector<RowsPointer<T>> packs_;    // of joined ones, full except for the last
    std::vector<std::vector<T>> values_;   // of each joined row
};

}  // namespace mercer::online
