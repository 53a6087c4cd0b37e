#include "core/explain/shapley.hpp"

#include <algorithm>
#include <cstdint>

#include "core/base/denormals.hpp"
#include "core/base/run.hpp"
#include "simd/instruction_set.hpp"

namespace mercer::explain {

namespace {

constexpr std::size_t width = shapley_width;
constexpr std::size_t n_shares = 4;            // parts of the sum of a row, for threads
constexpr std::size_t most_numbers = 1 << 20;  // factors of the background kept at once
constexpr double worth_a_poll = 2e8;           // factors between two looks at the clock

// The support vectors by feature in blocks; the last one is repeated, with coefficients of 0.
class Blocks {
  public:
    Blocks(const Matrix& support, const Matrix& coef)
        : n_blocks((support.n_rows + width - 1) / width), d_(support.n_columns),
          n_outputs_(coef.n_columns), values_(n_blocks * d_ * width),
          coef_(n_blocks * n_outputs_ * width) {
        for (std::size_t i = 0; i < n_blocks * width; ++i) {
            const std::size_t from = std::min(i, support.n_rows - 1), at = i % width;
            double* block = values_.data() + i / width * d_ * width;
            for (std::size_t l = 0; l < d_; ++l) block[l * width + at] = support.row(from)[l];
            if (i != from) continue;
            double* own = coef_.data() + i / width * n_outputs_ * width;
            for (std::size_t c = 0; c < n_outputs_; ++c) own[c * width + at] = coef.row(i)[c];
        }
    }

    const double* block(std::size_t b) const { return values_.data() + b * d_ * width; }
    const double* coef(std::size_t b) const { return coef_.data() + b * n_outputs_ * width; }

    std::size_t n_blocks;

  private:
    std::size_t d_, n_outputs_;
    std::vector<double> values_, coef_;
};

// What PowerRule asks for, by the division of series.
class PowerTable {
  public:
    PowerTable(const QuadratureRules& rules, std::size_t degree)
        : weights_(rules.weights), n_nodes_(std::size_t(rules.offsets[1])), size_(degree + 1),
          logarithms_(n_nodes_ * size_), slopes_(n_nodes_ * size_) {
        for (std::size_t n = 0; n < n_nodes_; ++n) {
            fill(rules.nodes[n], logarithms_.data() + n * size_, slopes_.data() + n * size_);
        }
    }

    PowerRule rule() const { return {weights_, logarithms_.data(), slopes_.data(), n_nodes_}; }

  private:
    // slope = (e^u - 1) / (1 + t (e^u - 1)); the derivative of the logarithm by u is
    // t e^u / (1 + t (e^u - 1)) = t + t (1 - t) slope
    void fill(double t, double* logarithm, double* slope) const {
        std::vector<double> grown(size_);  // e^u - 1
        double factor = 1.0;
        for (std::size_t k = 1; k < size_; ++k) grown[k] = factor /= double(k);
        for (std::size_t k = 1; k < size_; ++k) {
            slope[k] = grown[k];
            for (std::size_t m = 1; m < k; ++m) slope[k] -= t * grown[m] * slope[k - m];
        }
        for (std::size_t k = 1; k < size_; ++k) {
            const double before = k == 1 ? t : t * (1.0 - t) * slope[k - 1];
            logarithm[k] = before / double(k);
        }
    }

    const double* weights_;
    std::size_t n_nodes_, size_;
    std::vector<double> logarithms_, slopes_;
};

class Work {
  public:
    Work(const Functions& functions, const Matrix& rows, const Background& background,
         const QuadratureRules& rules, ThreadPool& threads)
        : kernel_(functions.kernel), rows_(rows), background_(background), rules_(rules),
          threads_(threads), blocks_(functions.support, functions.coef), d_(rows.n_columns),
          n_outputs_(functions.coef.n_columns), passes_(*instruction_set().shapley),
          powers_(rules, functions.kernel.degree) {}

    void run(const Poll& poll, double* out) {
        std::fill_n(out, rows_.n_rows * d_ * n_outputs_, 0.0);
        const std::size_t per_block = background_.rows.n_rows * d_ * width;
        const std::size_t chunk = std::max<std::size_t>(1, most_numbers / per_block);
        const double per_row = double(std::min(chunk, blocks_.n_blocks)) * double(per_block);
        const auto batch = std::size_t(std::clamp(worth_a_poll / per_row, 1.0, 256.0));
        for (first_ = 0; first_ < blocks_.n_blocks; first_ = end_) {
            end_ = std::min(blocks_.n_blocks, first_ + chunk);
            keep_background();
            for (std::size_t begin = 0; begin < rows_.n_rows; begin += batch) {
                if (!poll()) throw Interrupted();
                add_rows(begin, std::min(rows_.n_rows, begin + batch), out);
            }
        }
    }

  private:
    const double* at_background(std::size_t block, std::size_t b) const {
        if (kernel_.is_flat) return nullptr;
        return kept_.data() + ((block - first_) * background_.rows.n_rows + b) * d_ * width;
    }

    // Factors of the background rows at the blocks of this chunk.
    void keep_background() {
        if (kernel_.is_flat) return;
        const std::size_t n = background_.rows.n_rows;
        kept_.resize((end_ - first_) * n * d_ * width);
        threads_.parallel_for((end_ - first_) * n, 16, [&](std::size_t begin, std::size_t end) {
            const FlushDenormals flush;
            for (std::size_t i = begin; i < end; ++i) {
                write_factors(background_.rows.row(i % n), first_ + i / n,
                              kept_.data() + i * d_ * width);
            }
        });
    }

