// A polytope at its place: as it is given, and as the search for nearest points scans it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/base/double_double.hpp"
#include "core/hull/points.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::hull {

// Vertex i is rotation * point i + translation, or point i where there is no rotation.
struct Body {
    const double* points = nullptr;
    std::size_t n_points = 0, dimension = 0;
    const double *rotation = nullptr, *translation = nullptr;  // both or neither

    // Coordinate c of vertex i times 2^exponent, exactly except for the products of a rotation.
    DoubleDouble exact(std::size_t i, std::size_t c, int exponent) const {
        const auto scaled = [=](double x) { return exponent ? std::ldexp(x, exponent) : x; };
        const double* point = points + i * dimension;
        if (!rotation) return scaled(point[c]);
        SumOfProducts sum;
        sum.add(scaled(translation[c]), 1.0);
        for (std::size_t k = 0; k < dimension; ++k) {
            sum.add(rotation[c * dimension + k], scaled(point[k]));
        }
        return sum.value();
    }

    // The vertex that goes least far along a direction, which is lost.
    std::size_t lowest(DoubleDouble* direction) const {
        const std::size_t d = dimension;
        if (rotation) turn_back(direction);
        std::size_t found = 0;
        DoubleDouble least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n_points; ++i) {
            DoubleDouble value = 0.0;
            for (std::size_t k = 0; k < d; ++k) value += direction[k] * points[i * d + k];
            if (value < least) least = value, found = i;
        }
        return found;
    }

    // A bound of the length of any vertex times 2^exponent, and of the terms of its coordinates.
    double reach(int exponent) const {
        double size = 0.0;
        for (std::size_t k = 0; k < n_points * dimension; ++k) {
            size = std::max(size, std::abs(points[k]));
        }
        size = std::ldexp(size, exponent);
        if (!rotation) return double(dimension) * size;
        double sum = 0.0;
        for (std::size_t k = 0; k < dimension * dimension; ++k) sum += std::abs(rotation[k]) * size;
        for (std::size_t c = 0; c < dimension; ++c) {
            sum += std::abs(std::ldexp(translation[c], exponent));
        }
        return sum;
    }

  private:
    // From the axes of its place to its own.
    void turn_back(DoubleDouble* direction) const {
        std::vector<DoubleDouble> turned(dimension);
        for (std::size_t c = 0; c < dimension; ++c) {
            for (std::size_t k = 0; k < dimension; ++k) {
                turned[k] += direction[c] * rotation[c * dimension + k];
            }
        }
        std::ranges::copy(turned, direction);
    }
};

// The same in double precision, measured from an origin. Of a body with a rotation it is the
// directions that are turned, and the few vertices that are asked for. D is the dimension, 0 if it
// is known at run time only.
template <std::size_t D>
class BodyPoints {
  public:
    explicit BodyPoints(std::size_t dimension)
        : shift_(dimension), turned_(dimension), zero_(dimension) {}

    void take(const Body& body, const double* origin) {
        body_ = body;
        const bool is_placed = body.rotation;
        points_.take(body.points, body.n_points, dimension(), is_placed ? zero_.data() : origin);
        for (std::size_t c = 0; is_placed && c < dimension(); ++c) {
            shift_[c] = body.translation[c] - origin[c];
        }
    }

    // The vertex that goes least far along x, and how far.
    Lowest lowest(const double* x) {
        if (!body_.rotation) return support_.lowest(points_.view(), x);
        const std::size_t d = dimension();
        double shift = 0.0;
        std::ranges::fill(turned_, 0.0);
        for (std::size_t c = 0; c < d; ++c) {
            for (std::size_t k = 0; k < d; ++k) turned_[k] += x[c] * body_.rotation[c * d + k];
            shift += x[c] * shift_[c];
        }
        Lowest found = support_.lowest(points_.view(), turned_.data());
        found.value += shift;
        return found;
    }

    double coordinate(std::size_t i, std::size_t c) const {
        if (!body_.rotation) return points_.coordinate(i, c);
        double sum = shift_[c];
        for (std::size_t k = 0; k < dimension(); ++k) {
            sum += body_.rotation[c * dimension() + k] * points_.coordinate(i, k);
        }
        return sum;
    }

    // Adds how far the vertices reach along each coordinate, or the terms that these are sums of.
    void add_reach(double* reach) {
        if (!body_.rotation) return points_.add_reach(reach);
        const std::size_t d = dimension();
        std::ranges::fill(turned_, 0.0);
        points_.add_reach(turned_.data());
        for (std::size_t c = 0; c < d; ++c) {
            reach[c] += std::abs(shift_[c]);
            for (std::size_t k = 0; k < d; ++k) {
                reach[c] += std::abs(body_.rotation[c * d + k]) * turned_[k];
            }
        }
    }

    // All coordinates times 2^exponent.
    void scale(int exponent) {
        points_.scale(exponent);
        for (double& shift : shift_) shift = std::ldexp(shift, exponent);
    }

    const Body& body() const { return body_; }
    std::size_t size() const { return points_.size(); }

  private:
    std::size_t dimension() const { return D ? D : shift_.size(); }

    const SupportFunctions& support_ = *instruction_set().support;
    Body body_;
    Points points_;
    std::vector<double> shift_, turned_, zero_;
};

}  // namespace mercer::hull
