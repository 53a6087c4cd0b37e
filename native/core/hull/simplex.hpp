// A few affinely independent points, and the best point of their hull: the inner loop of the
// algorithms for nearest points and for the smallest ball.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

namespace mercer::hull {

// The goal of the weights: the combination nearest to the origin, or the centre of the ball through
// the points, as long as no weight becomes negative.
enum class Target { origin, circumcentre };

// The weights of the last simplex stay those of a point inside it, and no step makes it worse
// (Wolfe 1976). D is the dimension, 0 if it is known at run time only.
// Real is the type of numbers: more than a double where points are nearly dependent.
template <std::size_t D, Target target = Target::origin, class Real = double>
class Simplex {
  public:
    using Number = Real;

    explicit Simplex(std::size_t dimension) : dimension_(dimension) {
        const std::size_t most = dimension + 2;
        if constexpr (D == 0) {
            points_.resize(most * dimension);
            basis_.resize(most * dimension);
            factor_.resize(most * most);
            for (auto* numbers : {&weights_, &wanted_, &scratch_}) numbers->resize(most);
            labels_.resize(most);
        }
    }

    std::size_t size() const { return size_; }
    std::size_t dimension() const { return D ? D : dimension_; }
    const Real* point(std::size_t k) const { return points_.data() + k * dimension(); }
    double weight(std::size_t k) const { return double(weights_[k]); }
    Real exact_weight(std::size_t k) const { return weights_[k]; }
    std::size_t label(std::size_t k) const { return labels_[k]; }

    void clear() { size_ = 0; }

    bool contains(std::size_t label) const {
        return std::find(labels_.begin(), labels_.begin() + std::ptrdiff_t(size_), label) !=
               labels_.begin() + std::ptrdiff_t(size_);
    }

    // Adds a point, with weight 0 unless it is the first; `label` is the caller's name for it.
    // Returns false and leaves the point out if it depends on the others so that nothing can be
    // gained.
    bool add(const Real* x, std::size_t label) {
        std::copy_n(x, dimension(), points_.data() + size_ * dimension());
        labels_[size_] = label;
        weights_[size_] = size_ == 0 ? 1.0 : 0.0;
        ++size_;
        return size_ == 1 || settle();
    }

    // Drops points whose weight is so small that their part in the combination is rounding of the
    // largest point. Call it after the search, which may still need them.
    void drop_rounding() {
        double square = 0.0;
        for (std::size_t k = 0; k < size_; ++k) {
            square = std::max(square, double(dot(point(k), point(k))));
        }
        const double size = std::sqrt(square);
        const double rounding =
            4.0 * double(dimension() + 2) * std::numeric_limits<double>::epsilon() * size;
        for (std::size_t k = size_; k-- > 0 && size_ > 1;) {
            if (weight(k) > negligible) continue;
            // how far the combination moves, up to a factor of 2: it is no longer than the point,
            // or it is the centre, as far from all of them
            const bool is_near = target == Target::origin;
            const double length = is_near ? std::sqrt(double(dot(point(k), point(k)))) : size;
            if (weight(k) * length <= rounding) drop(k);
        }
    }

    // Whether the simplex contains the origin, so far from its faces that errors of the points by
    // `rounding` do not change this. Call it after `add`.
    bool is_around_origin(double rounding) const {
        const std::size_t d = dimension(), most = d + 2;
        if (size_ != d + 1) return false;
        double height = std::numeric_limits<double>::infinity(), least = 1.0;
        for (std::size_t k = 0; k < d; ++k) {
            height = std::min(height, double(factor_[k * most + k]));
        }
        for (std::size_t k = 0; k < size_; ++k) least = std::min(least, weight(k));
        return least * height > 16.0 * rounding;
    }

