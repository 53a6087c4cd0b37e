// The dense problem of one working set: gathered, solved in the cache, read back.
#pragma once

#include <vector>

#include "core/base/buffer.hpp"
#include "core/chunked/variables.hpp"
#include "core/chunked/working_matrix.hpp"
#include "simd/subproblem.hpp"

namespace mercer::chunked {

struct ChunkOptions {
    double tolerance = 1e-3;          // of the whole problem
    std::size_t newton_after = 1000;  // pair steps before a Newton step is tried
    std::size_t newton_again = 500;   // before the next ones
    std::size_t max_iterations = 200'000;
};

template <class T>
class Chunk {
  public:
    Chunk(std::size_t most_variables, Arena& arena);
    // All variables on the full kernel matrix.
    void take_all(const Variables<T>& variables);

    // Copies the members' kernel values, gradients and boxes into the subproblem. Of the members of
    // the last time it has the kernel values.
    void gather(Variables<T>& variables, const std::vector<std::uint32_t>& members);

    // Pair steps, and Newton steps where those take too long, to `tolerance` or until rounding may
    // have eaten the gain. Polls now and then. requires: `variables` as they were gathered
    SubproblemResult solve(const Variables<T>& variables, const ChunkOptions& options,
                           double tolerance, const Poll& poll);

    // Writes the new coefficients back; returns what changed.
    Change scatter(Variables<T>& variables);

    std::size_t newton_steps() const { return newton_steps_; }

  private:
    // Members of a group side by side, those that were not in the last chunk first.
    void place_members(const Variables<T>& variables, const std::vector<std::uint32_t>& members);
    void copy_state(const Variables<T>& variables);
    bool has_drifted(const Variables<T>& variables) const;
    Subproblem<T> view();

    std::vector<std::uint32_t> member_;  // variable at each position, or `nowhere`
    std::vector<SubproblemRange> ranges_;
    std::vector<std::uint32_t> gathered_;  // members of the chunk, as they were given
    std::size_t size_ = 0;
    double share_moved_ = 0.5;  // of the members, the last time
    WorkingMatrix<T> matrix_;
    Borrowed<T> diagonal_, gradient_, product_, grow_bar_, fall_bar_;
    Borrowed<double> beta_, start_, lower_, upper_;
    std::size_t newton_steps_ = 0;
};

}  // namespace mercer::chunked
