// Whole values in the text format: `[[1i32, 2i32], [3i32, 4i32]]`, `empty([0][3]f32)`, `"text"`.

// An array while it is read.
struct fe_rows {
  const struct fe_prim *prim;
  int rank;
  int64_t *shape; // -1 until the first row of the dimension has ended
  unsigned char *data;
  size_t count, capacity;
  struct fe_place start;
};

// Makes room for one more element, and returns its place; NULL if there is no memory.
static inline void *fe_rows_slot(struct fe_rows *rows) {
  if (rows->count == rows->capacity) {
    size_t capacity = rows->capacity == 0 ? 16 : rows->capacity * 2;
    unsigned char *data = capacity > SIZE_MAX / 16 ? NULL : realloc(rows->data, capacity * rows->prim->size);
    if (data == NULL) {
      return NULL;
    }
    rows->data = data;
    rows->capacity = capacity;
  }
  return rows->data + rows->count * rows->prim->size;
}

static int fe_rows_wrong_rank(struct fe_input *in, const struct fe_rows *rows, int found) {
  return fe_input_fail(in, rows->start, "expected a value of type %s, found an array of %d dimension%s",
                       fe_type_name(rows->prim, rows->rank).text, found, found == 1 ? "" : "s");
}

// Reads a comma, or sees the closing bracket.
static inline int fe_separator(struct fe_input *in) {
  int byte = fe_input_peek(in);
  if (byte == ',') {
    in->at++;
    return 0;
  }
  return byte == ']' ? 0 : fe_unexpected(in, "`,` or `]`", "");
}

// Reads scalars up to the closing bracket.
static int fe_rows_scalars(struct fe_input *in, struct fe_rows *rows) {
  for (;;) {
    int byte = fe_input_peek(in);
    if (byte == ']') {
      in->at++;
      return 0;
    }
    if ((byte == '[' || byte == '"') && rows->count == 0) {
      int found = rows->rank;
      for (; byte == '['; byte = fe_input_peek(in)) {
        in->at++;
        found++;
      }
      return fe_rows_wrong_rank(in, rows, found + (byte == '"'));
    }
    void *slot = fe_rows_slot(rows);
    if (slot == NULL) {
      return fe_input_no_memory(in);
    }
    if (in->end - in->at < FE_SCALAR_SIZE) {
      fe_input_want(in, FE_SCALAR_SIZE);
    }
    size_t length = fe_quick(in->buffer + in->at, rows->prim, slot);
    in->at += length;
    if (length == 0 && fe_scalar_read(in, rows->prim, "an element of the array", slot) != 0) {
      return 1;
    }
    rows->count++;
    if (fe_separator(in) != 0) {
      return 1;
    }
  }
}

static int fe_rows_push_byte(struct fe_input *in, struct fe_rows *rows, unsigned byte) {
  unsigned char *slot = fe_rows_slot(rows);
  if (slot == NULL) {
    return fe_input_no_memory(in);
  }
  *slot = (unsigned char)byte;
  rows->count++;
  return 0;
}

