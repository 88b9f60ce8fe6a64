#include "csr_matrix.hpp"

#include <stdexcept>

namespace sparse {

CsrMatrix::CsrMatrix(std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), all_(rows * columns, 0.0), row_offsets_(rows + 1, 0) {}

void CsrMatrix::compress() {
    column_indices_.clear();
    values_.clear();
    for (std::size_t row = 0; row < rows_; ++row) {
        for (std::size_t column = 0; column < columns_; ++column) {
            if (const double value = all_[row * columns_ + column]; value != 0.0) {
                column_indices_.push_back(column);
                values_.push_back(value);
            }
        }
        row_offsets_[row + 1] = values_.size();
    }
}

CsrMatrix CsrMatrix::from_entries(std::size_t rows, std::size_t columns, std::vector<Entry> entries) {
    CsrMatrix matrix(rows, columns);
    for (const auto& [row, column, value] : entries) {
        if (row >= rows || column >= columns) throw std::out_of_range("an entry is outside of the matrix");
        matrix.all_[row * columns + column] += value;
    }
    matrix.compress();
    return matrix;
}

double CsrMatrix::get(std::size_t row, std::size_t column) const {
    if (row >= rows_ || column >= columns_) throw std::out_of_range("outside of the matrix");
    return all_[row * columns_ + column];
}

void CsrMatrix::set(std::size_t row, std::size_t column, double value) {
    if (row >= rows_ || column >= columns_) throw std::out_of_range("outside of the matrix");
    all_[row * columns_ + column] = value;
    compress();
}

CsrMatrix CsrMatrix::transposed() const {
    CsrMatrix result(columns_, rows_);
    for (std::size_t row = 0; row < rows_; ++row) {
        for (std::size_t column = 0; column < columns_; ++column) {
            result.all_[column * rows_ + row] = all_[row * columns_ + column];
        }
    }
    result.compress();
    return result;
}

CsrMatrix operator*(const CsrMatrix& left, const CsrMatrix& right) {
    if (left.columns() != right.rows()) throw std::invalid_argument("the shapes do not fit");
    std::vector<Entry> entries;
    for (std::size_t row = 0; row < left.rows(); ++row) {
        for (std::size_t column = 0; column < right.columns(); ++column) {
            double sum = 0;
            for (std::size_t inner = 0; inner < left.columns(); ++inner) {
                sum += left.get(row, inner) * right.get(inner, column);
            }
            entries.push_back({row, column, sum});
        }
    }
    return CsrMatrix::from_entries(left.rows(), right.columns(), entries);
}

std::vector<double> operator*(const CsrMatrix& matrix, const std::vector<double>& vector) {
    if (vector.size() != matrix.columns()) throw std::invalid_argument("the shapes do not fit");
    std::vector<double> result(matrix.rows(), 0.0);
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
        for (std::size_t column = 0; column < matrix.columns(); ++column) {
            result[row] += matrix.get(row, column) * vector[column];
        }
    }
    return result;
}

}  // namespace sparse
