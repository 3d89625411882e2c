// Sinks of sequences: files in some format, and standard output.
//
// On standard output, a sequence looks like any other result: as an array, or, if its elements have several parts or differ in size, as
// several, one after the other. The first of all results is written as it comes; others wait in temporary files, which have no
// names, until it is their turn. So does the first one in the binary format, where the number of elements stands before them.
// Files in the binary format and those of NumPy get this number in the end, or when something fails: then they have all that was written
// before.

struct fe_result {
  const struct fe_sequence *sequence;
  enum fe_format format;
  const char *name;            // NULL: standard output
  FILE *files[FE_MAX_COLUMNS]; // one for each column on standard output; otherwise there is only the first
  int64_t count, total;        // elements, and values of pieces
  int64_t shapes[FE_MAX_COLUMNS][FE_PART_RANK]; // the sizes of elements
  long header;                 // where they begin, in bytes
  bool started, failed;
  int error;
  struct fe_buffer scratch;
};

static size_t fe_result_width(const struct fe_result *r, int c) {
  const struct fe_column *column = &r->sequence->columns[c];
  return (size_t)fe_count(column->prim, column->rank - 1, r->shapes[c]) * column->prim->size;
}

// The header of an array of NumPy, of a size that does not depend on the number of elements.
static void fe_npy_header(const struct fe_result *r, FILE *file) {
  static const char kinds[] = {'i', 'u', 'f', 'b'};
  const struct fe_column *column = &r->sequence->columns[0];
  char text[512];
  int at = snprintf(text, sizeof text, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%lld,",
                    column->prim->size == 1 ? '|' : '<', kinds[column->prim->class_], column->prim->size, (long long)r->count);
  for (int i = 0; i + 1 < column->rank; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at, " %lld,", (long long)r->shapes[0][i]);
  }
  at += snprintf(text + at, sizeof text - (size_t)at, ")}");
  int length = 502;
  unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(length & 255), (unsigned char)(length >> 8)};
  fwrite(start, 1, sizeof start, file);
  fprintf(file, "%-501s\n", text);
}

static void fe_binary_start(FILE *file, const struct fe_column *column, int64_t count, const int64_t *row) {
  unsigned char header[FE_BINARY_HEADER] = {'b', FE_BINARY_VERSION, (unsigned char)column->rank};
  memcpy(header + 3, column->prim->tag, 4);
  fwrite(header, 1, sizeof header, file);
  for (int i = 0; i < column->rank; i++) {
    uint64_t size = (uint64_t)(i == 0 ? count : row[i - 1]);
    fe_little_endian(&size, sizeof size, 1);
    fwrite(&size, sizeof size, 1, file);
  }
}

// What comes before the elements of a file, as far as it is known.
static void fe_result_header(struct fe_result *r) {
  FILE *file = r->files[0];
  if (r->format == FE_NPY) {
    fe_npy_header(r, file);
  } else if (r->format == FE_BINARY && !r->sequence->pieces) {
    fe_binary_start(file, &r->sequence->columns[0], r->count, r->shapes[0]);
  }
}

// The elements of a column as text: the first has nothing before it but the bracket.
static void fe_result_text(const struct fe_result *r, int c, const unsigned char *data, int64_t count, int64_t before) {
  const struct fe_column *column = &r->sequence->columns[c];
  struct fe_output *out = malloc(sizeof *out);
  if (out == NULL) {
    return;
  }
  out->file = r->files[c];
  out->failed = false;
  out->used = 0;
  struct fe_value row = {.prim = column->prim, .rank = column->rank - 1, .shape = (int64_t *)r->shapes[c]};
  bool nothing = fe_count(column->prim, column->rank - 1, r->shapes[c]) == 0;
  const unsigned char *at = data;
  for (int64_t i = 0; i < count && !nothing; i++) {
    fe_output_byte(out, before + i == 0 ? '[' : ',');
    if (before + i > 0) {
      fe_output_byte(out, ' ');
    }
    if (row.rank == 0) {
      fe_output_scalar(out, column->prim, at);
      at += column->prim->size;
    } else {
      fe_output_row(out, &row, 0, &at);
    }
  }
  fe_output_flush(out);
  free(out);
}

static void fe_result_pieces(struct fe_result *r, const unsigned char *const *data, int64_t count) {
  const int64_t *sizes = (const int64_t *)(const void *)data[0];
  const unsigned char *at = data[1];
  size_t width = fe_result_width(r, 1);
  for (int64_t i = 0; i < count; i++) {
    size_t bytes = (size_t)sizes[i] * width;
    if (r->format == FE_BINARY) {
      fe_binary_start(r->files[0], &r->sequence->columns[1], sizes[i], r->shapes[1]);
    }
    fwrite(at, 1, bytes, r->files[0]);
    if (r->format == FE_LINES) {
      putc('\n', r->files[0]);
    }
    at += bytes;
  }
}

static void fe_result_records(struct fe_result *r, const unsigned char *const *data, int64_t count) {
  int columns = r->sequence->num_columns;
  size_t record = 0;
  for (int c = 0; c < columns; c++) {
    record += fe_result_width(r, c);
  }
  if (columns == 1) {
    fwrite(data[0], 1, (size_t)count * record, r->files[0]);
    return;
  }
  if (fe_buffer_want(&r->scratch, (size_t)count * record) != 0) {
    r->failed = true;
    r->error = ENOMEM;
    return;
  }
  size_t offset = 0;
  for (int c = 0; c < columns; c++) {
    size_t width = fe_result_width(r, c);
    for (int64_t i = 0; i < count; i++) {
      memcpy(r->scratch.data + (size_t)i * record + offset, data[c] + (size_t)i * width, width);
    }
    offset += width;
  }
  fwrite(r->scratch.data, 1, (size_t)count * record, r->files[0]);
}

