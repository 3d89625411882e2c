// Values that the program prints to standard error while it runs, like the interpreter: "tag: value" and a line
// break. After scalar.h.

static inline void fe_trace_integer(int64_t x, const char *type) {
  fprintf(stderr, "%" PRId64 "%s", x, type);
}

static inline void fe_trace_natural(uint64_t x, const char *type) {
  fprintf(stderr, "%" PRIu64 "%s", x, type);
}

// The fewest digits that identify the number among those of its type, with a point, and with an exponent if it is below
// 0.1 or not below ten millions.
static void fe_trace_float(double x, bool single, const char *type) {
  if (!isfinite(x)) {
    fprintf(stderr, "%s%s%s", x < 0 ? "-" : "", type, x == x ? ".inf" : ".nan");
    return;
  }
  char text[40];
  int digits = 0;
  for (; digits < 17; digits++) {
    snprintf(text, sizeof(text), "%.*e", digits, x);
    if (single ? strtof(text, NULL) == (float)x : strtod(text, NULL) == x) {
      break;
    }
  }
  int exponent = atoi(strchr(text, 'e') + 1);
  if (x == 0 || (exponent >= -1 && exponent < 7)) {
    int after = digits > exponent ? digits - exponent : 0;
    snprintf(text, sizeof(text), "%.*f", after > 0 ? after : 1, x);
    fprintf(stderr, "%s%s", text, type);
  } else {
    *strchr(text, 'e') = 0;
    fprintf(stderr, "%s%se%d%s", text, digits == 0 ? ".0" : "", exponent, type);
  }
}

static inline void fe_trace_truth(bool x) {
  fputs(x ? "true" : "false", stderr);
}

#define FE_TRACE(NAME, TYPE, PRINT)                                                              \
  static inline void fe_trace_##NAME(const char *tag, TYPE x)                                     \
  {                                                                                               \
    fprintf(stderr, "%s: ", tag);                                                                 \
    PRINT;                                                                                        \
    fputc('\n', stderr);                                                                          \
  }                                                                                               \
  static inline void fe_trace_array_##NAME(const char *tag, const TYPE *p, int rank,              \
                                           const int64_t *shape)                                  \
  {                                                                                               \
    int64_t count = 1;                                                                            \
    for (int i = 0; i < rank; i++) {                                                              \
      count *= shape[i];                                                                          \
    }                                                                                             \
    fprintf(stderr, "%s: ", tag);                                                                 \
    if (count == 0) {                                                                             \
      fe_trace_empty(rank, shape, #NAME);                                                         \
    }                                                                                             \
    for (int64_t k = 0; k < count; k++) {                                                         \
      fe_trace_before(k, rank, shape);                                                            \
      const TYPE x = p[k];                                                                        \
      PRINT;                                                                                      \
      fe_trace_after(k, rank, shape);                                                             \
    }                                                                                             \
    fputc('\n', stderr);                                                                          \
  }

static void fe_trace_empty(int rank, const int64_t *shape, const char *type) {
  fputs("empty(", stderr);
  for (int i = 0; i < rank; i++) {
    fprintf(stderr, "[%" PRId64 "]", shape[i]);
  }
  fprintf(stderr, "%s)", type);
}

// How many rows, of different dimensions, begin with the element of this number.
static int fe_trace_rows(int64_t k, int rank, const int64_t *shape) {
  int rows = 0;
  int64_t size = 1;
  for (int i = rank - 1; i >= 0; i--) {
    size *= shape[i];
    if (k % size != 0) {
      break;
    }
    rows++;
  }
  return rows;
}

static void fe_trace_before(int64_t k, int rank, const int64_t *shape) {
  if (k > 0) {
    fputs(", ", stderr);
  }
  for (int i = fe_trace_rows(k, rank, shape); i > 0; i--) {
    fputc('[', stderr);
  }
}

static void fe_trace_after(int64_t k, int rank, const int64_t *shape) {
  for (int i = fe_trace_rows(k + 1, rank, shape); i > 0; i--) {
    fputc(']', stderr);
  }
}

FE_TRACE(i8, int8_t, fe_trace_integer(x, "i8"))
FE_TRACE(i16, int16_t, fe_trace_integer(x, "i16"))
FE_TRACE(i32, int32_t, fe_trace_integer(x, "i32"))
FE_TRACE(i64, int64_t, fe_trace_integer(x, "i64"))
FE_TRACE(u8, uint8_t, fe_trace_natural(x, "u8"))
FE_TRACE(u16, uint16_t, fe_trace_natural(x, "u16"))
FE_TRACE(u32, uint32_t, fe_trace_natural(x, "u32"))
FE_TRACE(u64, uint64_t, fe_trace_natural(x, "u64"))
FE_TRACE(f16, FE_F16, fe_trace_float(fe_conv_f16_f64(x), true, "f16"))
FE_TRACE(f32, float, fe_trace_float(x, true, "f32"))
FE_TRACE(f64, double, fe_trace_float(x, false, "f64"))
FE_TRACE(bool, bool, fe_trace_truth(x))
#undef FE_TRACE
