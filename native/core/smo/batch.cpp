#include "core/smo/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <numeric>
#include <optional>
#include <thread>

#include "core/problem/duality.hpp"

namespace mercer::smo {

namespace {

constexpr std::size_t grain = 8;  // problems taken together by a thread

// Asks the monitor now and then, on the thread that made it; all threads learn what it says.
class Watch {
  public:
    Watch(const Monitor& monitor, double period) : monitor_(monitor), period_(period) {}

    bool goes_on() {
        if (is_over_) return false;
        if (std::this_thread::get_id() != owner_ || clock_.seconds() < next_) return true;
        next_ = clock_.seconds() + period_;
        try {
            if (monitor_ && !monitor_({})) is_over_ = true;
        } catch (...) {
            error_ = std::current_exception();
            is_over_ = true;
        }
        return !is_over_;
    }
    double seconds() const { return clock_.seconds(); }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    const Monitor& monitor_;
    double period_, next_ = 0.0;
    Clock clock_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::atomic<bool> is_over_{false};
    std::exception_ptr error_;
};

// The kernel values of the rows of one problem after the other, in the order of its variables.
class OwnMatrix {
  public:
    // requires: problems have at most `longest` rows
    explicit OwnMatrix(std::size_t longest)
        : values_(checked_product(longest, longest)), index_(longest) {
        std::iota(index_.begin(), index_.end(), std::int64_t(0));
    }

    void load(const std::int64_t* rows, std::size_t n, const double* matrix, std::size_t stride) {
        // rows of a class follow each other
        ends_.clear();
        for (std::size_t j = 1; j <= n; ++j) {
            if (j == n || rows[j] != rows[j - 1] + 1) ends_.push_back(j);
        }
        std::vector<double> diagonal(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double* row = matrix + std::size_t(rows[i]) * stride;
            std::size_t begin = 0;
            for (const std::size_t end : ends_) {
                std::copy_n(row + rows[begin], end - begin, &values_[i * n + begin]);
                begin = end;
            }
            diagonal[i] = values_[i * n + i];
        }
        // Nothing else is kept of values: runs read them here.
        if (!gram_ || gram_->diagonal() != diagonal) make_gram(std::move(diagonal));
    }

    const double* values() const { return values_.data(); }
    Gram<double>& gram() { return *gram_; }
    const std::int64_t* index() const { return index_.data(); }

    std::vector<double> product(const double* beta) const {
        const std::size_t n = gram_->size();
        std::vector<double> out(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            if (beta[i] == 0.0) continue;
            const double* row = values_.data() + i * n;
            for (std::size_t j = 0; j < n; ++j) out[j] += beta[i] * row[j];
        }
        return out;
    }

  private:
    void make_gram(std::vector<double> diagonal) {
        const std::size_t n = diagonal.size();
        const auto kernel = make_stored<double>(values_.data(), n, n, std::ptrdiff_t(n), 1,
                                                diagonal, diagonal, nullptr);
        gram_.emplace(kernel, std::vector<std::size_t>{0, n}, n * n * sizeof(double), 1);
    }

    Buffer<double> values_;
    std::vector<std::int64_t> index_;
    std::vector<std::size_t> ends_;
    std::optional<Gram<double>> gram_;
};

void measure(const ProblemView& p, const double* beta, const Gram<double>& gram, PartResult& out) {
    out.squared_norm = squared_norm(p, beta, out.report.gradient.data());
    out.linear_size = linear_size(p);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < p.n_variables; ++i) {
        out.sum_of_sizes += std::abs(beta[i]);
        if (std::abs(beta[i]) > std::abs(beta[largest])) largest = i;
    }
    if (p.n_variables > 0) out.curvature = std::abs(gram.diagonal()[largest]);
    for (const double missing : missing_sums(p, beta)) {
        out.missing_sum = std::max(out.missing_sum, std::abs(missing));
    }
}

std::size_t largest_part(std::span<const std::int64_t> offsets) {
    std::int64_t largest = 0;
    for (std::size_t k = 1; k < offsets.size(); ++k) {
        largest = std::max(largest, offsets[k] - offsets[k - 1]);
    }
    return std::size_t(largest);
}

}  // namespace

std::vector<PartResult> solve_parts(const ProblemView& all, std::span<const std::int64_t> offsets,
                                    Gram<double>& gram, const Options& options, double* beta,
                                    double* gradient, const Monitor& monitor) {
    std::vector<PartResult> found(offsets.empty() ? 0 : offsets.size() - 1);
    for (PartResult& part : found) part.run.status = Status::stopped;  // until it is solved
    Watch watch(monitor, options.poll_seconds);
    const double* matrix = gram.full_matrix();
    const Monitor asks = [&](const Progress&) { return watch.goes_on(); };
    const auto solve_part = [&](std::size_t k, OwnMatrix& own) {
        const auto o = std::size_t(offsets[k]), n = std::size_t(offsets[k + 1]) - o;
        own.load(all.index + o, n, matrix, gram.full_stride());
        const ProblemView p{n,
                            all.n_groups,
                            own.index(),
                            all.linear + o,
                            all.lower + o,
                            all.upper + o,
                            all.ridge + o,
                            all.group + o,
                            all.group_sum};
        Options limits = options;
        limits.max_seconds = std::max(options.max_seconds - watch.seconds(), 0.0);
        std::fill_n(beta + o, n, 0.0);
        PartResult& out = found[k];
        out.run = solve<double>(p, own.gram(), limits, beta + o, nullptr, asks, own.values());
        out.report = report_point(p, beta + o, own.product(beta + o).data());
        measure(p, beta + o, own.gram(), out);
        out.evaluations = n * n;
        std::ranges::copy(out.report.gradient, gradient + o);
        out.report.gradient = {};
    };
    const std::size_t longest = largest_part(offsets);
    gram.threads().parallel_for(found.size(), grain, [&](std::size_t begin, std::size_t end) {
        OwnMatrix own(longest);
        for (std::size_t k = begin; k < end && watch.goes_on(); ++k) solve_part(k, own);
    });
    watch.rethrow();
    return found;
}

}  // namespace mercer::smo
