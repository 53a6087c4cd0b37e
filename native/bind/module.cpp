#include "bind/bind.hpp"
#include "simd/instruction_set.hpp"

NB_MODULE(_core, m) {
    // Objects alive when the interpreter ends are no error of the user's: nothing is printed.
    nanobind::set_leak_warnings(false);
    m.doc() = "The compiled core of mercer: kernel values and solvers.";
    m.def(
        "instruction_set", [] { return mercer::instruction_set().name; },
        "Name of the instruction set in use.");
    mercer::bind::register_dense_moments(m);
    mercer::bind::register_kernel(m);
    mercer::bind::register_byte_kernel(m);
    mercer::bind::register_gram(m);
    mercer::bind::register_problem(m);
    mercer::bind::register_point(m);
    mercer::bind::register_selective_certificate(m);
    mercer::bind::register_smo(m);
    mercer::bind::register_plan(m);
    mercer::bind::register_acceptance(m);
    mercer::bind::register_pair_votes(m);
    mercer::bind::register_chunked(m);
    mercer::bind::register_active_set(m);
    mercer::bind::register_path(m);
    mercer::bind::register_hull(m);
    mercer::bind::register_online(m);
    mercer::bind::register_multiclass(m);
    mercer::bind::register_shapley(m);
}
