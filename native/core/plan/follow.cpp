#include "core/plan/follow.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/chunked/solve.hpp"
#include "core/plan/part.hpp"
#include "core/problem/point.hpp"

namespace mercer::plan {

namespace {

constexpr double error_per_norm = 2e-7;
constexpr std::size_t chunk = 512;
constexpr std::size_t most_in_matrix = 4000;  // rows

struct Work {
    const Problems& problems;
    const Source& source;
    const Scales& scales;
    const FollowOptions& options;
    double *beta, *gradient;
    Watch& watch;
    Followed& found;
    std::unique_ptr<SharedBlocks<double>> shared_double;
    std::unique_ptr<SharedBlocks<float>> shared_single;
};

// A problem at a C: its own box and ridge.
struct Scaled {
    std::vector<double> lower, upper, ridge;

    ProblemView at(const ProblemView& base, double box, double factor) {
        const std::size_t n = base.n_variables;
        for (auto* field : {&lower, &upper, &ridge}) field->resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            // no weight is none at any C
            lower[i] = base.lower[i] == 0.0 ? 0.0 : box * base.lower[i];
            upper[i] = base.upper[i] == 0.0 ? 0.0 : box * base.upper[i];
            ridge[i] = base.ridge[i] == 0.0 ? 0.0 : factor * base.ridge[i];
        }
        ProblemView scaled = base;
        scaled.lower = lower.data();
        scaled.upper = upper.data();
        scaled.ridge = ridge.data();
        return scaled;
    }
};

class Follower {
  public:
    explicit Follower(Work& work)
        : work_(work), in_single_(*work.source.single, work.shared_single.get()),
          in_double_(work.source.gram, work.shared_double.get()) {}

    void solve(std::size_t k) {
        const ProblemView base = work_.problems[k];
        const std::size_t n_parts = work_.problems.size(), n_all = work_.problems.all.n_variables;
        is_loaded_ = false;
        std::optional<ProblemView> last;
        for (std::size_t j = 0; j < work_.scales.size(); ++j) {
            if (!goes_on()) return;
            const std::size_t o = j * n_all + std::size_t(work_.problems.offsets[k]);
            double *beta = work_.beta + o, *gradient = work_.gradient + o;
            const ProblemView p =
                scaled_[j % 2].at(base, work_.scales.box[j], work_.scales.ridge[j]);
            start(p, last, j, beta, gradient);
            iterations_ = 0;
            const State state = solve_one(p, beta, gradient);
            work_.found.state[j * n_parts + k] = state;
            work_.found.iterations[j * n_parts + k] = std::int64_t(iterations_);
            if (state == State::not_reached) return;
            work_.found.multiplier[j * n_parts + k] = multiplier(p, beta, gradient);
            last = p;
        }
    }

  private:
    // From the solution of the C before, n_variables back.
    void start(const ProblemView& p, const std::optional<ProblemView>& last, std::size_t j,
               double* beta, double* gradient) {
        const std::size_t n = p.n_variables;
        if (j == 0) {
            std::fill_n(beta, n, 0.0);
            std::copy_n(p.linear, n, gradient);
            return;
        }
        const std::size_t n_all = work_.problems.all.n_variables;
        const double* old = beta - n_all;
        slopes_.assign(gradient - n_all, gradient - n_all + n);
        // the ridge is part of the gradient
        for (std::size_t i = 0; i < n; ++i) slopes_[i] += (last->ridge[i] - p.ridge[i]) * old[i];
        const CarriedPoint from = carry(p, *last, old, slopes_.data(), true);
        std::ranges::copy(from.beta, beta);
        std::ranges::copy(from.gradient, gradient);
    }

    State solve_one(const ProblemView& p, double* beta, double* gradient) {
        if (p.n_variables == 0) return State::converged;
        Status status = run(p, in_single_, *work_.source.single, beta, gradient);
        double square = 0.0;
        for (std::size_t i = 0; i < p.n_variables; ++i) square += beta[i] * beta[i];
        const bool is_exact = error_per_norm * std::sqrt(square) <= work_.options.most_error;
        if (status != Status::stopped && !(status == Status::converged && is_exact)) {
            expand(p, beta, gradient);
            status = run(p, in_double_, work_.source.gram, beta, gradient);
        }
        if (status == Status::stopped) return State::not_reached;
        return status == Status::converged ? State::converged : State::not_converged;
    }

