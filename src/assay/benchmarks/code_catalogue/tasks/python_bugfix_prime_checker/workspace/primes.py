"""Prime numbers by trial division."""


def is_prime(number: int) -> bool:
    """Whether the number is prime."""
    if number % 2 == 0:
        return number == 2
    divisor = 3
    while divisor * divisor < number:
        if number % divisor == 0:
            return False
        divisor += 2
    return True


def next_prime(number: int) -> int:
    """The smallest prime above the number."""
    candidate = number + 1
    while not is_prime(candidate):
        candidate += 1
    return candidate


def primes_between(low: int, high: int) -> list[int]:
    """All primes of the half-open range from `low` to `high`."""
    return [number for number in range(low, high) if is_prime(number)]


def prime_factors(number: int) -> list[int]:
    """The prime factors of the number, in ascending order."""
    factors = []
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors
