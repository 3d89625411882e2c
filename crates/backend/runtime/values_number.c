// Numbers and booleans: a word of text, parsed and converted to a type.

enum fe_word_kind { FE_WORD_BOOL, FE_WORD_INTEGER, FE_WORD_DECIMAL, FE_WORD_NAN, FE_WORD_INFINITY };

// A word taken apart.
struct fe_word {
  struct fe_place place;
  bool negative;
  enum fe_word_kind kind;
  bool truth;                   // of a truth value
  unsigned radix;               // of an integer
  char *digits;                 // of an integer; of a decimal the whole number, without sign
  size_t length;                // how many
  const struct fe_prim *suffix; // the type that is written, or NULL
};

static bool fe_is_alnum(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int fe_digit(int c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

static int fe_word_push(struct fe_input *in, int byte) {
  if (in->word_length + 1 >= in->word_capacity) {
    size_t capacity = in->word_capacity == 0 ? 128 : in->word_capacity * 2;
    char *word = realloc(in->word, capacity);
    if (word == NULL) {
      return fe_input_no_memory(in);
    }
    in->word = word;
    in->word_capacity = capacity;
  }
  in->word[in->word_length++] = (char)byte;
  in->word[in->word_length] = 0;
  return 0;
}

// Moves the next word into `in->word`: letters, digits, `_`, `.`, a sign at the start, and a sign after the
// letter of an exponent. There may be none.
static int fe_word_take(struct fe_input *in) {
  in->word_length = 0;
  if (fe_word_push(in, 0) != 0) {
    return 1;
  }
  in->word_length = 0;
  in->word[0] = 0;
  size_t start = 0;
  int byte = fe_input_byte(in);
  if (byte == '+' || byte == '-') {
    if (fe_word_push(in, byte) != 0) {
      return 1;
    }
    in->at++;
    start = 1;
  }
  while ((byte = fe_input_byte(in)) != -1) {
    if (!fe_is_alnum(byte) && byte != '.' && byte != '_') {
      if ((byte != '+' && byte != '-') || in->word_length == start) {
        break;
      }
      const char *body = in->word + start;
      bool number = (body[0] >= '0' && body[0] <= '9') || body[0] == '.';
      bool hexadecimal = body[0] == '0' && (body[1] == 'x' || body[1] == 'X');
      int before = in->word[in->word_length - 1] | 32;
      if (!number || before != (hexadecimal ? 'p' : 'e')) {
        break;
      }
    }
    if (fe_word_push(in, byte) != 0) {
      return 1;
    }
    in->at++;
  }
  return 0;
}

// The numeric type of a name; NULL if there is none.
static const struct fe_prim *fe_number_type(const char *name, size_t length) {
  for (int i = 0; i < FE_NUM_PRIMS; i++) {
    const struct fe_prim *prim = fe_prims[i];
    if (prim->class_ != FE_BOOL && strlen(prim->name) == length && memcmp(prim->name, name, length) == 0) {
      return prim;
    }
  }
  return NULL;
}

// Takes what comes after the digits of a number; whether that is right.
static bool fe_word_suffix(struct fe_word *word, const char *rest) {
  word->suffix = *rest == 0 ? NULL : fe_number_type(rest, strlen(rest));
  return *rest == 0 || word->suffix != NULL;
}

static bool fe_is_float_or_none(const struct fe_prim *prim) {
  return prim == NULL || prim->class_ == FE_FLOAT;
}

static bool fe_word_decimal(struct fe_word *word, char *text) {
  bool is_float = false;
  size_t digits = 0;
  char *at = text;
  for (; *at != 0; at++) {
    if (*at >= '0' && *at <= '9') {
      digits++;
    } else if (*at == '.' && !is_float) {
      is_float = true;
    } else if (*at != '_') {
      break;
    }
  }
  if (digits > 0 && (*at == 'e' || *at == 'E')) {
    is_float = true;
    at++;
    at += *at == '+' || *at == '-';
    size_t exponent = 0;
    for (; (*at >= '0' && *at <= '9') || *at == '_'; at++) {
      exponent += *at != '_';
    }
    if (exponent == 0) {
      return false;
    }
  }
  word->kind = is_float ? FE_WORD_DECIMAL : FE_WORD_INTEGER;
  word->radix = 10;
  word->digits = text;
  word->length = (size_t)(at - text);
  return digits > 0 && fe_word_suffix(word, at) && (!is_float || fe_is_float_or_none(word->suffix));
}

// An integer, or a float such as 0x1.8p3.
static bool fe_word_hexadecimal(struct fe_word *word, char *text) {
  bool point = false;
  size_t digits = 0;
  char *at = text + 2;
  for (; *at != 0; at++) {
    if (*at == '.' && !point) {
      point = true;
    } else if (fe_digit(*at) < 16) {
      digits++;
    } else if (*at != '_') {
      break;
    }
  }
  if (digits == 0) {
    return false;
  }
  if (*at != 'p' && *at != 'P') {
    word->kind = FE_WORD_INTEGER;
    word->radix = 16;
    word->digits = text + 2;
    word->length = (size_t)(at - word->digits);
    return !point && fe_word_suffix(word, at);
  }
  at++;
  at += *at == '+' || *at == '-';
  char *exponent = at;
  while (*at >= '0' && *at <= '9') {
    at++;
  }
  word->kind = FE_WORD_DECIMAL;
  word->digits = text;
  word->length = (size_t)(at - text);
  return at > exponent && fe_word_suffix(word, at) && fe_is_float_or_none(word->suffix);
}

static bool fe_word_binary(struct fe_word *word, char *text) {
  size_t digits = 0;
  char *at = text + 2;
  for (; *at == '0' || *at == '1' || *at == '_'; at++) {
    digits += *at != '_';
  }
  word->kind = FE_WORD_INTEGER;
  word->radix = 2;
  word->digits = text + 2;
  word->length = (size_t)(at - word->digits);
  return digits > 0 && fe_word_suffix(word, at);
}

// `true`, `false`, `nan`, `f32.inf`.
static bool fe_word_name(struct fe_word *word, const char *text, bool has_sign) {
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
    word->kind = FE_WORD_BOOL;
    word->truth = *text == 't';
    return !has_sign;
  }
  const char *special = strchr(text, '.');
  if (special != NULL) {
    word->suffix = fe_number_type(text, (size_t)(special - text));
    if (word->suffix == NULL || word->suffix->class_ != FE_FLOAT) {
      return false;
    }
    special++;
  } else {
    special = text;
  }
  word->kind = *special == 'n' ? FE_WORD_NAN : FE_WORD_INFINITY;
  return strcmp(special, "nan") == 0 || strcmp(special, "inf") == 0;
}

// The parts of `%.60s%s` that show a word, cut if it is long.
#define FE_SHOWN(in) (in)->word, (in)->word_length > 60 ? "..." : ""

static int fe_word_malformed(struct fe_input *in, struct fe_place place) {
  const char *body = in->word;
  body += *body == '+' || *body == '-';
  if (*body == 0) {
    return fe_input_fail(in, place, "`%s` is not followed by a number; a sign must directly precede its number",
                         in->word);
  }
  if ((*body < '0' || *body > '9') && *body != '.') {
    return fe_input_fail(
        in, place, "`%.60s%s` is not a value; a value is a number, `true`, `false`, an array or a string",
        FE_SHOWN(in));
  }
  const char *letters = body;
  while (*letters != 0 && (!fe_is_alnum(*letters) || (*letters >= '0' && *letters <= '9'))) {
    letters++;
  }
  const char *help = "";
  const struct fe_prim *prim = fe_number_type(letters, strlen(letters));
  if (prim != NULL && prim->class_ != FE_FLOAT) {
    help = "; a number with a decimal point or an exponent needs the suffix f16, f32 or f64";
  } else if (*letters != 0) {
    help = "; the suffixes are i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64";
  }
  return fe_input_fail(in, place, "`%.60s%s` is not a number%s", FE_SHOWN(in), help);
}

static int fe_word_wrong_type(struct fe_input *in, const struct fe_word *word, const struct fe_prim *prim) {
  const char *help = prim->class_ == FE_BOOL ? "; write `true` or `false`" : "";
  if (word->suffix != NULL) {
    return fe_input_fail(in, word->place, "`%.60s%s` has type %s, but a value of type %s is expected here%s",
                         FE_SHOWN(in), word->suffix->name, prim->name, help);
  }
  if (prim->class_ == FE_BOOL) {
    return fe_input_fail(in, word->place, "`%.60s%s` is a number, but a bool is expected here%s", FE_SHOWN(in), help);
  }
  const char *what = word->kind == FE_WORD_BOOL ? "a bool" : "not an integer";
  return fe_input_fail(in, word->place, "`%.60s%s` is %s, but a value of type %s is expected here", FE_SHOWN(in), what,
                       prim->name);
}

static int fe_word_does_not_fit(struct fe_input *in, const struct fe_word *word, const struct fe_prim *prim) {
  uint64_t ones = UINT64_MAX >> (64 - 8 * prim->size);
  if (prim->class_ == FE_SIGNED) {
    return fe_input_fail(in, word->place, "`%.60s%s` does not fit into %s; %s ranges from -%llu to %llu", FE_SHOWN(in),
                         prim->name, prim->name, (unsigned long long)(ones >> 1) + 1,
                         (unsigned long long)(ones >> 1));
  }
  if (prim->class_ == FE_UNSIGNED) {
    return fe_input_fail(in, word->place, "`%.60s%s` does not fit into %s; %s ranges from 0 to %llu", FE_SHOWN(in),
                         prim->name, prim->name, (unsigned long long)ones);
  }
  return fe_input_fail(in, word->place, "`%.60s%s` does not fit into %s", FE_SHOWN(in), prim->name);
}

// Stores the scalar of type `prim` that a word stands for. This may change the word.
static int fe_word_store(struct fe_input *in, struct fe_word *word, const struct fe_prim *prim, void *out) {
  bool is_integer = prim->class_ == FE_SIGNED || prim->class_ == FE_UNSIGNED;
  if ((word->suffix != NULL && word->suffix != prim) ||
      (word->kind == FE_WORD_BOOL) != (prim->class_ == FE_BOOL) || (word->kind != FE_WORD_INTEGER && is_integer)) {
    return fe_word_wrong_type(in, word, prim);
  }
  if (word->kind == FE_WORD_BOOL) {
    memcpy(out, &word->truth, 1);
    return 0;
  }
  if (word->kind == FE_WORD_INTEGER && (is_integer || word->radix != 10)) {
    uint64_t magnitude = 0;
    for (size_t i = 0; i < word->length; i++) {
      if (word->digits[i] == '_') {
        continue;
      }
      uint64_t digit = (uint64_t)fe_digit(word->digits[i]);
      if (magnitude > (UINT64_MAX - digit) / word->radix) {
        return fe_word_does_not_fit(in, word, prim);
      }
      magnitude = magnitude * word->radix + digit;
    }
    if (is_integer) {
      uint64_t ones = UINT64_MAX >> (64 - 8 * prim->size);
      // With its type written, a number stands for its low bits: existing data has 255i8 for -1i8. Negative
      // numbers of unsigned types stand for their bits, as in the language itself.
      uint64_t largest = word->suffix != NULL                               ? UINT64_MAX
                         : word->negative                                   ? (ones >> 1) + 1
                         : prim->class_ == FE_SIGNED && word->radix == 10 ? ones >> 1
                                                                            : ones;
      if (magnitude > largest) {
        return fe_word_does_not_fit(in, word, prim);
      }
      fe_store_bits(prim, word->negative ? 0 - magnitude : magnitude, out);
      return 0;
    }
    if (prim->size == 4) {
      float single = (float)magnitude;
      memcpy(out, &single, 4);
    } else {
      fe_store_float(prim, (double)magnitude, out);
    }
  } else if (word->kind == FE_WORD_NAN) {
    fe_store_bits(prim,
                  prim->size == 2   ? 0x7E00
                  : prim->size == 4 ? 0x7FC00000
                                    : UINT64_C(0x7FF8000000000000),
                  out);
  } else if (word->kind == FE_WORD_INFINITY) {
    fe_store_bits(prim,
                  prim->size == 2   ? 0x7C00
                  : prim->size == 4 ? 0x7F800000
                                    : UINT64_C(0x7FF0000000000000),
                  out);
  } else {
    size_t length = 0;
    for (size_t i = 0; i < word->length; i++) {
      if (word->digits[i] != '_') {
        word->digits[length++] = word->digits[i];
      }
    }
    word->digits[length] = 0;
    if (prim->size == 4) {
      float single = strtof(word->digits, NULL);
      memcpy(out, &single, 4);
    } else {
      fe_store_float(prim, strtod(word->digits, NULL), out);
    }
  }
  if (word->negative) {
    fe_negate_float(prim, out);
  }
  return 0;
}

static int fe_unexpected(struct fe_input *in, const char *wanted, const char *help);

// Reads a scalar of type `prim`, which stands at the input's place; `wanted` says what it is.
static int fe_scalar_read(struct fe_input *in, const struct fe_prim *prim, const char *wanted, void *out) {
  struct fe_word word;
  memset(&word, 0, sizeof word);
  word.place = fe_input_place(in);
  if (fe_word_take(in) != 0) {
    return 1;
  }
  if (in->word_length == 0) {
    return fe_unexpected(in, wanted, "");
  }
  char *text = in->word;
  bool has_sign = *text == '-' || *text == '+';
  word.negative = *text == '-';
  text += has_sign;
  bool right;
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    right = fe_word_hexadecimal(&word, text);
  } else if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
    right = fe_word_binary(&word, text);
  } else if ((text[0] >= '0' && text[0] <= '9') || text[0] == '.') {
    right = fe_word_decimal(&word, text);
  } else {
    right = fe_word_name(&word, text, has_sign);
  }
  return right ? fe_word_store(in, &word, prim, out) : fe_word_malformed(in, word.place);
}

// An error at the input's place: something else than `wanted` is there.
static int fe_unexpected(struct fe_input *in, const char *wanted, const char *help) {
  int byte = fe_input_peek(in);
  struct fe_place place = fe_input_place(in);
  if (byte == -1) {
    return fe_input_fail(in, place, "expected %s, found the end of the input%s", wanted, help);
  }
  if (fe_word_take(in) != 0) {
    return 1;
  }
  if (in->word_length > 0) {
    return fe_input_fail(in, place, "expected %s, found `%.40s`%s", wanted, in->word, help);
  }
  if (byte >= 32 && byte < 127) {
    return fe_input_fail(in, place, "expected %s, found `%c`%s", wanted, byte, help);
  }
  return fe_input_fail(in, place, "expected %s, found the byte %d%s", wanted, byte, help);
}