    void write_factors(const double* row, std::size_t block, double* out) const {
        passes_.factors(row, blocks_.block(block), kernel_.square, kernel_.absolute, d_, out);
    }

    // Every row in shares of the blocks, added up in their order.
    void add_rows(std::size_t begin, std::size_t end, double* out) {
        const std::size_t size = d_ * n_outputs_;
        shares_.assign((end - begin) * n_shares * size, 0.0);
        threads_.parallel_for((end - begin) * n_shares, 1, [&](std::size_t from, std::size_t to) {
            const FlushDenormals flush;
            for (std::size_t i = from; i < to; ++i) {
                add_share(begin + i / n_shares, i % n_shares, shares_.data() + i * size);
            }
        });
        for (std::size_t i = 0; i < (end - begin) * n_shares; ++i) {
            double* to = out + (begin + i / n_shares) * size;
            for (std::size_t k = 0; k < size; ++k) to[k] += shares_[i * size + k];
        }
    }

    void add_share(std::size_t r, std::size_t share, double* out) const {
        const std::size_t count = end_ - first_;
        const std::size_t begin = first_ + count * share / n_shares,
                          end = first_ + count * (share + 1) / n_shares;
        if (begin == end) return;
        const Moving moving = moving_features(r);
        const std::size_t terms = kernel_.degree + 1;
        std::vector<double> factors(d_ * width), sums(d_ * width),
            room((kernel_.degree ? (3 * d_ + 4) * terms : 7 * d_) * width);
        for (std::size_t block = begin; block < end; ++block) {
            std::ranges::fill(sums, 0.0);
            if (!kernel_.is_flat) write_factors(rows_.row(r), block, factors.data());
            for (std::size_t b = 0; b < background_.rows.n_rows; ++b) {
                const FactorPair pair{factors.data(), at_background(block, b), d_,
                                      moving.features.data() + moving.offsets[b],
                                      moving.offsets[b + 1] - moving.offsets[b]};
                add_pair(pair, r, b, block, room.data(), sums.data());
            }
            add_outputs(sums.data(), block, out);
        }
    }

    // Features in which a row differs from each background row.
    struct Moving {
        std::vector<std::uint32_t> features;
        std::vector<std::size_t> offsets{0};
    };

    Moving moving_features(std::size_t r) const {
        Moving found;
        for (std::size_t b = 0; b < background_.rows.n_rows; ++b) {
            const double *x = rows_.row(r), *z = background_.rows.row(b);
            for (std::size_t l = 0; l < d_; ++l) {
                if (x[l] != z[l]) found.features.push_back(std::uint32_t(l));
            }
            found.offsets.push_back(found.features.size());
        }
        return found;
    }

    void add_pair(const FactorPair& pair, std::size_t r, std::size_t b, std::size_t block,
                  double* room, double* sums) const {
        const double weight = background_.weights[b];
        if (kernel_.degree == 0) {
            passes_.add_products(pair, rules_, weight, room, sums);
            return;
        }
        const PolynomialPart part{rows_.row(r), background_.rows.row(b), blocks_.block(block),
                                  kernel_.coefficients, kernel_.degree};
        if (kernel_.is_flat) {
            passes_.add_powers(part, d_, powers_.rule(), weight, room, sums);
            return;
        }
        const std::size_t rule = exact_rule(pair.n_moving);
        const std::int64_t first = rules_.offsets[rule], last = rules_.offsets[rule + 1];
        passes_.add_series(pair, part, rules_.nodes + first, rules_.weights + first,
                           std::size_t(last - first), weight, room, sums);
    }

    // The shortest rule that is exact: in t the degree is below the number of features that move.
    std::size_t exact_rule(std::size_t n_moving) const {
        std::size_t rule = 0;
        while (rule + 1 < rules_.n_rules &&
               2 * std::size_t(rules_.offsets[rule + 1] - rules_.offsets[rule]) < n_moving) {
            ++rule;
        }
        return rule;
    }

    // out_jc += sum over the block of coef_ic sums_ji
    void add_outputs(const double* sums, std::size_t block, double* out) const {
        const double scale = kernel_.degree == 0 ? kernel_.coefficients[0] : 1.0;
        const double* coef = blocks_.coef(block);
        for (std::size_t l = 0; l < d_; ++l) {
            for (std::size_t c = 0; c < n_outputs_; ++c) {
                double sum = 0.0;
                for (std::size_t i = 0; i < width; ++i) {
                    sum += coef[c * width + i] * sums[l * width + i];
                }
                out[l * n_outputs_ + c] += scale * sum;
            }
        }
    }

    ProductKernel kernel_;
    Matrix rows_;
    Background background_;
    QuadratureRules rules_;
    ThreadPool& threads_;
    Blocks blocks_;
    std::size_t d_, n_outputs_, first_ = 0, end_ = 0;  // the blocks of the chunk in hand
    const ShapleyFunctions& passes_;
    PowerTable powers_;
    std::vector<double> kept_, shares_;
};

}  // namespace

void shapley_values(const Functions& functions, const Matrix& rows, const Background& background,
                    const QuadratureRules& rules, ThreadPool& threads, const Poll& poll,
                    double* out) {
    const std::size_t size = rows.n_rows * rows.n_columns * functions.coef.n_columns;
    if (functions.support.n_rows == 0 || background.rows.n_rows == 0 || rows.n_columns == 0) {
        std::fill_n(out, size, 0.0);
        return;
    }
    Work(functions, rows, background, rules, threads).run(poll, out);
}

}  // namespace mercer::explain
