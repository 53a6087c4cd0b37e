// Kernels of distances between sparse rows, feature by feature.
#pragma once

#include "core/gram/kernel.hpp"

namespace mercer {

// requires: a gaussian or laplacian, of sparse rows on both sides
template <class T>
KernelPointer<T> make_merged_leaf(const LeafParameters& leaf, RowsPointer<T> left,
                                  RowsPointer<T> right);

}  // namespace mercer
