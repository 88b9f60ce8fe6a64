from enum import IntEnum
from fractions import Fraction

from primes import is_prime, next_prime, prime_factors, primes_between


class Size(IntEnum):
    SMALL = 13
    LARGE = 91


class Number(int):
    pass


def type_error(function, *arguments):
    """The name of the error, and whether its message shows the argument that is at fault."""
    try:
        return f"returned {function(*arguments)!r}"
    except Exception as error:
        wrong = next(one for one in arguments if type(one) is bool or not isinstance(one, int))
        return [type(error).__name__, repr(wrong) if repr(wrong) in str(error) else "not shown"]


def test_small_numbers(observe):
    observe([number for number in range(-30, 75) if is_prime(number)])


def test_squares_and_their_neighbours(observe):
    roots = (2, 3, 5, 7, 11, 13, 17, 31, 97, 997, 9973, 999983)
    observe([root for root in roots if is_prime(root)])
    observe([root * root for root in roots if is_prime(root * root)])
    near = [root * root + step for root in (6, 12, 30, 210, 9974) for step in (-5, -2, 1, 7)]
    observe([number for number in near if is_prime(number)])


def test_large_numbers(observe):
    numbers = [
        10**12 - 11,
        10**12 - 39,
        999979 * 999983,
        999983**2,
        2**39 - 7,
        2**37 - 1,
        561 * 10**9 + 1,
    ]
    observe([number for number in numbers if is_prime(number)])


def test_result_is_a_bool(observe):
    observe([f"{type(is_prime(n)).__name__} {is_prime(n)!r}" for n in (-3, 1, 2, 4, 5, 15, 19)])


def test_next_prime(observe):
    observe([next_prime(number) for number in (2, 3, 7, 8, 13, 24, 113, 7907, 10**9, 999999000000)])
    observe([next_prime(number) for number in (1, 0, -1, -10, -(10**12))])


def test_primes_between(observe):
    observe(
        [
            primes_between(-20, 12),
            primes_between(11, 13),
            primes_between(13, 14),
            primes_between(24, 29),
        ]
    )
    observe([primes_between(30, 20), primes_between(7, 7), primes_between(-9, 2)])
    many = primes_between(1000, 12000)
    observe([len(many), sum(many), many[-1], primes_between(-6, 4)])


def test_prime_factors(observe):
    observe(
        [prime_factors(number) for number in (1, 2, 14, 45, 49, 97, 360, 1001, 65536, 3 * 9973)]
    )
    observe([prime_factors(999979 * 999983), prime_factors(10**12 - 11), prime_factors(10**12)])
    observe.raises(ValueError, prime_factors, 0)
    observe.raises(ValueError, prime_factors, -14)


def test_other_types(observe):
    for wrong in (7.0, 7.5, "7", None, Fraction(7), [7], 1e300):
        observe(type_error(is_prime, wrong))
    observe(type_error(is_prime, float("nan")))


def test_bools(observe):
    observe([type_error(is_prime, True), type_error(is_prime, False)])
    observe([type_error(next_prime, True), type_error(prime_factors, True)])
    observe([type_error(primes_between, 0, True), type_error(primes_between, False, 10)])
    observe([next_prime(int(True)), primes_between(int(False), 18), prime_factors(9 + True)])


def test_types_are_checked_everywhere(observe):
    observe(
        [type_error(next_prime, 4.0), type_error(next_prime, -3.5), type_error(next_prime, "11")]
    )
    observe(
        [
            type_error(prime_factors, 12.0),
            type_error(prime_factors, 0.5),
            type_error(prime_factors, None),
        ]
    )
    observe([type_error(primes_between, 2.0, 10), type_error(primes_between, 9, 3.5)])
    observe([type_error(primes_between, "2", 10)])


def test_subclasses_of_int(observe):
    observe([int(one) for one in (*Size, Number(29), Number(27)) if is_prime(one)])
    observe([prime_factors(Size.LARGE), prime_factors(Number(27)), int(next_prime(Size.SMALL))])
    observe([int(one) for one in primes_between(Size.SMALL, Size.LARGE)])
