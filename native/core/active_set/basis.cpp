#include "core/active_set/basis.hpp"

#include <cmath>
#include <utility>

#include "core/active_set/vectors.hpp"

namespace mercer::active_set {

namespace {

// Rounding of a squared length, relative to the squared sum of the lengths it is made of.
constexpr double rounding = 32.0 * std::numeric_limits<double>::epsilon();

}  // namespace

// With s_0 the reference: h_0 = v - sum of the others, so that
//     Z'HZ h_Z = Z'(u - H[:, 0] v),   eta = u_0 - H[0, :] h.
void Basis::solve(const double* u, double v, std::vector<double>& h, double& eta) const {
    const std::size_t m = size();
    h.assign(u, u + m);
    eta = 0.0;
    if (!has_group_) {
        factor_.forward(h.data());
        factor_.backward(h.data());
        return;
    }
    if (m == 0) return;
    const KernelRow& reference = *rows_[0];
    if (v != 0.0) {
        for (std::size_t a = 0; a < m; ++a) h[a] -= v * entry(reference, members_[0], members_[a]);
    }
    for (std::size_t a = 1; a < m; ++a) h[a] -= h[0];
    factor_.forward(h.data() + 1);
    factor_.backward(h.data() + 1);
    h[0] = v;
    for (std::size_t a = 1; a < m; ++a) h[0] -= h[a];
    eta = u[0];
    for (std::size_t a = 0; a < m; ++a) eta -= entry(reference, members_[0], members_[a]) * h[a];
}

// The column of a variable in Z'HZ, projected on the factor; returns the pivot (spec 002, 3.3).
double Basis::project(std::size_t variable, const KernelRow& row,
                      std::vector<double>& column) const {
    const std::size_t m = size();
    column.resize(factor_.size());
    const double own = kernel_->diagonal(variable) + ridge_[variable];
    if (!has_group_) {
        for (std::size_t a = 0; a < m; ++a) column[a] = kernel_->value(row, members_[a]);
        return factor_.project(column.data(), own);
    }
    if (m == 0) return infinity;
    const KernelRow& reference = *rows_[0];
    const std::size_t zero = members_[0];
    const double corner = kernel_->diagonal(zero) + ridge_[zero];
    const double across = kernel_->value(row, zero);
    for (std::size_t a = 1; a < m; ++a) {
        column[a - 1] = (kernel_->value(row, members_[a]) - across) -
                        (kernel_->value(reference, members_[a]) - corner);
    }
    return factor_.project(column.data(), (corner - across) + (own - across));
}

Response Basis::respond(std::size_t variable, const KernelRow& row) const {
    const std::size_t m = size();
    Response out;
    out.curvature = project(variable, row, out.projected);
    out.h.assign(m, 0.0);
    std::copy(out.projected.begin(), out.projected.end(), out.h.begin() + long(m ? first() : 0));
    if (m > 0) factor_.backward(out.h.data() + first());
    double sum = 0.0;
    for (double& x : out.h) x = -x, sum += x;
    if (has_group_ && m > 0) {
        const KernelRow& reference = *rows_[0];
        out.h[0] = -1.0 - sum;
        out.eta = -kernel_->value(row, members_[0]);
        for (std::size_t a = 0; a < m; ++a) {
            out.eta -= entry(reference, members_[0], members_[a]) * out.h[a];
        }
    }
    // lengths of the differences to the reference, at most
    const double shift = has_group_ && m > 0 ? length(members_[0]) : 0.0;
    double total = length(variable) + shift;
    for (std::size_t a = 0; a < m; ++a) {
        total += std::abs(out.h[a]) * (length(members_[a]) + shift);
    }
    out.noise = rounding * total * total;
    return out;
}

bool Basis::append(std::size_t variable, KernelRowPointer row) {
    const Response response = respond(variable, *row);
    if (response.is_flat()) return false;
    append(variable, std::move(row), response);
    return true;
}

void Basis::append(std::size_t variable, KernelRowPointer row, const Response& response) {
    if (!has_group_ || size() > 0) factor_.append(response.projected.data(), response.curvature);
    push(variable, std::move(row));
}

void Basis::push(std::size_t variable, KernelRowPointer row) {
    position_[variable] = size();
    members_.push_back(variable);
    rows_.push_back(std::move(row));
}

void Basis::remove(std::size_t position) {
    if (has_group_ && position == 0) {
        if (size() > 1) factor_.remove_reference();
    } else {
        factor_.remove(position - first());
    }
    position_[members_[position]] = none;
    members_.erase(members_.begin() + long(position));
    rows_.erase(rows_.begin() + long(position));
    for (std::size_t a = position; a < size(); ++a) position_[members_[a]] = a;
}

void Basis::clear() {
    for (const std::size_t variable : members_) position_[variable] = none;
    members_.clear();
    rows_.clear();
    factor_.clear();
}

std::vector<std::size_t> Basis::refactorise() {
    const auto members = std::exchange(members_, {});
    const auto rows = std::exchange(rows_, {});
    factor_.clear();
    std::vector<std::size_t> dropped;
    for (const std::size_t variable : members) position_[variable] = none;
    for (std::size_t a = 0; a < members.size(); ++a) {
        if (!append(members[a], rows[a])) dropped.push_back(members[a]);
    }
    return dropped;
}

}  // namespace mercer::active_set
