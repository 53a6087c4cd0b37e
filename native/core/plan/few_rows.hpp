// Tries to solve a problem with a few kernel rows before any chunk is made.
//
// Two classes that are easy to separate need the rows of their support vectors and hardly any
// others: of 2,800 digits, 0 and 1, steps use one in twenty-five. A row computed alone takes longer
// than one in a block, so a problem that seems to need many rows is soon left to chunks. This shows
// early: the steps of a hard problem use two new rows each and do not reduce the violation.
#pragma once

#include "core/chunked/solve.hpp"

namespace mercer::plan {

// chunked::solve from the point that a few rows lead to; from the start itself where that is not
// zero. Their steps are among the iterations.
// requires and ensures: as chunked::solve
template <class T>
chunked::Result solve_few_rows_first(const ProblemView& problem, Gram<T>& gram,
                                     const chunked::Options& options, double* beta,
                                     const double* gradient, double* gradient_out,
                                     const Monitor& monitor);

}  // namespace mercer::plan
