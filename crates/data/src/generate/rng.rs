//! The generator of random bits.
//!
//! xoshiro256** of Blackman and Vigna, whose state is filled from the seed by SplitMix64. Data sets are
//! named by their seed, so that neither this file nor the way in which its numbers are used may ever
//! change what a seed gives: the tests keep some of them.

/// A source of random bits, determined by its seed.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Rng {
        let mut mixer = seed;
        Rng { state: std::array::from_fn(|_| split_mix(&mut mixer)) }
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number from 0 to `last`, all equally likely.
    ///
    /// Lemire's method: the high half of a product with the number of choices, rejecting the few low halves
    /// that would favour some choices.
    pub fn up_to(&mut self, last: u64) -> u64 {
        let Some(choices) = last.checked_add(1) else {
            return self.next_u64();
        };
        let rejected = choices.wrapping_neg() % choices;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(choices);
            if product as u64 >= rejected {
                return (product >> 64) as u64;
            }
        }
    }

    /// A number from 0 to below 1: a multiple of 2^-53, all equally likely.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_the_published_numbers() {
        let mut state = 1_234_567;
        assert_eq!(split_mix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut state), 3_203_168_211_198_807_973);
    }

    #[test]
    fn xoshiro_gives_the_published_numbers() {
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let numbers: [u64; 4] = std::array::from_fn(|_| rng.next_u64());
        assert_eq!(numbers, [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn small_ranges_are_even() {
        let mut rng = Rng::new(1);
        let mut seen = [0; 6];
        for _ in 0..60_000 {
            seen[rng.up_to(5) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (9_500..10_500).contains(&n)), "{seen:?}");
        assert_eq!(rng.up_to(0), 0);
    }
}
