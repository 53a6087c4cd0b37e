#include "core/active_set/basis/null_space_factor.hpp"

#include <algorithm>
#include <cmath>

#include "core/active_set/basis/vectors.hpp"

namespace mercer::active_set {

namespace {

// Rows k and k + 1 turned so that a chosen entry of row k + 1 vanishes.
struct Rotation {
    double cosine, sine;
};

// Columns that are turned side by side. One column is a chain of dependent operations; several
// together hide the latency.
constexpr std::size_t side_by_side = 8;

// Applies rotations[0 .. count) to rows 0 .. count of each column.
template <std::size_t width>
void rotate(const Rotation* rotations, std::size_t count, double* const* columns) {
    double carry[width];
    for (std::size_t c = 0; c < width; ++c) carry[c] = columns[c][0];
    for (std::size_t k = 0; k < count; ++k) {
        const auto [cosine, sine] = rotations[k];
        for (std::size_t c = 0; c < width; ++c) {
            const double below = columns[c][k + 1];
            columns[c][k] = cosine * carry[c] + sine * below;
            carry[c] = cosine * below - sine * carry[c];
        }
    }
    for (std::size_t c = 0; c < width; ++c) columns[c][count] = carry[c];
}

// The rotation that makes (upper, lower) into (length, 0).
Rotation annihilate(double upper, double lower) {
    const double length = std::hypot(upper, lower);
    return {upper / length, lower / length};
}

}  // namespace

void NullSpaceFactor::clear() {
    size_ = 0;
    packed_.clear();
}

double NullSpaceFactor::project(double* x, double diagonal) const {
    forward(x);
    return diagonal - dot(x, x, size_);
}

void NullSpaceFactor::append(const double* projected, double pivot) {
    packed_.insert(packed_.end(), projected, projected + size_);
    packed_.push_back(std::sqrt(pivot));
    ++size_;
}

// Without its column p the factor is upper Hessenberg from there on; rotations of rows k, k + 1
// for k = p, p + 1, ... make it triangular again (Sentelle 2014, equations 5.61 to 5.68).
void NullSpaceFactor::remove(std::size_t position) {
    std::vector<Rotation> rotations;
    rotations.reserve(size_ - position);
    for (std::size_t j = position + 1; j < size_;) {
        const std::size_t known = rotations.size();
        const std::size_t width = j + side_by_side <= size_ ? side_by_side : 1;
        double* columns[side_by_side];
        for (std::size_t c = 0; c < width; ++c) columns[c] = column(j + c) + position;
        if (width == 1) {
            rotate<1>(rotations.data(), known, columns);
        } else {
            rotate<side_by_side>(rotations.data(), known, columns);
        }
        for (std::size_t c = 0; c < width; ++c, ++j) {
            double* rest = columns[c] + known;
            rotate<1>(rotations.data() + known, rotations.size() - known, &rest);
            double* end = columns[c] + rotations.size();
            rotations.push_back(annihilate(end[0], end[1]));
            end[0] = std::hypot(end[0], end[1]);
            std::copy_n(column(j), j, column(j - 1));
        }
    }
    --size_;
    packed_.resize(start(size_));
}

// phi_a - phi_1 = (phi_a - phi_0) - (phi_1 - phi_0): the column of the successor is subtracted from
// the others. They are longer, so that the factor stays triangular.
void NullSpaceFactor::remove_reference(std::size_t successor,
                                       const std::vector<std::size_t>& others) {
    for (const std::size_t j : others)
        add_scaled(column(j), -1.0, column(successor), successor + 1);
    remove(successor);
}

void NullSpaceFactor::forward(double* x) const {
    for (std::size_t j = 0; j < size_; ++j) {
        const double* r = column(j);
        x[j] = (x[j] - dot(r, x, j)) / r[j];
    }
}

void NullSpaceFactor::backward(double* x) const {
    for (std::size_t j = size_; j-- > 0;) {
        const double* r = column(j);
        x[j] /= r[j];
        add_scaled(x, -x[j], r, j);
    }
}

double NullSpaceFactor::condition() const {
    double smallest = 0.0, largest = 0.0;
    for (std::size_t j = 0; j < size_; ++j) {
        const double pivot = entry(j, j) * entry(j, j);
        smallest = j == 0 ? pivot : std::min(smallest, pivot);
        largest = std::max(largest, pivot);
    }
    return size_ == 0 ? 1.0 : largest / smallest;
}

}  // namespace mercer::active_set
