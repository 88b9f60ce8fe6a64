#include "csr_matrix.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace sparse {

namespace {

void require_inside(const CsrMatrix& matrix, std::size_t row, std::size_t column) {
    if (row * matrix.columns() + column >= matrix.rows() * matrix.columns()) {
        throw std::out_of_range("(" + std::to_string(row) + ", " + std::to_string(column) +
                                ") is outside of the matrix");
    }
}

bool precedes(const Entry& one, const Entry& other) {
    return std::tie(one.row, one.column) < std::tie(other.row, other.column);
}

}  // namespace

CsrMatrix::CsrMatrix(std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), row_offsets_(rows + 1, 0) {}

CsrMatrix CsrMatrix::from_entries(std::size_t rows, std::size_t columns, std::vector<Entry> entries) {
    CsrMatrix matrix(rows, columns);
    for (const Entry& entry : entries) {
        require_inside(matrix, entry.row, entry.column);
    }
    // Stable, so that equal places are added in the order given.
    std::stable_sort(entries.begin(), entries.end(), precedes);
    for (std::size_t start = 0; start < entries.size();) {
        const auto [row, column, first] = entries[start];
        double sum = first;
        std::size_t next = start + 1;
        for (; next < entries.size() && entries[next].row == row && entries[next].column == column; ++next) {
            sum += entries[next].value;
        }
        if (sum != 0.0) {
            matrix.column_indices_.push_back(column);
            matrix.values_.push_back(sum);
            ++matrix.row_offsets_[row + 1];
        }
        start = next;
    }
    for (std::size_t row = 0; row < rows; ++row) {
        matrix.row_offsets_[row + 1] += matrix.row_offsets_[row];
    }
    return matrix;
}

double CsrMatrix::get(std::size_t row, std::size_t column) const {
    require_inside(*this, row, column);
    const auto begin = column_indices_.begin() + static_cast<std::ptrdiff_t>(row_offsets_[row]);
    const auto end = column_indices_.begin() + static_cast<std::ptrdiff_t>(row_offsets_[row + 1]);
    const auto found = std::lower_bound(begin, end, column);
    if (found == end || *found != column) {
        return 0.0;
    }
    return values_[static_cast<std::size_t>(found - column_indices_.begin())];
}

void CsrMatrix::set(std::size_t row, std::size_t column, double value) {
    require_inside(*this, row, column);
    const auto begin = column_indices_.begin() + static_cast<std::ptrdiff_t>(row_offsets_[row]);
    const auto end = column_indices_.begin() + static_cast<std::ptrdiff_t>(row_offsets_[row + 1]);
    const auto found = std::lower_bound(begin, end, column);
    const auto position = found - column_indices_.begin();
    const bool is_stored = found != end && *found == column;
    if (is_stored && value != 0.0) {
        values_[static_cast<std::size_t>(position)] = value;
        return;
    }
    if (is_stored) {
        column_indices_.erase(found);
        values_.erase(values_.begin() + position);
        for (std::size_t next = row + 1; next <= rows_; ++next) --row_offsets_[next];
        return;
    }
    if (value == 0.0) {
        return;
    }
    // Both vectors have room before either changes: a failed allocation leaves the matrix as it was.
    values_.reserve(values_.size() + 1);
    column_indices_.insert(found, column);
    values_.insert(values_.begin() + position, value);
    for (std::size_t next = row + 1; next <= rows_; ++next) ++row_offsets_[next];
}

CsrMatrix CsrMatrix::transposed() const {
    CsrMatrix result(columns_, rows_);
    result.column_indices_.resize(nonzeros());
    result.values_.resize(nonzeros());
    for (const std::size_t column : column_indices_) {
        ++result.row_offsets_[column + 1];
    }
    for (std::size_t column = 0; column < columns_; ++column) {
        result.row_offsets_[column + 1] += result.row_offsets_[column];
    }
    std::vector<std::size_t> next(result.row_offsets_.begin(), result.row_offsets_.end() - 1);
    for (std::size_t row = 0; row < rows_; ++row) {
        for (std::size_t at = row_offsets_[row]; at < row_offsets_[row + 1]; ++at) {
            const std::size_t place = next[column_indices_[at]]++;
            result.column_indices_[place] = row;
            result.values_[place] = values_[at];
        }
    }
    return result;
}

CsrMatrix operator*(const CsrMatrix& left, const CsrMatrix& right) {
    if (left.columns() != right.rows()) {
        throw std::invalid_argument("the left matrix needs as many columns as the right one has rows");
    }
    std::vector<Entry> products;
    std::vector<double> sums(right.columns(), 0.0);
    std::vector<bool> is_touched(right.columns(), false);
    std::vector<std::size_t> touched;
    for (std::size_t row = 0; row < left.rows(); ++row) {
        touched.clear();
        for (std::size_t at = left.row_offsets()[row]; at < left.row_offsets()[row + 1]; ++at) {
            const std::size_t inner = left.column_indices()[at];
            for (std::size_t other = right.row_offsets()[inner]; other < right.row_offsets()[inner + 1]; ++other) {
                const std::size_t column = right.column_indices()[other];
                if (!is_touched[column]) {
                    is_touched[column] = true;
                    touched.push_back(column);
                }
                sums[column] += left.values()[at] * right.values()[other];
            }
        }
        for (const std::size_t column : touched) {
            products.push_back({row, column, std::exchange(sums[column], 0.0)});
            is_touched[column] = false;
        }
    }
    return CsrMatrix::from_entries(left.rows(), right.columns(), std::move(products));
}

std::vector<double> operator*(const CsrMatrix& matrix, const std::vector<double>& vector) {
    if (vector.size() != matrix.columns()) {
        throw std::invalid_argument("the vector needs as many elements as the matrix has columns");
    }
    std::vector<double> result(matrix.rows(), 0.0);
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
        for (std::size_t at = matrix.row_offsets()[row]; at < matrix.row_offsets()[row + 1]; ++at) {
            result[row] += matrix.values()[at] * vector[matrix.column_indices()[at]];
        }
    }
    return result;
}

}  // namespace sparse
