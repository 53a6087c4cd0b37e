#include "core/plan/layout.hpp"

namespace mercer::plan {

void Layout::assign(const ProblemView& p, std::size_t lanes) {
    // one place more, for the variables without a group
    std::vector<std::size_t> next(p.n_groups + 1, 0);
    for (std::size_t i = 0; i < p.n_variables; ++i) ++next[std::size_t(p.group[i] + 1)];
    ranges_.clear();
    std::size_t size = 0;
    for (std::size_t g = 0; g < next.size(); ++g) {
        const std::size_t begin = size, count = next[g];
        next[g] = begin;
        size += (count + lanes - 1) / lanes * lanes;
        if (count > 0) ranges_.push_back({begin, size, g == 0});
    }
    position_.resize(p.n_variables);
    variable_.assign(size, nobody);
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        position_[i] = next[std::size_t(p.group[i] + 1)]++;
        variable_[position_[i]] = i;
    }
}

}  // namespace mercer::plan
