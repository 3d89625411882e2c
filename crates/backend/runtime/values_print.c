// Scalars as text.
//
// Floats have the digits that `%.17g` and `%.9g` of C print, but are several times faster for common numbers: a number
// m * 2^-s becomes the integer m * 10^k / 2^s with as many digits as required. As long as the product fits into 128
// bits, the division is a shift, its remainder is exact, and so is the rounding. Other numbers are left to the C
// library.

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 fe_wide;

static int fe_bit_length(uint64_t x) {
  int length = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (x >> step != 0) {
      x >>= step;
      length += step;
    }
  }
  return length + (x != 0);
}

// The digits of a positive number as an integer of `precision` digits, the first of which has the weight
// 10^*exponent; 0 if this way is not for this number.
static uint64_t fe_decimal_digits(double x, int precision, int *exponent) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int binary = (int)(bits >> 52 & 0x7FF);
  if (binary == 0 || binary == 0x7FF) {
    return 0;
  }
  uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
  int shift = 1075 - binary;
  while ((mantissa & 1) == 0) {
    mantissa >>= 1;
    shift--;
  }
  if (shift < 1 || shift > 126) {
    return 0;
  }
  uint64_t lowest = 1;
  for (int i = 1; i < precision; i++) {
    lowest *= 10;
  }
  // log10(2) is a little more than 1233 / 4096; the guess is at most one off.
  int guess = (binary - 1023) * 1233 / 4096 - (binary < 1023);
  for (int attempt = 0; attempt < 3; attempt++) {
    int k = precision - 1 - guess;
    // 10^k has at most 10 / 3 * k + 1 bits.
    if (k < 0 || fe_bit_length(mantissa) + k * 10 / 3 + 1 > 127) {
      return 0;
    }
    fe_wide product = mantissa;
    for (int i = 0; i < k; i++) {
      product *= 10;
    }
    fe_wide result = product >> shift;
    fe_wide rest = product & (((fe_wide)1 << shift) - 1);
    fe_wide half = (fe_wide)1 << (shift - 1);
    result += rest > half || (rest == half && (result & 1) == 1);
    if (result < lowest) {
      guess--;
    } else if (result / 10 >= lowest) {
      guess++;
    } else {
      *exponent = guess;
      return (uint64_t)result;
    }
  }
  return 0;
}
#else
static uint64_t fe_decimal_digits(double x, int precision, int *exponent) {
  (void)x;
  (void)precision;
  (void)exponent;
  return 0;
}
#endif

// Writes a finite number with up to `precision` digits, 9 or 17; how many bytes, at most 24.
static size_t fe_write_decimal(char *out, double x, int precision) {
  int exponent = 0;
  bool negative = x < 0;
  uint64_t number = x == 0 ? 0 : fe_decimal_digits(negative ? -x : x, precision, &exponent);
  if (number == 0) {
    return (size_t)snprintf(out, 32, "%.*g", precision, x);
  }
  int count = precision;
  for (; number % 10 == 0; number /= 10) {
    count--;
  }
  char digits[20];
  for (int i = count; i-- > 0; number /= 10) {
    digits[i] = (char)('0' + number % 10);
  }
  char *at = out;
  if (negative) {
    *at++ = '-';
  }
  if (exponent < -4 || exponent >= precision) {
    *at++ = digits[0];
    if (count > 1) {
      *at++ = '.';
      memcpy(at, digits + 1, (size_t)count - 1);
      at += count - 1;
    }
    int power = exponent < 0 ? -exponent : exponent;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (power >= 100) {
      *at++ = (char)('0' + power / 100);
    }
    *at++ = (char)('0' + power / 10 % 10);
    *at++ = (char)('0' + power % 10);
    return (size_t)(at - out);
  }
  if (exponent < 0) {
    *at++ = '0';
    *at++ = '.';
    for (int i = -1; i > exponent; i--) {
      *at++ = '0';
    }
  }
  for (int i = 0; i < count || i <= exponent; i++) {
    if (i > 0 && i == exponent + 1) {
      *at++ = '.';
    }
    *at++ = i < count ? digits[i] : '0';
  }
  return (size_t)(at - out);
}

enum { FE_SCALAR_SIZE = 48 };

static size_t fe_write_digits(char *out, bool negative, uint64_t magnitude) {
  char digits[20];
  size_t start = sizeof digits;
  do {
    digits[--start] = (char)('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude != 0);
  size_t length = 0;
  if (negative) {
    out[length++] = '-';
  }
  memcpy(out + length, digits + start, sizeof digits - start);
  return length + sizeof digits - start;
}

// A float with 9 digits, or 17 if it is an f64, which is enough to read the same number back.
static size_t fe_write_float(char *out, const struct fe_prim *prim, const void *data) {
  double x;
  if (prim->size == 2) {
    uint16_t half;
    memcpy(&half, data, sizeof half);
    x = (double)fe_half_to_float(half);
  } else if (prim->size == 4) {
    float single;
    memcpy(&single, data, sizeof single);
    x = (double)single;
  } else {
    memcpy(&x, data, sizeof x);
  }
  if (x != x) {
    return (size_t)snprintf(out, FE_SCALAR_SIZE, "%s.nan", prim->name);
  }
  if (x - x != 0) {
    return (size_t)snprintf(out, FE_SCALAR_SIZE, "%s%s.inf", x < 0 ? "-" : "", prim->name);
  }
  size_t length;
  double limit = prim->size == 8 ? 9007199254740992.0 : 1e9;
  // Whole numbers look like integers, which are faster to write. Zero has a sign that would be lost.
  if (x != 0 && x > -limit && x < limit && x == (double)(int64_t)x) {
    length = fe_write_digits(out, x < 0, (uint64_t)(x < 0 ? -x : x));
  } else {
    length = fe_write_decimal(out, x, prim->size == 8 ? 17 : 9);
  }
  memcpy(out + length, prim->name, 3);
  return length + 3;
}

// Writes a scalar with its suffix; how many bytes, fewer than FE_SCALAR_SIZE.
static size_t fe_scalar_write(char *out, const struct fe_prim *prim, const void *data) {
  if (prim->class_ == FE_FLOAT) {
    return fe_write_float(out, prim, data);
  }
  uint8_t b8 = 0;
  uint16_t b16 = 0;
  uint32_t b32 = 0;
  uint64_t bits = 0;
  switch (prim->size) {
  case 1:
    memcpy(&b8, data, 1);
    bits = b8;
    break;
  case 2:
    memcpy(&b16, data, 2);
    bits = b16;
    break;
  case 4:
    memcpy(&b32, data, 4);
    bits = b32;
    break;
  default:
    memcpy(&bits, data, 8);
    break;
  }
  if (prim->class_ == FE_BOOL) {
    memcpy(out, bits != 0 ? "true" : "false", bits != 0 ? 4 : 5);
    return bits != 0 ? 4 : 5;
  }
  uint64_t ones = UINT64_MAX >> (64 - 8 * prim->size);
  bool negative = prim->class_ == FE_SIGNED && bits > ones >> 1;
  size_t length = fe_write_digits(out, negative, negative ? (0 - bits) & ones : bits);
  size_t suffix = strlen(prim->name);
  memcpy(out + length, prim->name, suffix);
  return length + suffix;
}
