// Whole values in the binary format, and the functions for values in either format.
//
// A binary value consists of the letter `b`, the version 2, the number of dimensions, four characters for the type, the
// sizes in eight bytes each, and the elements, all little endian. The elements are transferred directly between file
// and array.

enum { FE_BINARY_VERSION = 2, FE_BINARY_HEADER = 7, FE_BINARY_TRUSTED = 1 << 26 };

static int fe_binary_fail(struct fe_input *in, uint64_t offset, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

static int fe_binary_fail(struct fe_input *in, uint64_t offset, const char *format, ...) {
  if (in->error != 0) {
    return fe_input_fail(in, fe_input_place(in), "%s", "");
  }
  int length = snprintf(in->message, sizeof in->message, "byte %llu: ", (unsigned long long)offset);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(in->message + length, sizeof in->message - (size_t)length, format, arguments);
  va_end(arguments);
  return 1;
}

// Turns the bytes of numbers around where the machine is not little endian.
static void fe_little_endian(void *data, size_t size, size_t count) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  unsigned char *bytes = data;
  for (size_t i = 0; i < count; i++, bytes += size) {
    for (size_t j = 0; j < size / 2; j++) {
      unsigned char byte = bytes[j];
      bytes[j] = bytes[size - 1 - j];
      bytes[size - 1 - j] = byte;
    }
  }
#else
  (void)data;
  (void)size;
  (void)count;
#endif
}

// Reads bytes, the larger part of them without the buffer; how many there were.
static size_t fe_input_bytes(struct fe_input *in, void *out, size_t n) {
  size_t left = in->end - in->at;
  size_t taken = left < n ? left : n;
  if (taken > 0) {
    memcpy(out, in->buffer + in->at, taken);
    in->at += taken;
  }
  while (taken < n && !in->ended) {
    size_t got = fe_input_fetch(in, (unsigned char *)out + taken, n - taken);
    in->ended = got == 0;
    taken += got;
    in->before += got;
  }
  return taken;
}

// Reads the header of a binary value and compares it with the type.
static int fe_binary_header(struct fe_input *in, const struct fe_prim *prim, int rank, int64_t *shape) {
  uint64_t start = fe_input_offset(in);
  unsigned char header[FE_BINARY_HEADER];
  if (fe_input_bytes(in, header, sizeof header) < sizeof header) {
    return fe_binary_fail(in, start,
                          "a binary value ends within its header; values that start with the letter b are read as "
                          "binary data");
  }
  if (header[1] != FE_BINARY_VERSION) {
    return fe_binary_fail(in, start + 1,
                          "version %d of the binary format is not supported; only version %d is supported; text values do not start "
                          "with the letter b",
                          header[1], FE_BINARY_VERSION);
  }
  const struct fe_prim *elem = NULL;
  for (int i = 0; i < FE_NUM_PRIMS; i++) {
    if (memcmp(header + 3, fe_prims[i]->tag, 4) == 0) {
      elem = fe_prims[i];
    }
  }
  if (elem == NULL) {
    char tag[5] = {0};
    for (int i = 0; i < 4; i++) {
      tag[i] = header[3 + i] >= 32 && header[3 + i] < 127 ? (char)header[3 + i] : '?';
    }
    return fe_binary_fail(in, start + 3,
                          "\"%s\" is not an element type of the binary format; a type consists of four characters, such as "
                          "\" i32\", \"  u8\" or \"bool\"",
                          tag);
  }
  if (elem != prim || header[2] != rank) {
    return fe_binary_fail(in, start, "expected a value of type %s, found %s", fe_type_name(prim, rank).text,
                          fe_type_name(elem, header[2]).text);
  }
  for (int i = 0; i < rank; i++) {
    uint64_t at = fe_input_offset(in);
    uint64_t size;
    if (fe_input_bytes(in, &size, sizeof size) < sizeof size) {
      return fe_binary_fail(in, at, "the input ends within size %d of %d", i + 1, rank);
    }
    fe_little_endian(&size, sizeof size, 1);
    if (size > INT64_MAX) {
      return fe_binary_fail(in, at, "the size %llu is larger than any memory", (unsigned long long)size);
    }
    shape[i] = (int64_t)size;
  }
  return 0;
}

