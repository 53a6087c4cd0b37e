// One problem whose solution a few kernel rows may be enough for, before any chunk is made.
//
// Two classes that are easy to tell apart need the rows of their support vectors and hardly any
// others: of 2,800 digits, 0 and 1, steps ask for one in twenty-five. Those are asked for one by
// one, which takes longer for each than all together, so a problem that seems to want many is left
// to chunks soon. Which it is shows early: the steps of a hard one go to rows that were never asked
// for, two in each step, and leave the violation where it was.
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
