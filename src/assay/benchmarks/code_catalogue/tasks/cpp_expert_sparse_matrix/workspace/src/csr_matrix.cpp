#include "csr_matrix.hpp"

#include <stdexcept>

namespace sparse {

CsrMatrix::CsrMatrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {
    throw std::logic_error("CsrMatrix is not implemented");
}

CsrMatrix CsrMatrix::from_entries(std::size_t, std::size_t, std::vector<Entry>) {
    throw std::logic_error("from_entries is not implemented");
}

double CsrMatrix::get(std::size_t, std::size_t) const {
    throw std::logic_error("get is not implemented");
}

void CsrMatrix::set(std::size_t, std::size_t, double) {
    throw std::logic_error("set is not implemented");
}

CsrMatrix CsrMatrix::transposed() const {
    throw std::logic_error("transposed is not implemented");
}

CsrMatrix operator*(const CsrMatrix&, const CsrMatrix&) {
    throw std::logic_error("the matrix product is not implemented");
}

std::vector<double> operator*(const CsrMatrix&, const std::vector<double>&) {
    throw std::logic_error("the product with a vector is not implemented");
}

}  // namespace sparse
