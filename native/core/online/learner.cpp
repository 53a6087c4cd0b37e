#include "core/online/learner.hpp"

#include <algorithm>
#include <type_traits>

#include "simd/instruction_set.hpp"

namespace mercer::online {

namespace {

// Examples of the first class that are kept until there is another one to pair them with.
constexpr std::size_t n_seeds = 5;
constexpr std::size_t few_slots = 64;  // not worth closing their gaps
constexpr std::size_t most_variables = 2;

}  // namespace

template <class T>
Learner<T>::Learner(const Options& options)
    : options_(options),
      rows_(options.max_row_bytes, [this](std::size_t s, T* values) { compute_row(s, values); }),
      functions_(options.n_functions, Function<T>(options.variables_per_row, options.selection)),
      outputs_(options.n_functions) {
    assert(options.variables_per_row <= most_variables);
}

template <class T>
std::size_t Learner<T>::take(const Block<T>& block, const Poll& poll) {
    begin(block);
    if (!merges_.empty() && block.n_rows == 1 && block.ids[0] == merges_[0].merged) {
        take_merged(block);
        make_room(block);
        return 0;
    }
    make_room(block);
    for (std::size_t i = 0; i < block.n_rows; ++i) {
        if (!merges_.empty() || (poll && !poll())) return i;
        take_one(block, i);
        ++n_taken_;
    }
    return block.n_rows;
}

template <class T>
void Learner<T>::begin(const Block<T>& block) {
    block_ = &block;
    column_.assign(rows_.n_slots(), 0);
    for (std::size_t c = 0; c < block.columns.size(); ++c) {
        if (block.columns[c] != Extremes::nowhere) column_[block.columns[c]] = std::uint32_t(c);
    }
}

template <class T>
void Learner<T>::take_one(const Block<T>& block, std::size_t i) {
    if (!slots_.contains(block.ids[i])) process(block, i);
    bool has_moved = false, moves = true;
    for (std::size_t count = 0; moves && count < options_.n_reprocess; ++count) {
        moves = false;
        for (Function<T>& function : functions_) {
            moves |= function.reprocess(rows_, options_.tolerance);
        }
        has_moved |= moves;
    }
    if (has_moved) sweep();
    make_room(block);
    if (rows_.n_slots() > few_slots && 2 * rows_.n_kept() < rows_.n_slots()) compact();
}

// Rows between two others have their values with all places before them.
template <class T>
void Learner<T>::compute_row(std::size_t slot, T* values) {
    const std::size_t place = column_[slot], n_given = block_->columns.size() + block_->n_rows;
    const bool is_given = place < n_given;
    if (is_given) {
        assert(block_->source);
        given_.resize(n_given);
        block_->source->compute(place, given_.data());
    }
    const T* before = is_given ? given_.data() : block_->joiner->values(place);
    const std::size_t n_before = is_given ? n_given : place + 1;
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        const std::size_t c = column_[s];
        values[s] = c < n_before ? before[c] : block_->joiner->values(c)[place];
    }
}

// Those of free slots are of no use, but must be numbers.
template <class T>
void Learner<T>::gather(const Block<T>& block, std::size_t i) {
    const std::size_t n = rows_.n_slots(), n_kept = block.columns.size();
    const std::size_t n_given = n_kept + block.n_rows;
    const T* with_kept = block.with_kept + i * n_kept;
    const T* with_each_other = block.with_each_other + i * block.n_rows;
    values_.resize(n + 1);
    for (std::size_t s = 0; s < n; ++s) {
        const std::size_t c = column_[s];
        values_[s] = c < n_kept    ? with_kept[c]
                     : c < n_given ? with_each_other[c - n_kept]
                                   : block.joiner->values(c)[n_kept + i];
    }
}

// The values at hand in double precision, which they may have.
template <class T>
const double* Learner<T>::widened() {
    if constexpr (std::is_same_v<T, double>) {
        return values_.data();
    } else {
        wide_.assign(values_.begin(), values_.end());
        return wide_.data();
    }
}

