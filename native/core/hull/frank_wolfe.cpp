#include "core/hull/frank_wolfe.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/hull/extreme_point.hpp"

namespace mercer::hull {

namespace {

// One group: its point, an extreme point of its hull, and the kernel expansions of both over all
// rows of the Gram.
struct Hull {
    double sign = 1.0, total = 0.0;
    std::vector<std::size_t> member;  // variables
    std::vector<double> cap, slope;   // by member; the slope of a coefficient's size
    std::vector<double> corner;       // the extreme point moved to last, by member
    std::vector<Share> aim;           // the extreme point that goes farthest now
    std::vector<double> expansion, corner_expansion;  // by row
    double promise = 0.0;                             // slope' (aim - point)
};

template <class T>
class Run {
  public:
    Run(const ProblemView& problem, Gram<T>& gram, const FrankWolfeOptions& options, double* beta,
        const Monitor& monitor)
        : problem_(problem), gram_(gram), options_(options), beta_(beta), monitor_(monitor) {}

    FrankWolfeResult run() {
        try {
            prepare();
            iterate();
        } catch (const Interrupted&) {  // the point is the last one reached
        }
        if (std::isfinite(result_.gap)) result_.violation = 0.0;
        result_.seconds = clock_.seconds();
        return std::move(result_);
    }

  private:
    void iterate() {
        while (watch()) {
            aim();
            record();
            if (is_done()) return;
            if (result_.iterations >= options_.max_iterations) {
                result_.status = Status::max_iterations;
                return;
            }
            if (!step()) return;
        }
    }

    void prepare() {
        hulls_.resize(problem_.n_groups);
        for (std::size_t g = 0; g < hulls_.size(); ++g) {
            hulls_[g].total = std::abs(problem_.group_sum[g]);
            hulls_[g].sign = problem_.group_sum[g] < 0.0 ? -1.0 : 1.0;
        }
        for (std::size_t i = 0; i < problem_.n_variables; ++i) {
            Hull& hull = hulls_[std::size_t(problem_.group[i])];
            hull.member.push_back(i);
            hull.cap.push_back(hull.sign > 0.0 ? problem_.upper[i] : -problem_.lower[i]);
        }
        for (Hull& hull : hulls_) {
            hull.slope.resize(hull.member.size());
            hull.corner.assign(hull.member.size(), 0.0);
            hull.expansion.assign(gram_.size(), 0.0);
            hull.corner_expansion.assign(gram_.size(), 0.0);
            changes_.clear();
            for (const std::size_t i : hull.member) add_change(i, beta_[i]);
            add_expansion(hull.expansion);
        }
    }

    void add_change(std::size_t variable, double weight) {
        if (weight != 0.0) changes_[std::size_t(problem_.index[variable])] += weight;
    }

    // out += K changes: from kernel rows that are kept if there is room for them, else fused.
    void add_expansion(std::vector<double>& out) {
        rows_.clear(), weights_.clear();
        for (const auto& [row, weight] : changes_) rows_.push_back(row);
        std::ranges::sort(rows_);
        for (const std::size_t row : rows_) weights_.push_back(changes_[row]);
        if (rows_.empty()) return;
        if (2 * rows_.size() * gram_.size() * sizeof(T) <= gram_.cache_bytes()) {
            const std::vector<T> weights(weights_.begin(), weights_.end());
            for (std::size_t s = 0; s + 1 < gram_.segments().size(); ++s) {
                gram_.add_rows(rows_, weights.data(), s, out.data());
            }
            return;
        }
        product_.resize(gram_.size());
        const auto poll = [this] { return watch(); };
        if (!gram_.product(rows_, weights_.data(), 1, product_.data(), poll)) throw Interrupted();
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += product_[i];
    }

    double gradient(std::size_t variable) const {
        const auto row = std::size_t(problem_.index[variable]);
        double value = problem_.linear[variable] - problem_.ridge[variable] * beta_[variable];
        for (const Hull& hull : hulls_) value -= hull.expansion[row];
        return value;
    }

    // The extreme point each hull would move to, what that promises, and the objective
    // 1/2 beta' (linear + gradient).
    void aim() {
        objective_ = result_.gap = 0.0;
        for (Hull& hull : hulls_) {
            double now = 0.0, then = 0.0;
            for (std::size_t k = 0; k < hull.member.size(); ++k) {
                const std::size_t i = hull.member[k];
                const double g = gradient(i);
                hull.slope[k] = hull.sign * g;
                now += g * beta_[i];
                objective_ += 0.5 * beta_[i] * (problem_.linear[i] + g);
            }
            hull.aim = chooser_.find(hull.slope, hull.cap, hull.total);
            for (const Share& share : hull.aim) then += share.weight * hull.slope[share.member];
            hull.promise = std::max(then - now, 0.0);
            result_.gap += hull.promise;
        }
    }