// Writes elements, and for pieces their values. Numbers are turned around in place where the machine is not little endian.
static void fe_result_write(struct fe_result *r, unsigned char *const *data, int64_t count, int64_t total) {
  if (r->failed) {
    return;
  }
  errno = 0;
  if (!r->started) {
    r->started = true;
    if (r->name != NULL) {
      fe_result_header(r);
    }
  }
  bool pieces = r->sequence->pieces;
  for (int c = 0; c < r->sequence->num_columns; c++) {
    const struct fe_column *column = &r->sequence->columns[c];
    int64_t elements = pieces && c > 0 ? total : count, before = pieces && c > 0 ? r->total : r->count;
    size_t bytes = (size_t)elements * fe_result_width(r, c);
    if (r->name == NULL && r->format == FE_TEXT) {
      fe_result_text(r, c, data[c], elements, before);
      continue;
    }
    if (!(pieces && c == 0 && r->name != NULL)) {
      fe_little_endian(data[c], column->prim->size, bytes / column->prim->size);
    }
    if (r->name == NULL) {
      fwrite(data[c], 1, bytes, r->files[c]);
    }
  }
  if (r->name != NULL && pieces) {
    fe_result_pieces(r, (const unsigned char *const *)data, count);
  } else if (r->name != NULL) {
    fe_result_records(r, (const unsigned char *const *)data, count);
  }
  r->count += count;
  r->total += total;
  for (int c = 0; c < FE_MAX_COLUMNS && r->files[c] != NULL; c++) {
    if (ferror(r->files[c]) && !r->failed) {
      r->failed = true;
      r->error = errno != 0 ? errno : EIO;
    }
  }
}

// Opens a file, or what stands for standard output. `direct`: nothing is written before it.
static int fe_result_open(struct fe_result *r, bool direct) {
  if (r->name != NULL) {
    r->files[0] = strcmp(r->name, "-") == 0 ? stdout : fopen(r->name, "wb");
    return r->files[0] == NULL ? errno : 0;
  }
  for (int c = 0; c < r->sequence->num_columns; c++) {
    r->files[c] = direct && c == 0 && r->format == FE_TEXT ? stdout : tmpfile();
    if (r->files[c] == NULL) {
      return errno;
    }
  }
  return 0;
}

static void fe_result_note(struct fe_result *r, bool lost) {
  if (lost && !r->failed) {
    r->failed = true;
    r->error = errno != 0 ? errno : EIO;
  }
}

// A file gets the number of its elements, and is complete.
static void fe_result_close(struct fe_result *r) {
  if (r->name == NULL || r->files[0] == NULL) {
    return;
  }
  FILE *file = r->files[0];
  errno = 0;
  fe_result_note(r, fflush(file) != 0);
  if (r->format == FE_NPY || (r->format == FE_BINARY && !r->sequence->pieces)) {
    clearerr(file);
    fe_result_note(r, fseek(file, 0, SEEK_SET) != 0);
    fe_result_header(r);
  }
  fe_result_note(r, file == stdout ? fflush(file) != 0 : fclose(file) != 0);
  r->files[0] = NULL;
}

// Appends a temporary file to standard output.
static bool fe_result_append(FILE *file) {
  static const size_t size = 1 << 16;
  char *buffer = malloc(size);
  bool fine = buffer != NULL && fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0;
  for (size_t got; fine && (got = fread(buffer, 1, size, file)) > 0;) {
    fine = fwrite(buffer, 1, got, stdout) == got;
  }
  fine = fine && !ferror(file);
  free(buffer);
  return fine;
}

// Completes a sequence on standard output.
static void fe_result_print(struct fe_result *r) {
  for (int c = 0; c < r->sequence->num_columns && !r->failed; c++) {
    const struct fe_column *column = &r->sequence->columns[c];
    int64_t elements = r->sequence->pieces && c > 0 ? r->total : r->count;
    bool nothing = elements == 0 || fe_count(column->prim, column->rank - 1, r->shapes[c]) == 0;
    errno = 0;
    if (r->format == FE_BINARY) {
      fe_binary_start(stdout, column, elements, r->shapes[c]);
    }
    bool fine = r->files[c] == stdout || fe_result_append(r->files[c]);
    if (r->format == FE_TEXT && nothing) {
      fprintf(stdout, "empty([%lld]", (long long)elements);
      for (int i = 0; i + 1 < column->rank; i++) {
        fprintf(stdout, "[%lld]", (long long)r->shapes[c][i]);
      }
      fprintf(stdout, "%s)", column->prim->name);
    } else if (r->format == FE_TEXT) {
      putc(']', stdout);
    }
    putc('\n', stdout);
    fe_result_note(r, !fine || ferror(stdout) != 0);
  }
}

static void fe_result_free(struct fe_result *r) {
  for (int c = 0; c < FE_MAX_COLUMNS; c++) {
    if (r->files[c] != NULL && r->files[c] != stdout) {
      fclose(r->files[c]);
    }
  }
  fe_buffer_free(&r->scratch);
}
