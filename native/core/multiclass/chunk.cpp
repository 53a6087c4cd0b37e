#include "core/multiclass/chunk.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "simd/instruction_set.hpp"

namespace mercer::multiclass {

namespace {

constexpr std::size_t visits_per_look = 256;    // at the clock
constexpr std::size_t most_idle_sweeps = 5000;  // without a smaller violation
constexpr double poll_seconds = 0.05;

// Sweeps over the rows move those whose step promises at least a quarter of the best one seen. They
// look at the variables that may move: one at a bound whose slope is farther from a change of sign
// than the largest violation is left out until all others have converged (Keerthi et al. 2008).
class Solver {
  public:
    Solver(const Loss& loss, const Chunk& chunk, const Options& options, const Monitor& monitor)
        : loss_(loss), chunk_(chunk), options_(options), monitor_(monitor), row_(loss),
          shift_(loss.is_relative ? 0 : chunk.n_rows, 0.0),
          classes_(chunk.n_rows * (loss.n_classes - 1)), n_looked_at_(chunk.n_rows) {
        look_at_all();
    }

    Result run() {
        double best = infinity;
        std::size_t idle = 0;
        while (sweep()) {
            result_.violation = worst_;
            if (n_moved_ == 0 && worst_ <= options_.tolerance) {
                if (sees_all_) break;
                look_at_all();
                continue;
            }
            // rows that were to move and could not
            if (n_moved_ == 0 && promise_ >= threshold_) end(Status::stalled);
            sees_all_ = false;
            reach_ = std::max(worst_, options_.tolerance);
            threshold_ = 0.25 * promise_;
            idle = worst_ < 0.9 * best ? 0 : idle + 1;
            best = std::min(best, worst_);
            if (idle > most_idle_sweeps && is_rounding(best)) end(Status::stalled);
            if (is_over_) break;
        }
        add_shift();
        return result_;
    }

  private:
    // All variables of all rows take part in the next sweep, which leaves none out.
    void look_at_all() {
        const std::size_t n_others = loss_.n_classes - 1;
        for (std::size_t i = 0; i < chunk_.n_rows; ++i) {
            std::uint32_t* classes = classes_.data() + i * n_others;
            for (std::size_t p = 0; p < n_others; ++p) {
                classes[p] = std::uint32_t(p < std::size_t(chunk_.label[i]) ? p : p + 1);
            }
            n_looked_at_[i] = n_others;
        }
        sees_all_ = true;
        reach_ = threshold_ = infinity;
    }

    // One visit to each row; false if the run ends.
    bool sweep() {
        worst_ = promise_ = 0.0;
        n_moved_ = 0;
        for (std::size_t i = 0; i < chunk_.n_rows; ++i) {
            if (++n_visits_ % visits_per_look == 0 && !look()) return false;
            visit(i);
            if (is_over_) return false;
        }
        return true;
    }

    void visit(std::size_t i) {
        const double upper = chunk_.upper[i];
        if (!(upper > 0.0) || n_looked_at_[i] == 0) return;
        const std::size_t n = chunk_.n_rows, label = std::size_t(chunk_.label[i]);
        const double own = loss_.is_relative ? -chunk_.values[label * n + i] : shift_[i];
        row_.set(chunk_.alpha + i * loss_.n_classes, upper, looked_at(i), chunk_.values + i, n,
                 loss_.margin + own);
        const double violation = row_.violation();
        worst_ = std::max(worst_, violation);
        if (violation <= options_.tolerance) return leave_out_settled(i);
        const double curvature = chunk_.kernel[i * n + i];
        // a step of one variable gains at most half of this
        const double reach = violation < curvature * upper ? violation / curvature : upper;
        const double promise = violation * reach;
        promise_ = std::max(promise_, promise);
        if (promise < threshold_) return leave_out_settled(i);
        const double gain = row_.maximize(curvature);
        if (!spread(i, label)) return;
        result_.gain += gain;
        ++n_moved_;
        if (++result_.steps >= options_.max_steps) end(Status::max_iterations);
    }

    std::span<std::uint32_t> looked_at(std::size_t i) {
        return {classes_.data() + i * (loss_.n_classes - 1), n_looked_at_[i]};
    }

    void leave_out_settled(std::size_t i) {
        const std::span<std::uint32_t> classes = looked_at(i);
        std::size_t n_kept = 0;
        for (std::size_t k = 0; k < classes.size(); ++k) {
            if (!row_.is_settled(k, reach_)) classes[n_kept++] = classes[k];
        }
        n_looked_at_[i] = n_kept;
    }

    // Moves the variables of a row and the values of all rows with them; false if none moves.
    bool spread(std::size_t i, std::size_t label) {
        const std::span<std::uint32_t> classes = looked_at(i);
        double* alpha = chunk_.alpha + i * loss_.n_classes;
        double sum = 0.0;
        bool is_moved = false;
        for (std::size_t k = 0; k < classes.size(); ++k) {
            const double change = row_.next()[k] - row_.alpha()[k];
            if (change == 0.0) continue;
            alpha[classes[k]] = row_.next()[k];
            add(chunk_.values + classes[k] * chunk_.n_rows, -change, i);
            sum += change;
            is_moved = true;
        }
        if (loss_.is_relative) add(chunk_.values + label * chunk_.n_rows, sum, i);
        else add(shift_.data(), sum / double(loss_.n_classes), i);
        return is_moved;
    }

    void add(double* values, double weight, std::size_t i) {
        add_scaled_(values, weight, chunk_.kernel + i * chunk_.n_rows, chunk_.n_rows);
    }

    // What all classes share was kept aside.
    void add_shift() {
        for (std::size_t p = 0; p < loss_.n_classes && !shift_.empty(); ++p) {
            double* values = chunk_.values + p * chunk_.n_rows;
            for (std::size_t j = 0; j < chunk_.n_rows; ++j) values[j] += shift_[j];
        }
    }

    // Whether a violation is what rounding of many steps leaves of values this large.
    bool is_rounding(double violation) const {
        double largest = loss_.margin;
        for (std::size_t k = 0; k < chunk_.n_rows * loss_.n_classes; ++k) {
            largest = std::max(largest, std::abs(chunk_.values[k]));
        }
        return violation <= 1e-9 * largest;
    }

    bool look() {
        const double now = clock_.seconds();
        if (now > options_.max_seconds) end(Status::max_time);
        if (now < next_report_) return !is_over_;
        next_report_ = now + poll_seconds;
        if (!monitor_(Progress{result_.steps, worst_, options_.objective + result_.gain,
                               chunk_.n_rows, now})) {
            end(Status::stopped);
        }
        return !is_over_;
    }

    void end(Status status) {
        result_.status = status;
        is_over_ = true;
    }

    Loss loss_;
    Chunk chunk_;
    Options options_;
    const Monitor& monitor_;
    Row row_;
    std::vector<double> shift_;
    std::vector<std::uint32_t> classes_;  // of each row those looked at, in front
    std::vector<std::size_t> n_looked_at_;
    decltype(VectorFunctions::add_scaled) add_scaled_ = instruction_set().vectors->add_scaled;
    Clock clock_;
    Result result_;
    double worst_ = 0.0, promise_ = 0.0, threshold_ = infinity, reach_ = infinity,
           next_report_ = poll_seconds;
    std::size_t n_moved_ = 0, n_visits_ = 0;
    bool sees_all_ = true, is_over_ = false;
};

}  // namespace

Result solve(const Loss& loss, const Chunk& chunk, const Options& options, const Monitor& monitor) {
    return Solver(loss, chunk, options, monitor).run();
}

}  // namespace mercer::multiclass
