use crate::observer::Observer;
use solution::{is_prime, next_prime, primes_between};

fn primes_of(numbers: &[u32]) -> Vec<u32> {
    numbers.iter().copied().filter(|&n| is_prime(n)).collect()
}

pub fn first_primes(observe: &mut Observer) {
    observe.value(primes_of(&(0..=113).collect::<Vec<u32>>()));
}

pub fn zero_and_one(observe: &mut Observer) {
    observe.value(primes_of(&[1, 0, 3, 1, 2, 0, 5]));
    observe.value(primes_between(0, 1).len());
    observe.value(primes_between(0, 6));
    observe.value((next_prime(0), next_prime(1), next_prime(2)));
}

pub fn squares_of_primes(observe: &mut Observer) {
    let roots = [2_u32, 3, 5, 7, 11, 13, 101, 257, 9973, 65521];
    let squares: Vec<u32> = roots.iter().map(|root| root * root).collect();
    observe.value(primes_of(&squares).len());
    let neighbours: Vec<u32> = squares.iter().flat_map(|n| [n - 2, *n, n + 2]).collect();
    observe.value(primes_of(&neighbours));
}

pub fn even_numbers(observe: &mut Observer) {
    let evens: Vec<u32> = (0..40)
        .map(|n| 2 * n)
        .chain([1 << 31, u32::MAX - 1])
        .collect();
    observe.value(primes_of(&evens));
    observe.value(next_prime(7918));
}

pub fn numbers_that_fool_fermat(observe: &mut Observer) {
    let numbers = [
        341, 561, 563, 1105, 1729, 2047, 2465, 2467, 2821, 6601, 8911, 25326001, 25326023,
        3215031751, 3215031767,
    ];
    observe.value(primes_of(&numbers));
}

pub fn products_of_close_primes(observe: &mut Observer) {
    let products = [
        3 * 5,
        17 * 19,
        41 * 43,
        191 * 193,
        65519 * 65521,
        65479 * 65497,
    ];
    let mut numbers: Vec<u32> = products.to_vec();
    numbers.extend([65519, 65521, 65537]);
    observe.value(primes_of(&numbers));
}

pub fn count_below_20000(observe: &mut Observer) {
    let primes = primes_between(0, 20_000);
    let sum: u64 = primes.iter().map(|&prime| u64::from(prime)).sum();
    observe.value((primes.len(), sum, primes.last().copied()));
}

pub fn around_the_square_of_65536(observe: &mut Observer) {
    observe.value(primes_between(65_521 * 65_521 - 60, 65_521 * 65_521 + 60));
    observe.value(primes_between(4_294_836_225 - 40, 4_294_836_225 + 40));
}

pub fn largest_numbers(observe: &mut Observer) {
    observe.value(primes_between(u32::MAX - 120, u32::MAX));
    observe.value(primes_of(&[
        4_294_967_295,
        4_294_967_291,
        4_294_967_279,
        4_294_967_289,
    ]));
}

pub fn next_prime_at_the_end(observe: &mut Observer) {
    observe.value(next_prime(4_294_967_231));
    observe.value(next_prime(4_294_967_290));
    observe.value(next_prime(4_294_967_291));
    observe.value(next_prime(u32::MAX));
}

pub fn bounds_of_primes_between(observe: &mut Observer) {
    observe.value(primes_between(13, 29));
    observe.value(primes_between(24, 28).len());
    observe.value(primes_between(97, 97));
    observe.value(primes_between(29, 13).len());
}
