// Scalars: f16, storing values in the expected type, and fast parsing of common numbers.
//
// Data sets have millions of plain decimals of moderate length. They go through `fe_quick`; everything else, and
// everything malformed, is left to values_number.c, with which this file must agree.

// ---- f16 ----

static float fe_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 31;
  uint32_t fraction = half & 1023;
  uint32_t bits;
  if (exponent == 31) {
    bits = sign | 0x7F800000 | fraction << 13;
  } else if (exponent > 0) {
    bits = sign | (exponent + 112) << 23 | fraction << 13;
  } else {
    // A subnormal number is a multiple of 2^-24, which a float holds exactly.
    float magnitude = (float)fraction / 16777216.0f;
    return sign != 0 ? -magnitude : magnitude;
  }
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

// Rounded to nearest, ties to even.
static uint16_t fe_half_from_double(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
  int exponent = (int)(bits >> 52 & 0x7FF) - 1023;
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 1024) {
    return (uint16_t)(sign | (fraction != 0 ? 0x7E00 : 0x7C00));
  }
  if (exponent > 15) {
    return (uint16_t)(sign | 0x7C00);
  }
  if (exponent < -25) {
    return sign;
  }
  uint64_t mantissa = fraction | UINT64_C(1) << 52;
  int binade = exponent < -14 ? -14 : exponent;
  int dropped = 42 + (binade - exponent);
  uint64_t kept = mantissa >> dropped;
  uint64_t rest = mantissa & ((UINT64_C(1) << dropped) - 1);
  uint64_t half = UINT64_C(1) << (dropped - 1);
  kept += rest > half || (rest == half && (kept & 1) == 1);
  // The hidden bit of a normal number adds one to the exponent field, and so does a carry.
  return (uint16_t)(sign | (((uint64_t)(binade + 14) << 10) + kept));
}

// ---- Storing ----

static void fe_store_bits(const struct fe_prim *prim, uint64_t bits, void *out) {
  uint8_t b8 = (uint8_t)bits;
  uint16_t b16 = (uint16_t)bits;
  uint32_t b32 = (uint32_t)bits;
  switch (prim->size) {
  case 1:
    memcpy(out, &b8, 1);
    break;
  case 2:
    memcpy(out, &b16, 2);
    break;
  case 4:
    memcpy(out, &b32, 4);
    break;
  default:
    memcpy(out, &bits, 8);
    break;
  }
}

static void fe_store_float(const struct fe_prim *prim, double x, void *out) {
  if (prim->size == 2) {
    uint16_t half = fe_half_from_double(x);
    memcpy(out, &half, 2);
  } else if (prim->size == 4) {
    float single = (float)x;
    memcpy(out, &single, 4);
  } else {
    memcpy(out, &x, 8);
  }
}

static void fe_negate_float(const struct fe_prim *prim, void *out) {
  // The byte with the sign is the last one of a little endian number, else the first.
  const uint16_t probe = 1;
  unsigned char low;
  memcpy(&low, &probe, 1);
  ((unsigned char *)out)[low == 1 ? prim->size - 1 : 0] ^= 0x80;
}

// ---- Usual numbers ----

// Whether `text` starts with the name of a type, which is the suffix of its numbers.
static inline size_t fe_suffix_length(const unsigned char *text, const struct fe_prim *prim) {
  size_t i = 0;
  while (prim->name[i] != 0) {
    if (text[i] != (unsigned char)prim->name[i]) {
      return 0;
    }
    i++;
  }
  return i;
}

// mantissa * 10^exponent, or mantissa / 10^exponent, if long double has the bits to find it.
static inline bool fe_quick_wide(uint64_t mantissa, int exponent, bool divide, const double *powers, double *out) {
#if LDBL_MANT_DIG == 64
  long double x = divide ? (long double)mantissa / (long double)powers[exponent]
                         : (long double)mantissa * (long double)powers[exponent];
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  *out = (double)x;
  // The result was rounded to 64 bits. Rounding again goes wrong only in the middle between two numbers.
  return (bits & 0x7FF) != 0x400;
#else
  (void)mantissa, (void)exponent, (void)divide, (void)powers, (void)out;
  return false;
#endif
}

// Stores the number at the start of `text`, which a 0 ends somewhere, if it is a plain decimal of the right type
// and usual length, followed by a separator; the number of its bytes, or 0.
static size_t fe_quick(const unsigned char *text, const struct fe_prim *prim, void *out) {
  static const double powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const unsigned char *at = text;
  bool negative = *at == '-';
  at += negative;
  const unsigned char *digits = at;
  uint64_t mantissa = 0;
  while (*at >= '0' && *at <= '9') {
    mantissa = mantissa * 10 + (uint64_t)(*at++ - '0');
  }
  ptrdiff_t count = at - digits;
  if (count == 0) {
    return 0;
  }
  bool point = *at == '.';
  ptrdiff_t fraction = 0;
  if (point) {
    const unsigned char *start = ++at;
    while (*at >= '0' && *at <= '9') {
      mantissa = mantissa * 10 + (uint64_t)(*at++ - '0');
    }
    fraction = at - start;
  }
  // Nineteen digits always fit into 64 bits.
  if (count + fraction > 19) {
    return 0;
  }
  int exponent = -(int)fraction;
  bool is_float = point;
  if (*at == 'e') {
    at++;
    bool below = *at == '-';
    at += below || *at == '+';
    const unsigned char *start = at;
    int written = 0;
    while (*at >= '0' && *at <= '9' && at - start < 4) {
      written = written * 10 + (*at++ - '0');
    }
    if (at == start) {
      return 0;
    }
    exponent += below ? -written : written;
    is_float = true;
  }
  at += fe_suffix_length(at, prim);
  if (*at != ',' && *at != ']' && *at != ' ' && *at != '\n') {
    return 0;
  }
  if (prim->class_ == FE_FLOAT) {
    if (exponent < -22 || exponent > 22) {
      return 0;
    }
    double x;
    // One operation on two exact numbers is rounded correctly.
    if (mantissa <= UINT64_C(1) << 53) {
      x = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
    } else if (!fe_quick_wide(mantissa, exponent < 0 ? -exponent : exponent, exponent < 0, powers, &x)) {
      return 0;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    // Rounding again, to f32, goes wrong only if this is the middle between two of its numbers.
    if (prim->size == 4 && (bits & 0x1FFFFFFF) == 0x10000000) {
      return 0;
    }
    fe_store_float(prim, negative ? -x : x, out);
    return (size_t)(at - text);
  }
  if (is_float || prim->class_ == FE_BOOL || mantissa > (UINT64_MAX >> (64 - 8 * prim->size)) >> 1) {
    return 0;
  }
  fe_store_bits(prim, negative ? 0 - mantissa : mantissa, out);
  return (size_t)(at - text);
}
