#include "observer.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "csr_matrix.hpp"

using sparse::CsrMatrix;
using sparse::Entry;

namespace {

void show(Observer& observe, const CsrMatrix& matrix) {
    observe.value(std::vector<std::size_t>{matrix.rows(), matrix.columns(), matrix.nonzeros()});
    observe.value(matrix.row_offsets());
    observe.value(matrix.column_indices());
    observe.value(matrix.values());
}

CsrMatrix example() {
    return CsrMatrix::from_entries(3, 4, {{2, 3, 7.5}, {0, 1, -2}, {2, 0, 4}, {0, 3, 1.25}, {2, 2, 9}});
}

}  // namespace

void replaces_values(Observer& observe) {
    CsrMatrix matrix(3, 5);
    observe.value(matrix.nonzeros());
    matrix.set(1, 4, 2.5);
    matrix.set(1, 4, -6.75);
    matrix.set(2, 0, 1e-300);
    observe.value(std::vector<double>{matrix.get(1, 4), matrix.get(2, 0), matrix.get(0, 0), matrix.get(1, 3)});
    observe.value(matrix.nonzeros());
}

void keeps_rows_sorted(Observer& observe) {
    CsrMatrix matrix(4, 6);
    const std::vector<Entry> entries = {{2, 5, 1}, {2, 1, 2}, {0, 4, 3}, {2, 3, 4}, {3, 0, 5}, {0, 0, 6}, {2, 0, 7}};
    for (const auto& [row, column, value] : entries) matrix.set(row, column, value);
    show(observe, matrix);
}

void zero_removes(Observer& observe) {
    CsrMatrix matrix = example();
    matrix.set(2, 2, 0);
    matrix.set(0, 1, -0.0);
    matrix.set(1, 1, 0);
    matrix.set(1, 2, -0.0);
    show(observe, matrix);
    matrix.set(2, 2, 31);
    show(observe, matrix);
}

void adds_entries_of_one_place(Observer& observe) {
    show(observe, CsrMatrix::from_entries(
                      3, 3,
                      {{1, 2, 5}, {0, 0, 2}, {1, 2, 8}, {2, 1, 6}, {0, 0, -2}, {1, 2, 0.5}, {2, 2, 0}, {2, 1, 1}}));
}

void refuses_places_outside(Observer& observe) {
    CsrMatrix matrix = example();
    observe.throws<std::out_of_range>([&] { matrix.get(3, 0); });
    observe.throws<std::out_of_range>([&] { matrix.get(0, 4); });
    observe.throws<std::out_of_range>([&] { matrix.set(3, 1, 1); });
    observe.throws<std::out_of_range>([&] { matrix.set(2, 4, 0); });
    observe.throws<std::out_of_range>([&] { matrix.set(static_cast<std::size_t>(-1), 0, 1); });
    observe.throws<std::out_of_range>([&] { CsrMatrix::from_entries(2, 3, {{0, 0, 1}, {2, 1, 1}}); });
    observe.throws<std::out_of_range>([&] { CsrMatrix::from_entries(2, 3, {{0, 3, 0}}); });
    observe.value(matrix.get(2, 3));
    show(observe, matrix);
}

void refuses_other_shapes(Observer& observe) {
    const CsrMatrix matrix = example();
    observe.throws<std::invalid_argument>([&] { matrix * matrix; });
    observe.throws<std::invalid_argument>([&] { CsrMatrix(3, 3) * CsrMatrix(4, 3); });
    observe.throws<std::invalid_argument>([&] { matrix * std::vector<double>{1, 2, 3}; });
    observe.throws<std::invalid_argument>([&] { matrix * std::vector<double>{1, 2, 3, 4, 5}; });
    show(observe, matrix * matrix.transposed());
}

void transposes(Observer& observe) {
    const CsrMatrix matrix = example();
    const CsrMatrix transposed = matrix.transposed();
    show(observe, transposed);
    observe.value(transposed.get(3, 0));
    observe.throws<std::out_of_range>([&] { transposed.get(0, 3); });
    show(observe, transposed.transposed());
    show(observe, matrix);
}

void multiplies(Observer& observe) {
    const CsrMatrix left = CsrMatrix::from_entries(2, 3, {{0, 2, 3}, {0, 0, 2}, {1, 1, -1}});
    const CsrMatrix right =
        CsrMatrix::from_entries(3, 4, {{2, 0, 5}, {2, 1, 0.5}, {0, 3, 4}, {0, 1, 10}, {1, 2, 6}, {1, 0, 7}});
    show(observe, left * right);
    show(observe, left);
    show(observe, right);
}

void drops_cancelled_sums(Observer& observe) {
    const CsrMatrix left = CsrMatrix::from_entries(2, 2, {{0, 0, 1}, {0, 1, 1}, {1, 0, 2}, {1, 1, 3}});
    const CsrMatrix right = CsrMatrix::from_entries(2, 3, {{0, 0, 4}, {1, 0, -4}, {0, 1, 5}, {1, 2, 8}});
    show(observe, left * right);
}

void assigns_its_own_product(Observer& observe) {
    CsrMatrix matrix = CsrMatrix::from_entries(3, 3, {{0, 1, 2}, {1, 2, 3}, {2, 0, 5}, {0, 0, 1}});
    matrix = matrix * matrix;
    show(observe, matrix);
    matrix.set(0, 1, 0);
    matrix = matrix * matrix;
    show(observe, matrix);
}

void multiplies_a_vector(Observer& observe) {
    const CsrMatrix matrix = example();
    observe.value(matrix * std::vector<double>{1, 2, 3, 4});
    observe.value(matrix.transposed() * std::vector<double>{-1, 100, 0.5});
    observe.value(CsrMatrix(2, 3) * std::vector<double>{1, 2, 3});
}

void allows_empty_shapes(Observer& observe) {
    show(observe, CsrMatrix(0, 3));
    show(observe, CsrMatrix(3, 0).transposed());
    show(observe, CsrMatrix(3, 0) * CsrMatrix(0, 2));
    observe.value(CsrMatrix(2, 0) * std::vector<double>{});
    observe.throws<std::out_of_range>([] { CsrMatrix(0, 3).get(0, 0); });
}

void handles_large_matrices(Observer& observe) {
    constexpr std::size_t size = 200'000;
    std::vector<Entry> entries;
    std::uint64_t state = 20'251;
    const auto next = [&state] { return (state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U) >> 33; };
    for (std::size_t index = 0; index < size; ++index) {
        entries.push_back({next() % size, next() % size, static_cast<double>(next() % 9) - 4});
    }
    const CsrMatrix matrix = CsrMatrix::from_entries(size, size, std::move(entries));
    const CsrMatrix product = matrix * matrix.transposed();
    double checksum = 0;
    for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t at = product.row_offsets()[row]; at < product.row_offsets()[row + 1]; ++at) {
            checksum += static_cast<double>((row * 31 + product.column_indices()[at]) % 1009) * product.values()[at];
        }
    }
    observe.value(std::vector<std::size_t>{matrix.nonzeros(), product.nonzeros()});
    observe.value(checksum);
}
