#include "core/online/joiner.hpp"

#include <algorithm>
#include <array>

namespace mercer::online {

namespace {

constexpr std::size_t pack_size = 16;  // joined rows that are packed together

}  // namespace

template <class T>
Joiner<T>::Joiner(LeafParameters leaf, bool by_differences, std::vector<double> scale,
                  std::vector<Part> parts)
    : leaf_(leaf), by_differences_(by_differences), scale_(std::move(scale)),
      parts_(std::move(parts)) {
    for (const Part& part : parts_) n_given_ += part.given.n_rows;
    n_features_ = parts_.back().packed->n_features();
    storage_ = parts_.back().packed->is_sparse() ? Storage::sparse : Storage::dense;
}

template <class T>
bool Joiner<T>::read(std::size_t place, std::vector<double>& row) const {
    row.resize(n_features_);
    if (place >= n_given_) {
        const std::size_t number = place - n_given_;
        std::copy_n(rows_.data() + number * n_features_, n_features_, row.data());
        return is_single_[number];
    }
    for (const Part& part : parts_) {
        if (place < part.given.n_rows) {
            const std::size_t begin = place * n_features_;
            if (part.given.single) {
                std::copy_n(part.given.single + begin, n_features_, row.data());
            } else {
                std::copy_n(part.given.wide + begin, n_features_, row.data());
            }
            return part.given.single != nullptr;
        }
        place -= part.given.n_rows;
    }
    return false;
}

// Rows in single precision have such a row between them.
template <class T>
std::size_t Joiner<T>::join(std::size_t a, std::size_t b, double share) {
    std::vector<double> first, second;
    const bool is_first = read(a, first), is_second = read(b, second);
    const bool is_single = is_first && is_second;
    for (std::size_t k = 0; k < n_features_; ++k) {
        const double between = share * first[k] + (1.0 - share) * second[k];
        rows_.push_back(is_single ? double(float(between)) : between);
    }
    is_single_.push_back(is_single);
    const std::size_t number = values_.size(), begin = number / pack_size * pack_size;
    if (number == begin) packs_.emplace_back();
    packs_.back() = packed(begin, number + 1);
    const RowsPointer<T> row = packed(number, number + 1);
    std::vector<T> values;
    values.reserve(n_given_ + number + 1);
    for (const Part& part : parts_) add_values(row, part.packed, values);
    for (const RowsPointer<T>& pack : packs_) add_values(row, pack, values);
    values_.push_back(std::move(values));
    return n_given_ + number;
}

template <class T>
RowsPointer<T> Joiner<T>::packed(std::size_t first, std::size_t last) const {
    const DenseInput<double> input{
        rows_.data() + first * n_features_,      n_features_, last - first, n_features_, nullptr,
        scale_.empty() ? nullptr : scale_.data()};
    return std::make_shared<const Rows<T>>(input, storage_);
}

template <class T>
void Joiner<T>::add_values(const RowsPointer<T>& row, const RowsPointer<T>& others,
                           std::vector<T>& values) const {
    const std::size_t begin = values.size(), n = others->size();
    values.resize(begin + n);
    const std::array<std::size_t, 1> only{0};
    make_leaf<T>(leaf_, row, others, by_differences_)->values(only, 0, n, values.data() + begin, n);
}

template class Joiner<float>;
template class Joiner<double>;

}  // namespace mercer::online
