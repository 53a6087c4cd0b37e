// Learning from a stream: LASVM with one or several functions on the same kept examples.
//
// Examples come in blocks with their kernel values, which are computed elsewhere; here they are
// taken in one after another, each by PROCESS and REPROCESS (docs/theory/online.md#the-steps). The
// result does not depend on how a stream is cut into blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "core/gram/gram.hpp"
#include "core/online/function.hpp"
#include "core/online/joiner.hpp"
#include "core/online/row_source.hpp"

namespace mercer::online {

// How an example leaves when there are too many (docs/theory/online.md#a-budget).
enum class Eviction { removal, projection, merging };

struct Options {
    std::size_t n_functions = 1;
    std::size_t variables_per_row = 1;  // variables of an example in each function
    Selection selection = Selection::second_order;
    double tolerance = 1e-3;
    std::size_t n_reprocess = 1;
    std::size_t max_kept = 0;  // 0: no bound
    Eviction eviction = Eviction::removal;
    std::size_t max_row_bytes = 0;  // of kernel rows, 0: no bound
};

// New examples. `terms` has those of all functions of an example, of all variables in each.
template <class T>
struct Block {
    std::size_t n_rows;
    const std::int64_t* ids;
    const Terms* terms;
    const T* with_kept;                       // n_rows x columns.size()
    const std::vector<std::size_t>& columns;  // the slot of each; Extremes::nowhere: of none
    const T* with_each_other;                 // n_rows x n_rows
    Joiner<T>* joiner = nullptr;              // null: rows between two come from outside
    // Of columns and rows of the block; null where rows().may_lack() says that none is missing.
    const RowSource<T>* source = nullptr;
};

// Example `merged` stands for share * first + (1 - share) * second.
struct Merge {
    std::int64_t merged, first, second;
    double share;
};

template <class T>
class Learner {
  public:
    explicit Learner(const Options& options);
    Learner(const Learner&) = delete;

    // Takes in the examples of a block, in order; returns how many before it was polled out, or two
    // of the kept wait for the row between them: then a block of that has to come next.
    std::size_t take(const Block<T>& block, const Poll& poll);

    // A kept example of a saved machine: values[s] for the slots s that were loaded before, and its
    // own. `beta` and `gradient` as `terms`.
    void load(std::size_t slot, std::int64_t id, const T* values, const Terms* terms,
              const double* beta, const double* gradient);
    // Other coefficients, in the order of slots and then as `terms`; gradients are computed.
    // `block` has no rows.
    void restart(const double* beta, const Block<T>& block);

    const std::vector<Function<T>>& functions() const { return functions_; }
    const KeptRows<T>& rows() const { return rows_; }
    const std::vector<std::int64_t>& ids() const { return ids_; }  // by slot
    // The slot of an example, n_slots() if it is not kept.
    std::size_t slot_of(std::int64_t id) const;

    // What is to merge before more examples are taken in: one pair or none.
    const std::vector<Merge>& take_merges() const { return merges_; }
    std::size_t& n_merged() { return n_merged_; }
    // Examples taken in, also before an exception.
    std::size_t n_taken() const { return n_taken_; }

  private:
    static constexpr std::size_t n_candidates = 16;  // to leave

    void take_one(const Block<T>& block, std::size_t i);
    void begin(const Block<T>& block);
    void compute_row(std::size_t slot, T* values);
    void gather(const Block<T>& block, std::size_t i);
    const double* widened();
    void process(const Block<T>& block, std::size_t i);
    bool needs_seed() const;
    void insert(std::size_t slot, std::int64_t id);
    void forget(std::size_t slot);
    bool is_zero(std::size_t slot) const;
    void sweep();
    void compact();

    // A kept example, which one takes its place, and about what the functions lose in that.
    struct Victim {
        std::size_t slot = Extremes::nowhere, mate = Extremes::nowhere;
        double error = std::numeric_limits<double>::infinity();
    };
    bool is_full() const { return options_.max_kept > 0 && rows_.n_kept() > options_.max_kept; }
    void make_room(const Block<T>& block);
    void evict();
    std::vector<std::size_t> smallest(std::size_t count) const;
    Victim nearest(std::size_t slot);
    double size_of(std::size_t slot) const;
    bool are_alike(std::size_t a, std::size_t b) const;
    void merge(const Block<T>& block);
    void join(Joiner<T>& joiner);
    void take_merged(const Block<T>& block);
    void replace_pair(T own, std::size_t place);
    std::int64_t merged_id() const { return -2 - std::int64_t(n_merged_); }

    Options options_;
    KeptRows<T> rows_;
    std::vector<Function<T>> functions_;
    std::vector<std::int64_t> ids_;  // by slot
    std::unordered_map<std::int64_t, std::size_t> slots_;
    // Of each slot: where its values lie in the block, columns with kept examples first.
    std::vector<std::uint32_t> column_;
    const Block<T>* block_ = nullptr;  // the one at hand
    std::vector<T> given_;             // a kernel row by places
    std::vector<T> values_;            // of the example at hand, by slot
    std::vector<double> wide_;         // the same in double precision
    std::vector<double> outputs_;      // of each function, without the bias
    std::vector<Merge> merges_;
    std::size_t n_merged_ = 0, n_taken_ = 0;
};

}  // namespace mercer::online
