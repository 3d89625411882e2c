//! SHA-256: the names of things in the cache.
//!
//! Names must not collide, whatever people write into their programs, and they must stay the same from one
//! version of the standard library to the next. No other property of the function is relied on.

/// The digest of some texts, as 64 hexadecimal digits. Where one text ends and the next begins matters.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finish().iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Hasher {
    state: [u32; 8],
    /// What is not yet a whole block.
    pending: Vec<u8>,
    length: u64,
}

const BLOCK: usize = 64;

const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

impl Hasher {
    fn new() -> Hasher {
        Hasher { state: START, pending: Vec::with_capacity(BLOCK), length: 0 }
    }

    fn update(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if !self.pending.is_empty() {
            let missing = (BLOCK - self.pending.len()).min(bytes.len());
            self.pending.extend(&bytes[..missing]);
            bytes = &bytes[missing..];
            if self.pending.len() < BLOCK {
                return;
            }
            let block = std::mem::take(&mut self.pending);
            self.block(&block);
        }
        let (blocks, rest) = bytes.split_at(bytes.len() - bytes.len() % BLOCK);
        for block in blocks.chunks_exact(BLOCK) {
            self.block(block);
        }
        self.pending.extend(rest);
    }

    /// A one, zeros, and the number of bits at the end of a block.
    fn finish(mut self) -> [u8; 32] {
        let bits = self.length.wrapping_mul(8);
        let zeros = (BLOCK + 55 - self.pending.len()) % BLOCK;
        let mut padding = vec![0x80];
        padding.resize(1 + zeros, 0);
        padding.extend(bits.to_be_bytes());
        self.update(&padding);
        let mut digest = [0; 32];
        for (bytes, word) in digest.chunks_exact_mut(4).zip(self.state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        digest
    }

    fn block(&mut self, block: &[u8]) {
        let mut words = [0_u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, &byte| (word << 8) | u32::from(byte));
        }
        for i in 16..64 {
            let (a, b) = (words[i - 15], words[i - 2]);
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            words[i] = words[i - 16].wrapping_add(s0).wrapping_add(words[i - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        for (round, word) in ROUNDS.iter().zip(words) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 =
                h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*round).wrapping_add(word);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        for (state, new) in self.state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *state = state.wrapping_add(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(bytes: &[u8]) -> String {
        let mut hasher = Hasher::new();
        // In pieces, so that blocks are put together from several.
        for piece in bytes.chunks(7) {
            hasher.update(piece);
        }
        hasher.finish().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(plain(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(
            plain(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            plain(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        assert_eq!(
            plain(&[b'a'; 1_000_000]),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }

    #[test]
    fn the_borders_of_texts_matter() {
        let two = |a: &str, b: &str| digest([a.as_bytes(), b.as_bytes()]);
        assert_ne!(two("ab", "c"), two("a", "bc"));
        assert_eq!(two("ab", "c"), two("ab", "c"));
    }
}
