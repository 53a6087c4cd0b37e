// Built-in kernels of rows of bytes.

#include "core/gram/kernels/panel_leaf.hpp"

namespace mercer {

template <class T, class S>
KernelPointer<T> make_byte_leaf(const LeafParameters& leaf, std::shared_ptr<const ByteRows<S>> left,
                                std::shared_ptr<const ByteRows<S>> right) {
    return std::make_shared<PanelLeaf<T, ByteRows<S>>>(leaf, std::move(left), std::move(right));
}

#define MERCER_INSTANTIATE(T, S)                                                       \
    template KernelPointer<T> make_byte_leaf<T, S>(const LeafParameters&,              \
                                                   std::shared_ptr<const ByteRows<S>>, \
                                                   std::shared_ptr<const ByteRows<S>>);
MERCER_INSTANTIATE(float, std::uint8_t)
MERCER_INSTANTIATE(float, std::int8_t)
MERCER_INSTANTIATE(double, std::uint8_t)
MERCER_INSTANTIATE(double, std::int8_t)
#undef MERCER_INSTANTIATE

}  // namespace mercer
