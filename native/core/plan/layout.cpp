#include "core/plan/layout.hpp"

namespace mercer::plan {

void Layout::assign(const ProblemView& p, std::size_t lanes) {
    n_variables_ = p.n_variables;
    size_ = 0;
    ranges_.clear();
    holes_.clear();
    if (p.n_variables == 0) return;
    const auto end = p.group + p.n_variables;
    if (std::all_of(p.group, end, [&](std::int8_t g) { return g == p.group[0]; })) {
        add_range(p.n_variables, lanes, p.group[0] < 0);
        return;
    }
    // those without a group come first
    std::vector<std::size_t> next(p.n_groups + 1, 0);
    for (std::size_t i = 0; i < p.n_variables; ++i) ++next[std::size_t(p.group[i] + 1)];
    for (std::size_t g = 0; g < next.size(); ++g) {
        const std::size_t count = next[g];
        next[g] = size_;
        if (count > 0) add_range(count, lanes, g == 0);
    }
    position_.resize(p.n_variables);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        position_[i] = next[std::size_t(p.group[i] + 1)]++;
    }
}

void Layout::add_range(std::size_t count, std::size_t lanes, bool is_alone) {
    const std::size_t begin = size_;
    size_ += (count + lanes - 1) / lanes * lanes;
    ranges_.push_back({begin, size_, is_alone});
    if (begin + count < size_) holes_.push_back({begin + count, size_});
}

}  // namespace mercer::plan