    template <class T>
    Status run(const ProblemView& p, PartSolver<T>& solver, Gram<T>& gram, double* beta,
               double* gradient) {
        const std::size_t most = std::max(work_.options.max_iterations, 10 * p.n_variables);
        Status status;
        if (p.n_variables <= work_.options.most_at_once) {
            const Poll poll = [this] { return goes_on(); };
            const PartOptions options{.tolerance = work_.options.tolerance,
                                      .max_iterations = most,
                                      .knows_gradient = true,
                                      .keeps_matrix = is_loaded_ && sizeof(T) == sizeof(float),
                                      .polishes = false};
            const PartRun found = solver.solve(p, options, beta, gradient, poll);
            status = found.status;
            iterations_ += found.iterations;
            is_loaded_ = is_loaded_ || sizeof(T) == sizeof(float);
        } else {
            status = run_chunks(p, gram, most, beta, gradient);
        }
        return status;
    }

    template <class T>
    Status run_chunks(const ProblemView& p, Gram<T>& gram, std::size_t most, double* beta,
                      double* gradient) {
        chunked::Options options;
        options.tolerance = work_.options.tolerance;
        options.chunk_size = chunk;
        options.keep = chunk / 2;
        options.max_iterations = most;
        options.kernel_rows = gram.size() <= most_in_matrix ? chunked::RowPolicy::full
                                                            : chunked::RowPolicy::automatic;
        const std::vector<double> known(gradient, gradient + p.n_variables);
        const Monitor monitor = [this](const Progress&) { return goes_on(); };
        const chunked::Result found =
            chunked::solve<T>(p, gram, options, beta, known.data(), gradient, monitor);
        iterations_ += found.iterations;
        return found.drifted ? Status::stalled : found.status;
    }

    bool goes_on() const { return work_.watch.goes_on() && work_.watch.has_time(); }

    // The gradient in double precision.
    void expand(const ProblemView& p, const double* beta, double* gradient) {
        std::vector<double> values(p.n_variables);
        const Poll poll = [this] { return work_.watch.goes_on(); };
        expand_point(work_.source.gram, beta, p.index, p.n_variables, values.data(), poll);
        for (std::size_t i = 0; i < p.n_variables; ++i) {
            gradient[i] = p.linear[i] - values[i] - p.ridge[i] * beta[i];
        }
    }

    double multiplier(const ProblemView& p, const double* beta, const double* gradient) {
        if (p.n_groups == 0) return 0.0;
        slopes_.resize(p.n_variables);
        for (std::size_t i = 0; i < p.n_variables; ++i) {
            slopes_[i] = p.linear[i] - gradient[i] - p.ridge[i] * beta[i];
        }
        return report_point(p, beta, slopes_.data()).multiplier[0];
    }

    Work& work_;
    PartSolver<float> in_single_;
    PartSolver<double> in_double_;
    Scaled scaled_[2];
    std::vector<double> slopes_;
    std::size_t iterations_ = 0;  // of a machine, in both precisions
    bool is_loaded_ = false;
};

}  // namespace

Followed follow_parts(const Problems& problems, const Source& source, const Scales& scales,
                      const FollowOptions& options, double* beta, double* gradient,
                      const Monitor& monitor) {
    const std::size_t count = problems.size() * scales.size();
    Followed found{std::vector<double>(count), std::vector<std::int64_t>(count),
                   std::vector<State>(count, State::not_reached)};
    Watch watch(monitor, options.poll_seconds, options.max_seconds, problems.all.n_variables);
    Work work{problems,
              source,
              scales,
              options,
              beta,
              gradient,
              watch,
              found,
              share_blocks(source.gram, source.blocks),
              share_blocks(*source.single, source.blocks)};
    solve_each<Follower>(work, source, problems, watch);
    watch.rethrow();
    return found;
}

}  // namespace mercer::plan
