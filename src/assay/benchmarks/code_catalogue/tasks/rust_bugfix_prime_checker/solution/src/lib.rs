//! Prime numbers that fit in 32 bits.

/// Whether `n` is a prime, by trial division.
pub fn is_prime(n: u32) -> bool {
    if n < 2 {
        return false;
    }
    if n % 2 == 0 {
        return n == 2;
    }
    let mut divisor = 3;
    // Not `divisor * divisor`, which overflows for numbers close to `u32::MAX`.
    while divisor <= n / divisor {
        if n % divisor == 0 {
            return false;
        }
        divisor += 2;
    }
    true
}

/// The primes from `low` to `high`, both included, in ascending order.
pub fn primes_between(low: u32, high: u32) -> Vec<u32> {
    (low..=high).filter(|&n| is_prime(n)).collect()
}

/// The smallest prime greater than `n`, or `None` if it does not fit in 32 bits.
pub fn next_prime(n: u32) -> Option<u32> {
    let first = n.checked_add(1)?;
    (first..=u32::MAX).find(|&candidate| is_prime(candidate))
}
