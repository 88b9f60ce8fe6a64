"""Prime numbers by trial division."""


def is_prime(number: int) -> bool:
    """Whether the number is prime."""
    _require_int(number)
    if number < 2:
        return False
    if number % 2 == 0:
        return number == 2
    divisor = 3
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 2
    return True


def next_prime(number: int) -> int:
    """The smallest prime above the number."""
    _require_int(number)
    candidate = max(number + 1, 2)
    while not is_prime(candidate):
        candidate += 1
    return candidate


def primes_between(low: int, high: int) -> list[int]:
    """All primes of the half-open range from `low` to `high`."""
    _require_int(low)
    _require_int(high)
    return [number for number in range(max(low, 2), high) if is_prime(number)]


def prime_factors(number: int) -> list[int]:
    """The prime factors of the number, in ascending order."""
    _require_int(number)
    if number < 1:
        raise ValueError(f"only positive numbers have prime factors, not {number}")
    factors = []
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    if number > 1:
        factors.append(number)
    return factors


def _require_int(number: object) -> None:
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"an int was expected, not {number!r}")