// Adds a character as UTF-8.
static int fe_rows_push_char(struct fe_input *in, struct fe_rows *rows, uint32_t c) {
  if (c < 0x80) {
    return fe_rows_push_byte(in, rows, c);
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned first[4] = {0, 0xC0, 0xE0, 0xF0};
  int failed = fe_rows_push_byte(in, rows, first[more] | c >> (6 * more));
  while (failed == 0 && more-- > 0) {
    failed = fe_rows_push_byte(in, rows, 0x80 | (c >> (6 * more) & 0x3F));
  }
  return failed;
}

// Reads what follows a backslash in a string.
static int fe_rows_escape(struct fe_input *in, struct fe_rows *rows, struct fe_place place) {
  static const char letters[] = "ntrabfv\"'\\";
  static const char meanings[] = "\n\t\r\a\b\f\v\"'\\";
  int byte = fe_input_byte(in);
  const char *letter = byte > 0 ? strchr(letters, byte) : NULL;
  if (letter != NULL) {
    in->at++;
    return fe_rows_push_byte(in, rows, (unsigned char)meanings[letter - letters]);
  }
  if (byte == '&') { // stands for nothing
    in->at++;
    return 0;
  }
  int radix = byte == 'x' ? 16 : byte == 'o' ? 8 : byte >= '0' && byte <= '9' ? 10 : 0;
  if (radix == 0) {
    return fe_input_fail(in, place,
                         "unknown escape sequence in a string; valid ones are \\n, \\t, \\r, \\\", \\\\, \\65, \\x41 and \\o101");
  }
  in->at += radix != 10;
  uint32_t c = 0;
  int digits = 0;
  while ((byte = fe_input_byte(in)) != -1 && fe_digit(byte) < radix) {
    c = c > 0x10FFFF ? c : c * (uint32_t)radix + (uint32_t)fe_digit(byte);
    digits++;
    in->at++;
  }
  if (digits == 0 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
    return fe_input_fail(in, place, "this escape sequence does not denote a Unicode character");
  }
  return fe_rows_push_char(in, rows, c);
}

// Reads a string, whose bytes are elements.
static int fe_rows_string(struct fe_input *in, struct fe_rows *rows) {
  struct fe_place start = fe_input_place(in);
  if (rows->prim != &fe_prim_u8) {
    return fe_input_fail(in, start, "a string has elements of type u8, but %s is expected here", rows->prim->name);
  }
  in->at++;
  for (;;) {
    int byte = fe_input_byte(in);
    struct fe_place place = fe_input_place(in);
    if (byte == -1) {
      return fe_input_fail(in, start, "this string is not closed; a string ends with `\"`");
    }
    fe_input_pass(in);
    if (byte == '"') {
      return 0;
    }
    int failed = byte == '\\' ? fe_rows_escape(in, rows, place) : fe_rows_push_byte(in, rows, (unsigned)byte);
    if (failed != 0) {
      return 1;
    }
  }
}

#define FE_EMPTY_HELP "; write empty arrays like this: `empty([0][3]i32)`"

// Reads one character, after blanks.
static int fe_expect(struct fe_input *in, char wanted) {
  if (fe_input_peek(in) != wanted) {
    char quoted[4] = {'`', wanted, '`', 0};
    return fe_unexpected(in, quoted, FE_EMPTY_HELP);
  }
  in->at++;
  return 0;
}

// Reads what follows `empty`: `([0][3]i32)`. `shape` has room for `rank` sizes.
static int fe_empty(struct fe_input *in, struct fe_place start, const struct fe_prim *prim, int rank, int64_t *shape) {
  if (fe_expect(in, '(') != 0) {
    return 1;
  }
  int found = 0;
  bool zero = false;
  while (fe_input_peek(in) == '[') {
    in->at++;
    if (found == FE_MAX_RANK) {
      return fe_input_fail(in, start, "an array has at most %d dimensions", FE_MAX_RANK);
    }
    int byte = fe_input_peek(in);
    if (byte < '0' || byte > '9') {
      return fe_unexpected(in, "a size", FE_EMPTY_HELP);
    }
    int64_t size = 0;
    for (; byte >= '0' && byte <= '9'; byte = fe_input_byte(in)) {
      if (size > (INT64_MAX - 9) / 10) {
        return fe_input_fail(in, start, "a size of this empty array is larger than any memory");
      }
      size = size * 10 + (byte - '0');
      in->at++;
    }
    if (found < rank) {
      shape[found] = size;
    }
    found++;
    zero = zero || size == 0;
    if (fe_expect(in, ']') != 0) {
      return 1;
    }
  }
  if (found == 0) {
    return fe_expect(in, '[');
  }
  struct fe_place place = fe_input_place(in);
  if (fe_word_take(in) != 0) {
    return 1;
  }
  const struct fe_prim *elem = fe_number_type(in->word, in->word_length);
  if (elem == NULL && strcmp(in->word, "bool") == 0) {
    elem = &fe_prim_bool;
  }
  if (elem == NULL) {
    return in->word_length == 0 ? fe_unexpected(in, "a primitive type", FE_EMPTY_HELP)
                                : fe_input_fail(in, place, "expected a primitive type, found `%.40s`%s", in->word,
                                                FE_EMPTY_HELP);
  }
  if (fe_expect(in, ')') != 0) {
    return 1;
  }
  if (!zero) {
    return fe_input_fail(in, start, "none of the sizes of this empty array is 0; at least one size must be 0");
  }
  if (elem != prim || found != rank) {
    return fe_input_fail(in, start, "expected a value of type %s, found %s", fe_type_name(prim, rank).text,
                         fe_type_name(elem, found).text);
  }
  return 0;
}

// Whether `empty` comes next.
static bool fe_empty_next(struct fe_input *in) {
  return fe_input_byte(in) == 'e' && fe_input_want(in, 5) >= 5 && memcmp(in->buffer + in->at, "empty", 5) == 0;
}

// Notes the size of a row of dimension `level`: that of those before it.
static int fe_rows_sized(struct fe_input *in, struct fe_rows *rows, struct fe_place start, int level, int64_t size) {
  if (rows->shape[level] == -1) {
    rows->shape[level] = size;
  } else if (rows->shape[level] != size) {
    return fe_input_fail(in, start,
                         "irregular array: this row has %lld %s%s, but the preceding rows have %lld; "
                         "all rows must have the same size",
                         (long long)size, level + 1 == rows->rank ? "element" : "row", size == 1 ? "" : "s",
                         (long long)rows->shape[level]);
  }
  return 0;
}

// Reads a row that is written as `empty([0][3]i32)`: it has no elements, but it has sizes.
static int fe_rows_empty(struct fe_input *in, struct fe_rows *rows, struct fe_place start, int level) {
  int64_t shape[FE_MAX_RANK] = {0};
  int rank = rows->rank - level;
  in->at += 5;
  if (fe_empty(in, start, rows->prim, rank, shape) != 0) {
    return 1;
  }
  for (int i = 0; i < rank; i++) {
    if (fe_rows_sized(in, rows, start, level + i, shape[i]) != 0) {
      return 1;
    }
  }
  return 0;
}

// Reads a row of dimension `level`, with its brackets.
static int fe_rows_row(struct fe_input *in, struct fe_rows *rows, int level) {
  struct fe_place start = fe_input_place(in);
  bool innermost = level + 1 == rows->rank;
  int byte = fe_input_byte(in);
  int64_t size = 0;
  if (byte == '"' && innermost) {
    size_t before = rows->count;
    if (fe_rows_string(in, rows) != 0) {
      return 1;
    }
    size = (int64_t)(rows->count - before);
  } else if (level > 0 && fe_empty_next(in)) {
    return fe_rows_empty(in, rows, start, level);
  } else if (byte != '[') {
    if (level > 0 && rows->shape[level] == -1 && byte != -1) {
      return fe_rows_wrong_rank(in, rows, level + (byte == '"'));
    }
    return fe_unexpected(in, "a row", "; the preceding rows are in brackets");
  } else if (innermost) {
    in->at++;
    size_t before = rows->count;
    if (fe_rows_scalars(in, rows) != 0) {
      return 1;
    }
    size = (int64_t)(rows->count - before);
  } else {
    in->at++;
    while (fe_input_peek(in) != ']') {
      if (fe_rows_row(in, rows, level + 1) != 0 || fe_separator(in) != 0) {
        return 1;
      }
      size++;
    }
    in->at++;
    if (size == 0 && level + 1 < rows->rank && rows->shape[level + 1] == -1 && rows->shape[level] == -1) {
      return fe_rows_wrong_rank(in, rows, level + 1);
    }
  }
  return fe_rows_sized(in, rows, start, level, size);
}

// Reads a value of a type, which starts at the input's place; that is not blank.
static int fe_text_read(struct fe_input *in, const struct fe_prim *prim, int rank, struct fe_value *value) {
  struct fe_place start = fe_input_place(in);
  int byte = fe_input_byte(in);
  struct fe_rows rows = {prim, rank, NULL, NULL, 0, 0, start};
  value->prim = prim;
  value->rank = rank;
  value->shape = malloc(sizeof(int64_t) * (size_t)(rank + 1));
  value->data = NULL;
  if (value->shape == NULL) {
    return fe_input_no_memory(in);
  }
  for (int i = 0; i < rank; i++) {
    value->shape[i] = -1;
  }
  int failed = 0;
  bool is_array = byte == '[' || byte == '"';
  if (fe_empty_next(in)) {
    in->at += 5;
    failed = fe_empty(in, start, prim, rank, value->shape);
  } else if (is_array && rank == 0) {
    failed = fe_input_fail(in, start, "expected a value of type %s, found %s", prim->name,
                           byte == '[' ? "an array" : "a string");
  } else if (is_array) {
    rows.shape = value->shape;
    failed = fe_rows_row(in, &rows, 0);
  } else {
    void *slot = fe_rows_slot(&rows);
    failed = slot == NULL ? fe_input_no_memory(in) : fe_scalar_read(in, prim, "a value", slot);
    if (failed == 0 && rank > 0) {
      failed = fe_input_fail(in, start,
                             "expected an array of type %s, found a scalar; write arrays in brackets: `[1, 2]`",
                             fe_type_name(prim, rank).text);
    }
    if (failed == 0 && fe_input_byte(in) == ',') {
      failed = fe_input_fail(in, fe_input_place(in), "found `,` after a value; separate values with spaces");
    }
  }
  for (int i = 0; i < rank; i++) {
    value->shape[i] = value->shape[i] == -1 ? 0 : value->shape[i];
  }
  value->data = rows.data;
  if (failed != 0) {
    fe_value_free(value);
  }
  return failed;
}

// ---- Writing ----

// Text on its way to a file.
struct fe_output {
  FILE *file;
  bool failed;
  size_t used;
  char buffer[1 << 14];
};

static void fe_output_flush(struct fe_output *out) {
  out->failed = out->failed || fwrite(out->buffer, 1, out->used, out->file) != out->used;
  out->used = 0;
}

static inline void fe_output_byte(struct fe_output *out, char byte) {
  if (out->used == sizeof out->buffer) {
    fe_output_flush(out);
  }
  out->buffer[out->used++] = byte;
}

static void fe_output_scalar(struct fe_output *out, const struct fe_prim *prim, const void *data) {
  if (sizeof out->buffer - out->used < FE_SCALAR_SIZE) {
    fe_output_flush(out);
  }
  out->used += fe_scalar_write(out->buffer + out->used, prim, data);
}

static void fe_output_row(struct fe_output *out, const struct fe_value *value, int level, const unsigned char **at) {
  fe_output_byte(out, '[');
  for (int64_t i = 0; i < value->shape[level] && !out->failed; i++) {
    if (i > 0) {
      fe_output_byte(out, ',');
      fe_output_byte(out, ' ');
    }
    if (level + 1 < value->rank) {
      fe_output_row(out, value, level + 1, at);
    } else {
      fe_output_scalar(out, value->prim, *at);
      *at += value->prim->size;
    }
  }
  fe_output_byte(out, ']');
}

// Writes a value, without a line break after it. Not 0 if the file did not take it.
static int fe_text_write(FILE *file, const struct fe_value *value) {
  struct fe_output out;
  out.file = file;
  out.failed = false;
  out.used = 0;
  const unsigned char *at = value->data;
  if (value->rank == 0) {
    fe_output_scalar(&out, value->prim, at);
  } else if (fe_count(value->prim, value->rank, value->shape) > 0) {
    fe_output_row(&out, value, 0, &at);
  } else {
    fputs("empty(", file);
    for (int i = 0; i < value->rank; i++) {
      fprintf(file, "[%lld]", (long long)value->shape[i]);
    }
    fprintf(file, "%s)", value->prim->name);
  }
  fe_output_flush(&out);
  return out.failed || ferror(file);
}
