// A displacement of many variables at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mercer::smo {

// `move` by position, zero outside `support`, and its `response` = (K + ridge) move: going along
// the direction lowers the gradient by the response, at any point.
struct Direction {
    std::vector<double> move, response;
    std::vector<std::size_t> support;
    double curvature = 0.0;  // move' (K + ridge) move

    explicit Direction(std::size_t size) : move(size), response(size), in_support_(size) {}

    bool empty() const { return support.empty(); }

    void measure() { curvature = dot(response); }
    double slope(const std::vector<double>& gradient) const { return dot(gradient); }

    // No displacement; the response is left for the caller to set.
    void clear() {
        for (std::size_t p : support) move[p] = 0.0, in_support_[p] = 0;
        support.clear();
    }

    void add(std::size_t position, double amount) {
        if (!in_support_[position]) support.push_back(position);
        in_support_[position] = 1;
        move[position] += amount;
    }

    void scale(double factor) {
        for (std::size_t p : support) move[p] *= factor;
        for (double& r : response) r *= factor;
    }

  private:
    double dot(const std::vector<double>& values) const {
        double sum = 0.0;
        for (std::size_t p : support) sum += move[p] * values[p];
        return sum;
    }

    std::vector<std::uint8_t> in_support_;
};

}  // namespace mercer::smo