static int fe_binary_elements(struct fe_input *in, struct fe_value *value) {
  uint64_t start = fe_input_offset(in);
  struct fe_sized_name name = fe_sized_name(value->prim, value->rank, value->shape);
  int64_t count = fe_count(value->prim, value->rank, value->shape);
  if (count < 0) {
    return fe_binary_fail(in, start, "a value of type %s is larger than any memory", name.text);
  }
  size_t needed = (size_t)count * value->prim->size;
  size_t got = 0;
  // The sizes may be wrong, so a lot of memory is only taken once there is something to put into it.
  for (size_t capacity = FE_BINARY_TRUSTED;; capacity *= 2) {
    capacity = capacity < needed ? capacity : needed;
    void *data = realloc(value->data, capacity + 1);
    if (data == NULL) {
      return fe_binary_fail(in, start, "there is not enough memory for a value of type %s", name.text);
    }
    value->data = data;
    got += fe_input_bytes(in, (unsigned char *)data + got, capacity - got);
    if (got < capacity || capacity == needed) {
      break;
    }
  }
  if (got < needed) {
    return fe_binary_fail(in, start, "a value of type %s has %llu bytes, but only %llu are left", name.text,
                          (unsigned long long)needed, (unsigned long long)got);
  }
  if (value->prim->class_ == FE_BOOL) {
    const unsigned char *bytes = value->data;
    for (size_t i = 0; i < needed; i++) {
      if (bytes[i] > 1) {
        return fe_binary_fail(in, start + i, "a bool is 0 or 1, but this byte is %d", bytes[i]);
      }
    }
  }
  fe_little_endian(value->data, value->prim->size, (size_t)count);
  return 0;
}

static int fe_binary_read(struct fe_input *in, const struct fe_prim *prim, int rank, struct fe_value *value) {
  value->prim = prim;
  value->rank = rank;
  value->data = NULL;
  value->shape = malloc(sizeof(int64_t) * (size_t)(rank + 1));
  if (value->shape == NULL) {
    return fe_input_no_memory(in);
  }
  if (fe_binary_header(in, prim, rank, value->shape) != 0 || fe_binary_elements(in, value) != 0) {
    fe_value_free(value);
    return 1;
  }
  return 0;
}

// Writes a value. Not 0 if the file did not take it.
static int fe_binary_write(FILE *file, struct fe_value *value) {
  unsigned char header[FE_BINARY_HEADER] = {'b', FE_BINARY_VERSION, (unsigned char)value->rank};
  memcpy(header + 3, value->prim->tag, 4);
  int failed = fwrite(header, 1, sizeof header, file) != sizeof header;
  for (int i = 0; i < value->rank; i++) {
    uint64_t size = (uint64_t)value->shape[i];
    fe_little_endian(&size, sizeof size, 1);
    failed = failed || fwrite(&size, sizeof size, 1, file) != 1;
  }
  size_t count = (size_t)fe_count(value->prim, value->rank, value->shape);
  fe_little_endian(value->data, value->prim->size, count);
  failed = failed || (count > 0 && fwrite(value->data, value->prim->size, count, file) != count);
  fe_little_endian(value->data, value->prim->size, count);
  return failed;
}

// Reads a value of a type in either format. Not 0 if there is none, and then the input's message says why.
static int fe_value_read(struct fe_input *in, const struct fe_prim *prim, int rank, struct fe_value *value) {
  int byte = fe_input_peek(in);
  if (byte == -1) {
    memset(value, 0, sizeof *value);
    return fe_input_fail(in, fe_input_place(in), "the input ends where a value of type %s is missing",
                         fe_type_name(prim, rank).text);
  }
  return byte == 'b' ? fe_binary_read(in, prim, rank, value) : fe_text_read(in, prim, rank, value);
}
