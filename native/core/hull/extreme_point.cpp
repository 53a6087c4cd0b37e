#include "core/hull/extreme_point.hpp"

#include <algorithm>
#include <numeric>

namespace mercer::hull {

namespace {

constexpr double rounding = 1e-12;  // of the total, that no member need make up for

}  // namespace

const std::vector<Share>& ExtremePoint::find(std::span<const double> value,
                                             std::span<const double> cap, double total) {
    shares_.clear();
    if (value.empty() || !(total > 0.0)) return shares_;
    const auto first = std::size_t(std::ranges::max_element(value) - value.begin());
    if (cap[first] >= total) {
        shares_.push_back({first, total});
        return shares_;
    }
    const auto is_behind = [&](std::size_t a, std::size_t b) {
        return value[a] < value[b] || (value[a] == value[b] && a > b);
    };
    heap_.resize(value.size());
    std::iota(heap_.begin(), heap_.end(), std::size_t(0));
    std::ranges::make_heap(heap_, is_behind);
    double left = total;
    while (left > rounding * total && !heap_.empty()) {
        std::ranges::pop_heap(heap_, is_behind);
        const std::size_t member = heap_.back();
        heap_.pop_back();
        const double weight = std::min(cap[member], left);
        if (weight > 0.0) shares_.push_back({member, weight});
        left -= weight;
    }
    return shares_;
}

}  // namespace mercer::hull