// An example is kept if a function can gain from it and gives it a coefficient.
template <class T>
void Learner<T>::process(const Block<T>& block, std::size_t i) {
    const std::size_t n_functions = functions_.size(),
                      variables_per_row = options_.variables_per_row;
    const Terms* terms = block.terms + i * n_functions * variables_per_row;
    gather(block, i);
    const double* values = widened();
    bool is_wanted = false;
    for (std::size_t f = 0; f < n_functions; ++f) {
        const std::vector<double>& coef = functions_[f].coef();
        outputs_[f] = instruction_set().vectors->dot(coef.data(), values, coef.size());
        is_wanted |=
            functions_[f].attracts(terms + f * variables_per_row, outputs_[f], options_.tolerance);
    }
    const bool is_seed = needs_seed();
    if (!is_wanted && !is_seed) return;
    const std::size_t slot = rows_.next_slot();
    values_[slot] = block.with_each_other[i * block.n_rows + i];
    rows_.put(slot, values_.data());
    insert(slot, block.ids[i]);
    column_.resize(std::max(column_.size(), rows_.n_slots()));
    column_[slot] = std::uint32_t(block.columns.size() + i);
    for (std::size_t f = 0; f < n_functions; ++f) {
        const Terms* own = terms + f * variables_per_row;
        const double zero[most_variables] = {};
        double gradient[most_variables];
        for (std::size_t k = 0; k < variables_per_row; ++k)
            gradient[k] = own[k].linear - outputs_[f];
        functions_[f].set(slot, own, zero, gradient);
    }
    for (Function<T>& function : functions_) function.process(slot, rows_, options_.tolerance);
    if (is_zero(slot) && !is_seed) forget(slot);
}

// Whether nearly nothing is kept and some function has none to grow, or none to fall.
template <class T>
bool Learner<T>::needs_seed() const {
    if (rows_.n_kept() >= n_seeds) return false;
    return std::ranges::any_of(functions_, [](const auto& f) { return !f.ends().at; });
}

template <class T>
void Learner<T>::insert(std::size_t slot, std::int64_t id) {
    const std::size_t n = rows_.n_slots();
    ids_.resize(n, -1);
    ids_[slot] = id;
    slots_[id] = slot;
    for (Function<T>& function : functions_) function.resize(n);
}

template <class T>
void Learner<T>::forget(std::size_t slot) {
    slots_.erase(ids_[slot]);
    ids_[slot] = -1;
    rows_.remove(slot);
    ids_.resize(rows_.n_slots());
    for (Function<T>& function : functions_) {
        function.clear(slot);
        function.resize(rows_.n_slots());
    }
}

template <class T>
std::size_t Learner<T>::slot_of(std::int64_t id) const {
    const auto found = slots_.find(id);
    return found == slots_.end() ? rows_.n_slots() : found->second;
}

template <class T>
bool Learner<T>::is_zero(std::size_t slot) const {
    for (const Function<T>& function : functions_) {
        for (const Variables& these : function.variables()) {
            if (these.beta[slot] != 0.0) return false;
        }
    }
    return true;
}

// Examples without a coefficient that no function can use go; the first few stay while a function
// waits for an example of its other class.
template <class T>
void Learner<T>::sweep() {
    const bool waits = std::ranges::any_of(functions_, [](const auto& f) { return !f.ends().at; });
    const std::vector<double>& first = functions_[0].variables()[0].beta;
    std::vector<std::size_t> useless;
    std::size_t n_before = 0;
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        if (first[s] != 0.0 && !waits) continue;  // nearly always
        if (!rows_.is_kept(s)) continue;
        const bool is_seed = waits && n_before++ < n_seeds;
        if (is_seed || !is_zero(s)) continue;
        const auto uses = [s](const Function<T>& f) { return f.is_useful(s); };
        if (std::ranges::none_of(functions_, uses)) useless.push_back(s);
    }
    for (const std::size_t s : useless) forget(s);
}

template <class T>
void Learner<T>::compact() {
    const std::vector<std::size_t> kept = rows_.compact();
    for (Function<T>& function : functions_) function.take(kept);
    Variables::gather(ids_, kept);
    Variables::gather(column_, kept);
    slots_.clear();
    for (std::size_t s = 0; s < ids_.size(); ++s) slots_[ids_[s]] = s;
}

template <class T>
void Learner<T>::load(std::size_t slot, std::int64_t id, const T* values, const Terms* terms,
                      const double* beta, const double* gradient) {
    rows_.put(slot, values);
    insert(slot, id);
    const std::size_t variables_per_row = options_.variables_per_row;
    for (std::size_t f = 0; f < functions_.size(); ++f) {
        functions_[f].set(slot, terms + f * variables_per_row, beta + f * variables_per_row,
                          gradient + f * variables_per_row);
    }
}

template <class T>
void Learner<T>::restart(const double* beta, const Block<T>& block) {
    begin(block);
    for (std::size_t s = 0; s < rows_.n_slots(); ++s) {
        if (!rows_.is_kept(s)) continue;
        for (Function<T>& function : functions_) {
            function.restart(s, beta);
            beta += options_.variables_per_row;
        }
    }
    for (Function<T>& function : functions_) function.compute_gradient(rows_);
}

template class Learner<float>;
template class Learner<double>;

}  // namespace mercer::online
