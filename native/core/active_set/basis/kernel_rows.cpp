#include "core/active_set/basis/kernel_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/active_set/basis/vectors.hpp"

namespace mercer::active_set {

namespace {

// Products below which a second thread costs more than it brings, and how they are cut.
constexpr std::size_t parallel_products = 1 << 16;
constexpr std::size_t place_grain = 256;

}  // namespace

KernelRows::KernelRows(Gram<double>& gram, std::span<const std::int64_t> index,
                       std::span<const double> extra)
    : gram_(gram), extra_(extra) {
    find_segments(index);
    for (const std::int64_t row : index) {
        const std::size_t s = std::size_t(
            std::ranges::find_if(segments_,
                                 [&](const Segment& segment) {
                                     return std::size_t(row) - segment.first_row < segment.length;
                                 }) -
            segments_.begin());
        segment_.push_back(s);
        column_.push_back(std::size_t(row) - segments_[s].first_row);
        place_.push_back(segments_[s].first_place + column_.back());
        places_are_variables_ &= place_.back() + 1 == place_.size();
        diagonal_.push_back(std::size_t(row) == gram_.size() ? extra_.back()
                                                             : gram_.diagonal()[std::size_t(row)]);
    }
}

// The segments that hold a row of some variable, ascending; the extra row is one of its own.
void KernelRows::find_segments(std::span<const std::int64_t> index) {
    const auto& cuts = gram_.segments();
    std::vector<char> in_use(cuts.size(), false);
    for (const std::int64_t row : index) {
        const auto above = std::ranges::upper_bound(cuts, std::size_t(row));
        in_use[std::size_t(above - cuts.begin()) - 1] = true;
    }
    for (std::size_t s = 0; s < cuts.size(); ++s) {
        if (!in_use[s]) continue;
        const std::size_t length = s + 1 < cuts.size() ? cuts[s + 1] - cuts[s] : 1;
        segments_.push_back({s, cuts[s], length, n_places_});
        n_places_ += length;
    }
}

double KernelRows::largest_diagonal() const {
    double largest = 0.0;
    for (const double value : diagonal_) largest = std::max(largest, std::abs(value));
    return largest;
}

std::size_t KernelRows::gram_row(std::size_t variable) const {
    return segments_[segment_[variable]].first_row + column_[variable];
}

KernelRowPointer KernelRows::fetch(std::size_t variable) {
    const std::size_t row = gram_row(variable), n = gram_.size();
    auto out = std::make_shared<KernelRow>();
    for (const Segment& segment : segments_) {
        if (row == n) {
            out->segments.push_back(extra_.data() + segment.first_row);
        } else if (segment.first_row == n) {
            out->segments.push_back(extra_.data() + row);
        } else {
            out->held.push_back(gram_.row(row, segment.gram_segment));
            out->segments.push_back(out->held.back().values());
        }
    }
    return out;
}

void KernelRows::add_row(double weight, const KernelRow& row, double* out) const {
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        add_scaled(out + segments_[s].first_place, weight, row.segments[s], segments_[s].length);
    }
}

void KernelRows::add_rows(const double* weights, const std::vector<KernelRowPointer>& rows,
                          double* out) {
    std::vector<const double*> values(rows.size());
    for (std::size_t s = 0; s < segments_.size(); ++s) {
        for (std::size_t j = 0; j < rows.size(); ++j) values[j] = rows[j]->segments[s];
        double* segment = out + segments_[s].first_place;
        const auto part = [&](std::size_t begin, std::size_t end) {
            active_set::add_rows(segment + begin, weights, values.data(), values.size(), begin,
                                 end - begin);
        };
        if (segments_[s].length * rows.size() >= parallel_products) {
            gram_.threads().parallel_for(segments_[s].length, place_grain, part);
        } else {
            part(0, segments_[s].length);
        }
    }
}

bool KernelRows::expand(const double* coef, double* out, const Poll& poll) {
    const std::size_t n = gram_.size();
    std::vector<double> per_row(n + 1, 0.0), weights, product(n + 1, 0.0);
    for (std::size_t v = 0; v < n_variables(); ++v) per_row[gram_row(v)] += coef[v];
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < n; ++i) {
        if (per_row[i] == 0.0) continue;
        rows.push_back(i);
        weights.push_back(per_row[i]);
    }
    if (!rows.empty() && !gram_.product(rows, weights.data(), 1, product.data(), poll)) {
        return false;
    }
    if (!extra_.empty()) {
        product[n] = dot(extra_.data(), per_row.data(), n + 1);
        add_scaled(product.data(), per_row[n], extra_.data(), n);
    }
    for (const Segment& segment : segments_) {
        std::copy_n(product.data() + segment.first_row, segment.length, out + segment.first_place);
    }
    return true;
}

}  // namespace mercer::active_set
