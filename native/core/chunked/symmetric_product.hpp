// Products with the kernel matrix of some rows among each other: of two equal values one is
// computed, and none is stored but those that are asked for.
#pragma once

#include <cstddef>

#include "core/gram/gram.hpp"

namespace mercer::chunked {

// out[j] = sum_i k(rows[i], rows[j]) weights[i], and the first `n_kept` rows of the matrix, one
// after the other, in `kept`. By one thread: results depend on no number of them. false if polled
// out.
bool symmetric_product(Gram<double>& gram, Indices rows, const double* weights, std::size_t n_kept,
                       double* kept, double* out, const Poll& poll);

}  // namespace mercer::chunked
