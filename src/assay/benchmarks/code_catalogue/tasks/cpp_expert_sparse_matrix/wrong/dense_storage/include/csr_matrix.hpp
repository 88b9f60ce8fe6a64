#pragma once

#include <cstddef>
#include <vector>

namespace sparse {

struct Entry {
    std::size_t row;
    std::size_t column;
    double value;
};

// Keeps all values, and derives the CSR form from them.
class CsrMatrix {
public:
    CsrMatrix(std::size_t rows, std::size_t columns);

    static CsrMatrix from_entries(std::size_t rows, std::size_t columns, std::vector<Entry> entries);

    std::size_t rows() const noexcept { return rows_; }
    std::size_t columns() const noexcept { return columns_; }
    std::size_t nonzeros() const noexcept { return values_.size(); }

    double get(std::size_t row, std::size_t column) const;
    void set(std::size_t row, std::size_t column, double value);

    CsrMatrix transposed() const;

    const std::vector<std::size_t>& row_offsets() const noexcept { return row_offsets_; }
    const std::vector<std::size_t>& column_indices() const noexcept { return column_indices_; }
    const std::vector<double>& values() const noexcept { return values_; }

private:
    void compress();

    std::size_t rows_;
    std::size_t columns_;
    std::vector<double> all_;
    std::vector<std::size_t> row_offsets_;
    std::vector<std::size_t> column_indices_;
    std::vector<double> values_;
};

CsrMatrix operator*(const CsrMatrix& left, const CsrMatrix& right);
std::vector<double> operator*(const CsrMatrix& matrix, const std::vector<double>& vector);

}  // namespace sparse