    bool is_done() {
        const double size = std::max(
            {std::abs(objective_), std::abs(objective_ + result_.gap), options_.least_size});
        if (!options_.stop_by_change) return result_.gap <= options_.tolerance * size;
        const double before = last_objective_;
        last_objective_ = objective_;
        return result_.iterations > 0 &&
               std::abs(objective_ - before) < options_.tolerance * std::abs(before);
    }

    // point = (1 - lambda) point + lambda aim, with lambda = min(promise / curvature, 1).
    bool step() {
        moving_.clear();
        if (options_.joint) {
            for (Hull& hull : hulls_) moving_.push_back(&hull);
        } else {
            moving_.push_back(&*std::ranges::max_element(hulls_, {}, &Hull::promise));
        }
        double promise = 0.0;
        for (Hull* hull : moving_) {
            move_corner(*hull);
            promise += hull->promise;
        }
        const double curve = curvature();
        double lambda = curve > 0.0 ? std::min(promise / curve, 1.0) : 1.0;
        if (!(lambda > 0.0)) {
            result_.status = Status::stalled;
            return false;
        }
        if (lambda == 1.0) ++result_.clipped_steps;
        for (Hull* hull : moving_) advance(*hull, lambda);
        ++result_.iterations;
        return true;
    }

    // Brings the corner and its expansion to the aim, by the kernel rows that differ.
    void move_corner(Hull& hull) {
        result_.extreme_rows += hull.aim.size();
        changes_.clear();
        for (std::size_t k = 0; k < hull.member.size(); ++k) {
            if (hull.corner[k] != 0.0) add_change(hull.member[k], -hull.sign * hull.corner[k]);
            hull.corner[k] = 0.0;
        }
        for (const Share& share : hull.aim) {
            hull.corner[share.member] = share.weight;
            add_change(hull.member[share.member], hull.sign * share.weight);
        }
        std::erase_if(changes_, [](const auto& change) { return change.second == 0.0; });
        add_expansion(hull.corner_expansion);
    }

    // d' (K + ridge) d of d = corner - point, over the hulls that move.
    double curvature() const {
        double sum = 0.0;
        for (const Hull* hull : moving_) {
            for (std::size_t k = 0; k < hull->member.size(); ++k) {
                const std::size_t i = hull->member[k];
                const double d = hull->sign * hull->corner[k] - beta_[i];
                if (d == 0.0) continue;
                const auto row = std::size_t(problem_.index[i]);
                double response = problem_.ridge[i] * d;
                for (const Hull* other : moving_) {
                    response += other->corner_expansion[row] - other->expansion[row];
                }
                sum += d * response;
            }
        }
        return sum;
    }

    void advance(Hull& hull, double lambda) {
        for (std::size_t k = 0; k < hull.member.size(); ++k) {
            double& beta = beta_[hull.member[k]];
            const double corner = hull.sign * hull.corner[k];
            beta = lambda == 1.0 ? corner : beta + lambda * (corner - beta);
        }
        for (std::size_t r = 0; r < hull.expansion.size(); ++r) {
            hull.expansion[r] += lambda * (hull.corner_expansion[r] - hull.expansion[r]);
        }
    }

    void record() {
        if (options_.trace_stride == 0 || result_.iterations % options_.trace_stride != 0) return;
        result_.trace.push_back({result_.iterations, clock_.seconds(), objective_, result_.gap});
    }

    // Looks at the clock; now and then reports and asks whether to go on.
    bool watch() {
        const double now = clock_.seconds();
        if (now >= options_.max_seconds) {
            result_.status = Status::max_time;
            return false;
        }
        if (now < next_poll_) return true;
        next_poll_ = now + options_.poll_seconds;
        const Progress progress{result_.iterations, result_.gap, objective_, problem_.n_variables,
                                now};
        if (!monitor_ || monitor_(progress)) return true;
        result_.status = Status::stopped;
        return false;
    }

    const ProblemView& problem_;
    Gram<T>& gram_;
    const FrankWolfeOptions& options_;
    double* beta_;
    const Monitor& monitor_;
    Clock clock_;
    FrankWolfeResult result_;
    double next_poll_ = 0.0, objective_ = -infinity, last_objective_ = 0.0;
    std::vector<Hull> hulls_;
    std::vector<Hull*> moving_;
    ExtremePoint chooser_;
    std::unordered_map<std::size_t, double> changes_;  // of the coefficients of rows
    std::vector<std::size_t> rows_;
    std::vector<double> weights_, product_;
};

}  // namespace

template <class T>
FrankWolfeResult frank_wolfe(const ProblemView& problem, Gram<T>& gram,
                             const FrankWolfeOptions& options, double* beta,
                             const Monitor& monitor) {
    const ThreadPool::Client client(gram.threads());
    return Run<T>(problem, gram, options, beta, monitor).run();
}

template FrankWolfeResult frank_wolfe(const ProblemView&, Gram<float>&, const FrankWolfeOptions&,
                                      double*, const Monitor&);
template FrankWolfeResult frank_wolfe(const ProblemView&, Gram<double>&, const FrankWolfeOptions&,
                                      double*, const Monitor&);

}  // namespace mercer::hull
