// Variables of one function of an online machine, one for each slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simd/scan.hpp"

namespace mercer::online {

// The terms of a variable in the problem: its linear term and its box.
struct Terms {
    double linear, lower, upper;
};

// Those of free slots cannot move.
struct Variables {
    std::vector<double> beta, gradient, linear, lower, upper;
    std::vector<std::int64_t> can_grow, can_fall;

    std::size_t size() const { return beta.size(); }

    void resize(std::size_t n) {
        for (auto* field : {&beta, &gradient, &linear, &lower, &upper}) field->resize(n, 0.0);
        can_grow.resize(n, 0);
        can_fall.resize(n, 0);
    }

    void set(std::size_t slot, const Terms& terms, double value, double slope) {
        beta[slot] = value;
        gradient[slot] = slope;
        linear[slot] = terms.linear;
        lower[slot] = terms.lower;
        upper[slot] = terms.upper;
        refresh(slot);
    }

    void clear(std::size_t slot) { set(slot, {0.0, 0.0, 0.0}, 0.0, 0.0); }

    void refresh(std::size_t slot) {
        can_grow[slot] = beta[slot] < upper[slot] ? -1 : 0;
        can_fall[slot] = beta[slot] > lower[slot] ? -1 : 0;
    }

    // The slots `kept`, in this order, and no others.
    void take(const std::vector<std::size_t>& kept) {
        for (auto* field : {&beta, &gradient, &linear, &lower, &upper}) gather(*field, kept);
        gather(can_grow, kept);
        gather(can_fall, kept);
    }

    template <class V>
    static void gather(V& values, const std::vector<std::size_t>& kept) {
        V some(kept.size());
        for (std::size_t i = 0; i < kept.size(); ++i) some[i] = values[kept[i]];
        values = std::move(some);
    }

    ScanRange all() const { return {0, size(), 0, nullptr}; }
    ScanArrays arrays(const double* curvature) const {
        return {gradient.data(), curvature, can_grow.data(), can_fall.data()};
    }
};

}  // namespace mercer::online
