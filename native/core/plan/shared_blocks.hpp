// Kernel values among the rows of one block (a class), computed once for all problems that ask for
// them (all pairs it belongs to).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/gram/gram.hpp"

namespace mercer::plan {

template <class T>
class SharedBlocks {
  public:
    // `offsets` of the blocks ascend from 0 to the number of rows.
    SharedBlocks(Gram<T>& gram, std::span<const std::int64_t> offsets);

    // Bytes that their values take, without their padding.
    static std::size_t bytes(std::span<const std::int64_t> offsets);
    // Where the block of a row begins, and its length.
    std::size_t begin(std::size_t row) const { return begin_[block_[row]]; }
    std::size_t length(std::size_t row) const {
        return begin_[block_[row] + 1] - begin_[block_[row]];
    }
    std::size_t n_blocks() const { return begin_.size() - 1; }
    // The values of a row with the rows of its block. Once the requested rows have taken as long as
    // the whole block would, all rows are computed; a single block, which all problems share, is
    // computed at once.
    const T* row(std::size_t row);
    // The values of all rows of the block of a row. Rows have whole vectors, filled with zeros; a
    // row of zeros stands at as many rows as a row has numbers.
    T* all(std::size_t row);
    // The same, whether or not they are there.
    T* storage(std::size_t row) { return values_.data() + blocks_[block_[row]].first; }
    std::size_t stride(std::size_t row) const { return padded(length(row)); }
    // A length rounded up to whole vectors.
    static std::size_t padded(std::size_t length);

  private:
    struct Block {
        std::mutex mutex;
        std::size_t first = 0;   // value
        std::size_t n_rows = 0;  // that are there
        bool is_whole = false;
    };

    void compute_row(std::size_t row);
    void compute_all(std::size_t row);

    // Values that a block of so many rows takes.
    static std::size_t size(std::size_t n) { return checked_product(padded(n) + 1, padded(n)); }

    Gram<T>& gram_;
    std::vector<std::size_t> begin_;    // row of each block
    std::vector<std::uint32_t> block_;  // of each row
    std::unique_ptr<Block[]> blocks_;
    std::vector<std::uint8_t> has_row_;
    Buffer<T> values_;
};

// Rows that take as long, asked for one by one, as all `n` together: values computed together take
// less time, and by symmetry half of them are enough.
template <class T>
std::size_t worth_of_all(std::size_t n, const Kernel<T>& kernel) {
    // a value computed with those of one row takes as long as 1 + work / saved of many rows
    constexpr double saved = 100.0;
    return std::size_t(double(n) / (2.0 * (1.0 + kernel.work() / saved)));
}

}  // namespace mercer::plan
