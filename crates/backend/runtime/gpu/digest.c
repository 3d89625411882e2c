// SHA-256, which names compiled kernels after everything that they depend on.

struct fe_digest {
  uint32_t state[8];
  uint64_t length;
  unsigned char block[64];
};

static uint32_t fe_rotate(uint32_t a, int bits) { return a >> bits | a << (32 - bits); }

// The first 32 bits of the fractional parts of roots of primes: `root` 2 or 3. Computed with integers, so that there is no
// table of constants to mistype: the largest r with r^root <= prime * 2^(32*root), of which the low 32 bits are meant.
static uint32_t fe_prime_root(uint64_t prime, int root) {
  uint64_t low = 0, high = (uint64_t)1 << 37; // roots of primes below 512 are below 32
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    // middle^root against prime << 32*root, in parts of 32 bits, the lowest first.
    uint64_t power[8] = {1}, wanted[8] = {0};
    wanted[root] = prime;
    for (int factor = 0; factor < root; factor++) {
      uint64_t product[8] = {0};
      for (int i = 0; i < 6; i++) {
        uint64_t parts[2] = {power[i] * (middle & 0xffffffff), power[i] * (middle >> 32)};
        for (int j = 0; j < 2; j++) {
          product[i + j] += parts[j] & 0xffffffff;
          product[i + j + 1] += parts[j] >> 32;
        }
      }
      for (int i = 0; i < 7; i++) {
        product[i + 1] += product[i] >> 32;
        power[i] = product[i] & 0xffffffff;
      }
    }
    int i = 6;
    while (i > 0 && power[i] == wanted[i]) {
      i--;
    }
    if (power[i] <= wanted[i]) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (uint32_t)low;
}

static void fe_digest_constants(uint32_t *constants, int count, int root) {
  int found = 0;
  for (uint64_t n = 2; found < count; n++) {
    bool prime = true;
    for (uint64_t d = 2; d * d <= n; d++) {
      prime = prime && n % d != 0;
    }
    if (prime) {
      constants[found++] = fe_prime_root(n, root);
    }
  }
}

static void fe_digest_block(struct fe_digest *digest, const uint32_t *constants) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++) {
    const unsigned char *b = digest->block + 4 * i;
    w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (fe_rotate(a, 7) ^ fe_rotate(a, 18) ^ a >> 3)
           + (fe_rotate(b, 17) ^ fe_rotate(b, 19) ^ b >> 10);
  }
  memcpy(s, digest->state, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t e = s[4], a = s[0];
    uint32_t first = s[7] + (fe_rotate(e, 6) ^ fe_rotate(e, 11) ^ fe_rotate(e, 25)) + ((e & s[5]) ^ (~e & s[6]))
                     + constants[i] + w[i];
    uint32_t second = (fe_rotate(a, 2) ^ fe_rotate(a, 13) ^ fe_rotate(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; i++) {
    digest->state[i] += s[i];
  }
}

// The digest of several texts one after the other, each with a zero at its end, as 64 hexadecimal digits.
static void fe_digest_texts(const char *const *texts, int count, char out[65]) {
  uint32_t constants[64];
  struct fe_digest digest;
  fe_digest_constants(digest.state, 8, 2);
  fe_digest_constants(constants, 64, 3);
  digest.length = 0;
  for (int i = 0; i < count; i++) {
    const char *text = texts[i];
    do {
      digest.block[digest.length++ % 64] = (unsigned char)*text;
      if (digest.length % 64 == 0) {
        fe_digest_block(&digest, constants);
      }
    } while (*text++ != '\0');
  }
  uint64_t bits = digest.length * 8;
  digest.block[digest.length++ % 64] = 0x80;
  while (digest.length % 64 != 56) {
    if (digest.length % 64 == 0) {
      fe_digest_block(&digest, constants);
    }
    digest.block[digest.length++ % 64] = 0;
  }
  for (int i = 0; i < 8; i++) {
    digest.block[56 + i] = (unsigned char)(bits >> (56 - 8 * i));
  }
  fe_digest_block(&digest, constants);
  for (int i = 0; i < 8; i++) {
    snprintf(out + 8 * i, 9, "%08" PRIx32, digest.state[i]);
  }
}
