// The kernel rows of the variables of one problem, held as long as somebody uses them.
//
// *Places* number the rows of the segments the problem touches, one after the other; vectors of
// kernel expansions are indexed by place. A variable has a place; several may share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/gram/gram.hpp"

namespace mercer::active_set {

// A complete kernel row: one pointer for each segment in use.
struct KernelRow {
    std::vector<RowSegment<double>> held;
    std::vector<const double*> segments;
};
using KernelRowPointer = std::shared_ptr<const KernelRow>;

class KernelRows {
  public:
    // `extra`: values of one more row that the Gram does not have, against the rows of the Gram and
    // then itself; its index is gram.size(). May be empty. It must outlive this.
    KernelRows(Gram<double>& gram, std::span<const std::int64_t> index,
               std::span<const double> extra = {});

    std::size_t n_variables() const { return place_.size(); }
    std::size_t n_places() const { return n_places_; }
    std::size_t place(std::size_t variable) const { return place_[variable]; }
    // Whether variable i has place i.
    bool places_are_variables() const { return places_are_variables_; }
    double diagonal(std::size_t variable) const { return diagonal_[variable]; }
    double largest_diagonal() const;

    KernelRowPointer fetch(std::size_t variable);
    double value(const KernelRow& row, std::size_t variable) const {
        return row.segments[segment_[variable]][column_[variable]];
    }

    // out[place] += weight * row[place]
    void add_row(double weight, const KernelRow& row, double* out) const;
    // out[place] += sum_j weights[j] rows[j][place], streamed once, by all threads
    void add_rows(const double* weights, const std::vector<KernelRowPointer>& rows, double* out);
    // out[place] = sum over variables of coef[v] k(place, v), from scratch; false if polled out
    bool expand(const double* coef, double* out, const Poll& poll);

  private:
    struct Segment {
        std::size_t gram_segment, first_row, length, first_place;
    };
    void find_segments(std::span<const std::int64_t> index);
    std::size_t gram_row(std::size_t variable) const;

    Gram<double>& gram_;
    std::span<const double> extra_;
    std::vector<Segment> segments_;
    std::size_t n_places_ = 0;
    bool places_are_variables_ = true;
    std::vector<std::size_t> segment_, column_, place_;
    std::vector<double> diagonal_;
};

}  // namespace mercer::active_set
