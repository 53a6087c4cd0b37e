// One function of an online machine: its coefficients and their gradient on the kept examples only,
// and the steps of LASVM (docs/theory/online.md#the-steps).
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/online/kept_rows.hpp"
#include "core/online/variables.hpp"

namespace mercer::online {

enum class Selection { most_violating, second_order };

// A variable: which of those of a slot, and the slot. Regression has two for each example.
struct Place {
    std::size_t variable = 0, slot = Extremes::nowhere;
    explicit operator bool() const { return slot != Extremes::nowhere; }
};

struct Pair {
    Place up, down;
    explicit operator bool() const { return bool(up) && bool(down); }
};

// The largest gradient of variables that may grow, and the smallest of those that may fall.
struct Ends {
    double up = -std::numeric_limits<double>::infinity();
    double down = std::numeric_limits<double>::infinity();
    Pair at;

    double violation() const { return at && up > down ? up - down : 0.0; }
};

template <class T>
class Function {
  public:
    Function(std::size_t variables_per_row, Selection selection)
        : selection_(selection), variables_(variables_per_row) {}

    void resize(std::size_t n_slots);
    // The slots `kept`, in this order, and no others.
    void take(const std::vector<std::size_t>& kept);
    // The variables of a slot, one after another.
    void set(std::size_t slot, const Terms* terms, const double* beta, const double* gradient);
    // Other values; their gradient is left to compute_gradient.
    void restart(std::size_t slot, const double* beta);
    void clear(std::size_t slot);

    const std::vector<Variables>& variables() const { return variables_; }
    // Coefficient of each slot: the sum of its variables.
    const std::vector<double>& coef() const { return coef_; }
    const Ends& ends() const;
    // In the middle of the ends of the gradient; where there is only one, that.
    double bias() const;
    double objective() const;

    // Whether a new example, its variables at zero, is part of a violating pair; `value` is f(x)
    // without the bias.
    bool attracts(const Terms* terms, double value, double tolerance) const;
    // Whether a slot, its variables at zero, is part of a violating pair.
    bool is_useful(std::size_t slot) const;

    // PROCESS: a step of a variable of `slot` and the partner that the selection prefers; false if
    // there is no violating pair.
    bool process(std::size_t slot, KeptRows<T>& rows, double tolerance);
    // REPROCESS: a step of the pair that the selection prefers; false if there is no violating one.
    bool reprocess(KeptRows<T>& rows, double tolerance);

    // Brings the variables of a slot to zero. Its coefficient and its box go to the slot
    // `receiver`, as if its example had moved there; without one (Extremes::nowhere) to near ones
    // that have room. Then takes at most `max_steps` that bring the function back to where it was.
    void vacate(std::size_t slot, std::size_t receiver, KeptRows<T>& rows, std::size_t max_steps);

    // Adds up the gradient of all slots anew.
    void compute_gradient(KeptRows<T>& rows);
    // gradient -= weight row
    void subtract(const T* row, double weight);

  private:
    using Gradients = std::vector<const double*>;  // one for each variable of a slot

    Gradients gradients() const;
    Ends ends_of(const Gradients& gradients, std::size_t n_slots) const;
    Place best_faller(const Gradients& gradients, Place up, double span, KeptRows<T>& rows) const;
    Place best_grower(Place down, double span, KeptRows<T>& rows);
    Pair process_pair(Place place, double tolerance, KeptRows<T>& rows);
    double slope(const Pair& pair) const;
    double curve(const Pair& pair, KeptRows<T>& rows) const;
    void step(const Pair& pair, double slope, KeptRows<T>& rows);
    void move(const Pair& pair, double length, KeptRows<T>& rows);
    void put(Place place, double value);
    void give(Place from, std::size_t receiver, KeptRows<T>& rows);
    void transfer(Place from, KeptRows<T>& rows);
    Place nearest_with_room(Place from, KeptRows<T>& rows) const;
    void bring_back(std::size_t slot, const std::vector<std::vector<double>>& before,
                    KeptRows<T>& rows, std::size_t max_steps);

    Selection selection_;
    std::vector<Variables> variables_;
    std::vector<double> coef_;
    std::vector<double> turned_;  // room for a gradient with the other sign
    mutable Ends ends_;
    mutable bool are_known_ = false;
};

}  // namespace mercer::online
