// What a run may record of itself, and what it always counts.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/smo/step.hpp"

namespace mercer::smo {

// Ratios of planned to Newton steps are counted between these; the first and last class are open.
inline constexpr std::array<double, 10> ratio_edges{0.0, 0.5, 1.0 - 1e-8, 1.1,   1.5,
                                                    2.0, 5.0, 10.0,       100.0, 1000.0};

struct Counters {
    std::size_t free_steps = 0, clipped_steps = 0, planned_steps = 0, joint_steps = 0;
    std::size_t newton_steps = 0;   // of all free variables
    std::size_t related_pairs = 0;  // found by maximum gain
    std::size_t unshrinks = 0, rows_computed = 0, rows_hit = 0;
    std::array<std::size_t, ratio_edges.size() + 1> planning_ratios{};

    void count(const StepRecord& record);
};

// The point before a step, and the step. The last point of a run has no step.
struct TracePoint {
    std::size_t iteration;
    double seconds, violation, objective;
    double gap;                          // duality gap at this point; infinite where none is cheap
    std::size_t up = none, down = none;  // variables of the problem
    double length = 0.0, ratio = 1.0;    // of the step; to the Newton step
    StepKind kind = StepKind::free;
    bool is_related = false;
    std::size_t rows_computed = 0;  // up to and including the step
};

// linear' beta - 1/2 beta' H beta = 1/2 beta' (linear + gradient), fixed variables left out
template <class T>
double objective(const State<T>& state, const double* linear);

// Primal minus dual value with the multiplier of each group the mean gradient of its free
// variables; infinite where a variable without bound and ridge has a slope.
template <class T>
double duality_gap(State<T>& state);

// Points every `stride` iterations; none if it is 0.
template <class T>
class Recorder {
  public:
    Recorder(std::size_t stride, const double* linear) : stride_(stride), linear_(linear) {}

    void before(State<T>& state, std::size_t iteration, double seconds, double violation,
                bool is_last = false);
    void after(const State<T>& state, const StepRecord& record, bool is_related);
    const std::vector<TracePoint>& points() const { return points_; }

  private:
    std::size_t stride_;
    const double* linear_;
    bool is_open_ = false;
    std::vector<TracePoint> points_;
};

}  // namespace mercer::smo