    // sum_k weight_k point_k
    void combine(Real* out) const {
        const std::size_t d = dimension();
        for (std::size_t j = 0; j < d; ++j) out[j] = weights_[0] * point(0)[j];
        for (std::size_t k = 1; k < size_; ++k) {
            for (std::size_t j = 0; j < d; ++j) out[j] += weights_[k] * point(k)[j];
        }
    }

    // The point of the affine hull nearest to the origin: p_0 minus its projection onto the edges.
    // Subtracting the projection twice makes the rounding small relative to the result instead of
    // p_0, so its direction is right where hulls nearly touch. Call it after `add`, which computes
    // the edges.
    void nearest(Real* out) const {
        const std::size_t d = dimension();
        std::copy_n(point(0), d, out);
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t k = 0; k + 1 < size_; ++k) {
                const Real* q = basis_.data() + k * d;
                const Real share = dot(q, out);
                for (std::size_t j = 0; j < d; ++j) out[j] -= share * q[j];
            }
        }
    }

  private:
    // Edges count as dependent if less than this part of their length is outside the span of the
    // others.
    static constexpr double dependent = std::is_same_v<Real, double> ? 1e-13 : 1e-28;
    // Weights that may be rounding.
    static constexpr double negligible = 1e-13;

    template <class T, std::size_t fixed>
    using Storage = std::conditional_t<D == 0, std::vector<T>, std::array<T, fixed>>;

    // Moves to the best weights of all points, or to the first place where a weight vanishes; that
    // point is dropped, and the move is repeated.
    bool settle() {
        for (;;) {
            if (const std::size_t at = find_weights(); at != size_) {
                if (at + 1 != size_) {  // rounding only: such a point came in before
                    drop(at);
                    continue;
                }
                if constexpr (target == Target::origin) {
                    drop_last();
                    return false;
                } else {
                    exchange_last();
                    continue;
                }
            }
            const std::size_t least = first_to_vanish();
            if (least == size_) {
                std::copy_n(wanted_.begin(), size_, weights_.begin());
                return true;
            }
            const Real gap = weights_[least] - wanted_[least];
            const Real share = gap > 0.0 ? weights_[least] / gap : 0.0;
            for (std::size_t k = 0; k < size_; ++k) {
                weights_[k] += share * (wanted_[k] - weights_[k]);
            }
            drop(least);
        }
    }

    // The point whose weight vanishes first on the way to the target weights; size() if none does.
    std::size_t first_to_vanish() const {
        std::size_t found = size_;
        Real shortest = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < size_; ++k) {
            if (wanted_[k] > 0.0) continue;
            const Real gap = weights_[k] - wanted_[k];
            const Real share = gap > 0.0 ? weights_[k] / gap : 0.0;
            if (share < shortest) shortest = share, found = k;
        }
        return found;
    }

    // Weights that sum to 1, signs ignored, from the edges e_k = p_k - p_0 = (Q R)_k: the origin is
    // nearest to p_0 + E v with R v = -Q' p_0; the centre has E'E v = |e_k|^2 / 2. Returns the
    // first point that depends on those before it, size() if there is none.
    std::size_t find_weights() {
        using std::sqrt;
        const std::size_t d = dimension(), most = d + 2;
        for (std::size_t k = 1; k < size_; ++k) {
            Real* edge = basis_.data() + (k - 1) * d;
            Real square = 0.0;
            for (std::size_t j = 0; j < d; ++j) {
                edge[j] = point(k)[j] - point(0)[j];
                square += edge[j] * edge[j];
            }
            if (k > d || !make_orthogonal(k - 1, sqrt(square))) return k;
            scratch_[k - 1] = Real(0.5) * square;
        }
        const std::size_t m = size_ - 1;
        if constexpr (target == Target::origin) {
            for (std::size_t k = 0; k < m; ++k) scratch_[k] = -dot(basis_.data() + k * d, point(0));
        } else {
            for (std::size_t k = 0; k < m; ++k) {
                for (std::size_t i = 0; i < k; ++i) {
                    scratch_[k] -= factor_[k * most + i] * scratch_[i];
                }
                scratch_[k] /= factor_[k * most + k];
            }
        }
        Real rest = 1.0;
        for (std::size_t k = m; k-- > 0;) {
            Real sum = scratch_[k];
            for (std::size_t i = k + 1; i < m; ++i) sum -= factor_[i * most + k] * wanted_[i + 1];
            wanted_[k + 1] = sum / factor_[k * most + k];
            rest -= wanted_[k + 1];
        }
        wanted_[0] = rest;
        return size_;
    }

    // Column k of the edges becomes orthonormal to those before; column k of R is stored as a row.
    // Twice is enough.
    bool make_orthogonal(std::size_t k, Real length) {
        using std::sqrt;
        const std::size_t d = dimension(), most = d + 2;
        Real *edge = basis_.data() + k * d, *column = factor_.data() + k * most;
        std::fill_n(column, k + 1, Real(0.0));
        Real left = length;
        for (int pass = 0; pass < 2 && k > 0; ++pass) {
            for (std::size_t i = 0; i < k; ++i) {
                const Real* q = basis_.data() + i * d;
                const Real share = dot(q, edge);
                column[i] += share;
                for (std::size_t j = 0; j < d; ++j) edge[j] -= share * q[j];
            }
            const Real before = left;
            left = sqrt(dot(edge, edge));
            if (left > Real(0.5) * before) break;
        }
        if (!(left > Real(dependent) * length)) return false;
        column[k] = left;
        for (std::size_t j = 0; j < d; ++j) edge[j] /= left;
        return true;
    }

    // The last point is an affine combination of the others with a larger value: its weight grows
    // and theirs change in proportion, which keeps the centre, until one of them vanishes.
    void exchange_last() {
        const std::size_t d = dimension(), most = d + 2, last = size_ - 1;
        std::vector<Real> edge(d), share(size_);
        for (std::size_t j = 0; j < d; ++j) edge[j] = point(last)[j] - point(0)[j];
        const std::size_t m = std::min(last - 1, d);
        Real rest = 1.0;
        for (std::size_t k = m; k-- > 0;) {
            Real sum = dot(basis_.data() + k * d, edge.data());
            for (std::size_t i = k + 1; i < m; ++i) sum -= factor_[i * most + k] * share[i + 1];
            share[k + 1] = sum / factor_[k * most + k];
            rest -= share[k + 1];
        }
        share[0] = rest;
        std::size_t leaving = last;
        Real step = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < last; ++k) {
            if (share[k] > 0.0 && weights_[k] / share[k] < step) {
                step = weights_[k] / share[k], leaving = k;
            }
        }
        for (std::size_t k = 0; k < last; ++k) weights_[k] -= step * share[k];
        weights_[last] += step;
        drop(leaving);
    }

    void drop_last() { --size_; }

    void drop(std::size_t k) {
        const std::size_t d = dimension(), last = size_ - 1;
        if (k != last) {
            std::copy_n(point(last), d, points_.data() + k * d);
            weights_[k] = weights_[last];
            labels_[k] = labels_[last];
        }
        --size_;
        Real sum = 0.0;
        for (std::size_t i = 0; i < size_; ++i) sum += weights_[i];
        for (std::size_t i = 0; i < size_; ++i)
            weights_[i] = sum > 0.0 ? weights_[i] / sum : Real(1.0 / double(size_));
    }

    Real dot(const Real* a, const Real* b) const {
        Real sum = 0.0;
        for (std::size_t j = 0; j < dimension(); ++j) sum += a[j] * b[j];
        return sum;
    }

    std::size_t dimension_, size_ = 0;
    Storage<Real, (D + 2) * D> points_, basis_;
    Storage<Real, (D + 2) * (D + 2)> factor_;  // R by columns
    Storage<Real, D + 2> weights_, wanted_, scratch_;
    Storage<std::size_t, D + 2> labels_;
};

}  // namespace mercer::hull
