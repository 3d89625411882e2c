// Sources of sequences: files in some format, standard input, and values in memory, read some elements at a time.
//
// The columns of a chunk are buffers, one for each part of an element, which grow as needed. A source is read by one thread at a
// time. Whatever is wrong with it is in `message`, with the place.

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FE_MAX_COLUMNS = 32 };

enum fe_format { FE_RAW, FE_BINARY, FE_NPY, FE_LINES, FE_MEMORY, FE_TEXT };

struct fe_source {
  const struct fe_sequence *sequence;
  enum fe_format format;
  const char **files; // "-" is standard input
  int num_files, at;  // and the one that is read now
  struct fe_input *in, own;
  bool open;
  bool plain;                  // the file has a size, and its elements one as well, so that any of them can be read:
  uint64_t at_byte, end_byte;  // from here on, and up to here
  struct fe_team *team;        // who helps
#ifdef FE_GPU
  struct fe_courier *courier; // who brings elements to the device
#endif
  int64_t rows[FE_PART_RANK]; // the sizes of an element, if there is one column or its elements differ in size; -1: not known yet
  size_t widths[FE_MAX_COLUMNS]; // the bytes of an element, for each column
  size_t record;              // the sum of these
  int64_t left;               // the elements that the file still has, as its header says; -1: nobody knows
  const struct fe_value *values; // in memory
  int64_t position;              // the number of elements so far
  int64_t offset;                // likewise of the values of pieces in memory
  uint64_t size, before;         // the bytes of all files, 0 if not known; and of those that have been read
  struct fe_buffer scratch;
  char message[FE_MESSAGE_SIZE + 256];
};

static const char *fe_source_file(const struct fe_source *s) {
  if (s->num_files == 0 || s->at >= s->num_files) {
    return "standard input";
  }
  return strcmp(s->files[s->at], "-") == 0 ? "standard input" : s->files[s->at];
}

static bool fe_source_fail(struct fe_source *s, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// Says what is wrong, and in which file; always false.
static bool fe_source_fail(struct fe_source *s, const char *format, ...) {
  int length = snprintf(s->message, sizeof s->message, "%s: ", fe_source_file(s));
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(s->message + length, sizeof s->message - (size_t)length, format, arguments);
  va_end(arguments);
  return false;
}

// Where in the file we are.
static uint64_t fe_source_offset(const struct fe_source *s) {
  return s->plain ? s->at_byte : fe_input_offset(s->in);
}

// Whether all of a file could be read so far.
static bool fe_source_fine(struct fe_source *s) {
  return s->in->error == 0
         || fe_source_fail(s, "cannot read after byte %llu: %s", (unsigned long long)fe_source_offset(s),
                           strerror(s->in->error));
}

// The sizes of an element must be the same in all files.
static bool fe_source_row(struct fe_source *s, int rank, const int64_t *sizes) {
  const struct fe_column *column = &s->sequence->columns[s->sequence->pieces ? 1 : 0];
  for (int i = 0; i < rank; i++) {
    if (s->rows[i] >= 0 && s->rows[i] != sizes[i]) {
      return fe_source_fail(s, "dimension %d of an element has size %lld where it should have size %lld", i,
                            (long long)sizes[i], (long long)s->rows[i]);
    }
    s->rows[i] = sizes[i];
  }
  int64_t count = fe_count(column->prim, rank, sizes);
  if (count < 0) {
    return fe_source_fail(s, "an element is larger than any memory");
  }
  s->widths[s->sequence->pieces ? 1 : 0] = (size_t)count * column->prim->size;
  return true;
}

// ---- Headers ----

static bool fe_source_binary(struct fe_source *s) {
  const struct fe_column *column = &s->sequence->columns[0];
  int64_t shape[FE_PART_RANK + 1];
  if (fe_binary_header(s->in, column->prim, column->rank, shape) != 0) {
    return fe_source_fail(s, "%s", s->in->message);
  }
  s->left = shape[0];
  return fe_source_row(s, column->rank - 1, shape + 1);
}

// The type of elements in the header of an array of NumPy.
static bool fe_npy_type(const struct fe_prim *prim, const char *text) {
  static const char kinds[] = {'i', 'u', 'f', 'b'};
  char wanted[8];
  snprintf(wanted, sizeof wanted, "%c%zu'", kinds[prim->class_], prim->size);
  return (text[0] == '<' || text[0] == '|' || (text[0] == '=' && prim->size == 1)) && strncmp(text + 1, wanted, strlen(wanted)) == 0;
}

static bool fe_source_npy(struct fe_source *s) {
  const struct fe_column *column = &s->sequence->columns[0];
  unsigned char start[12];
  if (fe_input_bytes(s->in, start, 10) < 10 || memcmp(start, "\x93NUMPY", 6) != 0) {
    return fe_source_fail(s, "byte 0: this is not an array of NumPy");
  }
  size_t length = start[8] | (size_t)start[9] << 8;
  if (start[6] > 1) {
    if (fe_input_bytes(s->in, start + 10, 2) < 2) {
      return fe_source_fail(s, "byte 10: the file ends within its header");
    }
    length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  char *header = length < (1 << 20) ? calloc(1, length + 1) : NULL;
  if (header == NULL || fe_input_bytes(s->in, header, length) < length) {
    free(header);
    return fe_source_fail(s, "byte 10: the file ends within its header");
  }
  const char *type = strstr(header, "'descr':"), *order = strstr(header, "'fortran_order':");
  const char *sizes = strstr(header, "'shape':");
  type = type == NULL ? NULL : strchr(type + 8, '\'');
  sizes = sizes == NULL ? NULL : strchr(sizes, '(');
  bool fine = type != NULL && sizes != NULL && order != NULL;
  if (!fine) {
    fe_source_fail(s, "byte 10: the header is not that of an array of NumPy");
  } else if (!fe_npy_type(column->prim, type + 1)) {
    fine = fe_source_fail(s, "byte 10: the elements are no little-endian %s, but %.8s", column->prim->name, type);
  } else if (strncmp(order + 16 + strspn(order + 16, " "), "False", 5) != 0) {
    fine = fe_source_fail(s, "byte 10: the array is stored by columns");
  }
  int64_t shape[FE_PART_RANK + 1];
  int rank = 0;
  for (const char *at = sizes; fine && at != NULL; at = strchr(at, ',')) {
    at += strspn(at, "(, ");
    if (*at < '0' || *at > '9') {
      break;
    }
    if (rank < FE_PART_RANK) {
      shape[rank] = (int64_t)strtoll(at, NULL, 10);
    }
    rank++;
  }
  if (fine && rank != column->rank) {
    fine = fe_source_fail(s, "byte 10: the array has %d dimensions instead of %d", rank, column->rank);
  }
  free(header);
  if (!fine) {
    return false;
  }
  s->left = shape[0];
  return fe_source_row(s, column->rank - 1, shape + 1);
}

// ---- Files ----

static void fe_source_close(struct fe_source *s) {
  if (s->open && s->in == &s->own) {
    s->before += fe_source_offset(s);
    if (s->own.file != stdin) {
      fclose(s->own.file);
    }
    fe_input_free(&s->own);
  }
  s->open = false;
  s->plain = false;
}

// What is known of a file whose header has been read.
static void fe_source_look(struct fe_source *s) {
  struct stat facts;
  int file = fileno(s->own.file);
  uint64_t at = fe_input_offset(s->in);
  if (s->own.file == stdin || s->sequence->pieces || fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)
      || (uint64_t)facts.st_size <= at) {
    return;
  }
  s->plain = true;
  s->at_byte = at;
  s->end_byte = (uint64_t)facts.st_size;
#ifdef POSIX_FADV_SEQUENTIAL
  posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
}

// Opens the file that is to be read, and reads its header.
static bool fe_source_open(struct fe_source *s) {
  if (s->num_files > 0) {
    const char *name = s->files[s->at];
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    if (file == NULL) {
      return fe_source_fail(s, "cannot open: %s", strerror(errno));
    }
    s->in = &s->own;
    if (fe_input_init(s->in, file) != 0) {
      return fe_source_fail(s, "there is not enough memory");
    }
    s->own.direct = true;
    s->open = true;
    s->left = -1;
    bool bare = s->sequence->pieces || s->format == FE_RAW || s->format == FE_LINES;
    if (!bare && !(s->format == FE_NPY ? fe_source_npy(s) : fe_source_binary(s))) {
      return false;
    }
    fe_source_look(s);
    return true;
  }
  // A value on standard input, after others.
  s->open = true;
  return s->left >= 0 || fe_source_binary(s);
}

// Whether the file has more bytes.
static bool fe_source_has_bytes(struct fe_source *s) {
  return s->plain ? s->at_byte < s->end_byte : fe_input_want(s->in, 1) > 0;
}

// Sees to it that there is an open file with more bytes; `*ended` if there is none.
static bool fe_source_more(struct fe_source *s, bool *ended) {
  for (;;) {
    if (!s->open && !fe_source_open(s)) {
      return false;
    }
    if (s->left > 0 || (s->left < 0 && fe_source_has_bytes(s))) {
      return true;
    }
    if (!fe_source_fine(s)) {
      return false;
    }
    if (s->left == 0 && s->num_files > 0 && fe_source_has_bytes(s)) {
      return fe_source_fail(s, "byte %llu: there is more after the array", (unsigned long long)fe_source_offset(s));
    }
    if (s->at + 1 >= s->num_files) {
      *ended = true;
      return true;
    }
    fe_source_close(s);
    s->at++;
  }
}

// The bytes of all files, if they are known: for the progress.
static uint64_t fe_source_size(const struct fe_source *s) {
  uint64_t size = 0;
  for (int i = 0; i < s->num_files; i++) {
    struct stat facts;
    if (strcmp(s->files[i], "-") == 0 || stat(s->files[i], &facts) != 0 || !S_ISREG(facts.st_mode)) {
      return 0;
    }
    size += (uint64_t)facts.st_size;
  }
  return size;
}

// Whether it can be read from the beginning again; if not, `message` says why.
static bool fe_source_can_rewind(struct fe_source *s) {
  for (int i = 0; i < s->num_files; i++) {
    struct stat facts;
    if (strcmp(s->files[i], "-") == 0 || stat(s->files[i], &facts) != 0 || !S_ISREG(facts.st_mode)) {
      s->at = i;
      return fe_source_fail(s, "the sequence \"%s\" is read more than once, which only files can be", s->sequence->name);
    }
  }
  return s->format == FE_MEMORY || s->num_files > 0
         || fe_source_fail(s, "the sequence \"%s\" is read more than once, which only files can be; use --in",
                           s->sequence->name);
}

static void fe_source_rewind(struct fe_source *s) {
  fe_source_close(s);
  s->at = 0;
  s->position = 0;
  s->offset = 0;
  s->before = 0;
}

static uint64_t fe_source_bytes(const struct fe_source *s) {
  return s->before + (s->open && s->in != NULL ? fe_source_offset(s) : 0);
}

// ---- Elements ----

// Other bytes than 0 and 1 are no truth values.
static bool fe_source_bools(struct fe_source *s, const unsigned char *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    if (data[i] > 1) {
      return fe_source_fail(s, "element %lld: a bool is 0 or 1, but this byte is %d", (long long)s->position, data[i]);
    }
  }
  return true;
}

// Splits records into columns, from an element on.
static void fe_source_split(const struct fe_source *s, const unsigned char *records, struct fe_buffer *columns, int64_t from, int64_t count) {
  size_t offset = 0;
  for (int c = 0; c < s->sequence->num_columns; c++) {
    size_t width = s->widths[c];
    unsigned char *to = columns[c].data + (size_t)from * width;
    const unsigned char *at = records + offset;
    for (int64_t i = 0; i < count; i++, to += width, at += s->record) {
      memcpy(to, at, width);
    }
    offset += width;
  }
}

// Records of a plain file that several threads read.
struct fe_records {
  struct fe_source *source;
  struct fe_buffer *columns;
  unsigned char *to;   // where they go, or wait to be split
  int64_t from, count; // where they are in the columns
  int error;           // of any part
};

// Reads some bytes of a plain file, from those on that are next; 0, or an error number.
static int fe_source_bytes_at(void *source, unsigned char *to, size_t from, size_t bytes) {
  const struct fe_source *s = source;
  for (size_t done = 0; done < bytes;) {
    ssize_t got = pread(fileno(s->own.file), to + done, bytes - done, (off_t)(s->at_byte + from + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return got < 0 ? errno : EIO; // the file has become shorter
    }
    done += (size_t)got;
  }
  return 0;
}

static void fe_records_part(void *argument, int part, int parts) {
  struct fe_records *all = argument;
  struct fe_source *s = all->source;
  int64_t each = all->count / parts, first = each * part, count = part + 1 == parts ? all->count - first : each;
  unsigned char *to = all->to + (size_t)first * s->record;
  int error = fe_source_bytes_at(s, to, (size_t)first * s->record, (size_t)count * s->record);
  if (error != 0) {
    __atomic_store_n(&all->error, error, __ATOMIC_RELAXED);
    return;
  }
  if (s->sequence->num_columns > 1) {
    fe_source_split(s, to, all->columns, all->from + first, count);
  }
}

// Room for `some` more elements after `count`; where their records are to be read.
static unsigned char *fe_source_room(struct fe_source *s, struct fe_buffer *columns, int64_t count, int64_t some) {
  bool room = true;
  for (int c = 0; c < s->sequence->num_columns && room; c++) {
    room = fe_buffer_want(&columns[c], (size_t)(count + some) * s->widths[c]) == 0;
  }
  if (s->sequence->num_columns > 1) {
    room = room && fe_buffer_want(&s->scratch, (size_t)some * s->record) == 0;
  }
  if (!room) {
    fe_source_fail(s, "there is not enough memory for %lld elements of %zu bytes", (long long)some, s->record);
    return NULL;
  }
  return s->sequence->num_columns > 1 ? s->scratch.data : columns[0].data + (size_t)count * s->record;
}

// Reads `some` records of a plain file, or as many as it has.
static bool fe_source_plain(struct fe_source *s, struct fe_buffer *columns, int64_t count, int64_t some, int64_t *whole, size_t *got) {
  uint64_t left = s->end_byte - s->at_byte;
  *whole = s->record == 0 || left / s->record > (uint64_t)some ? some : (int64_t)(left / s->record);
  *got = s->record == 0 ? 0 : *whole < some ? (size_t)left : (size_t)*whole * s->record;
  size_t bytes = (size_t)*whole * s->record;
  // If they are all of the chunk, then they can stay where they are, or go to the device at once.
  bool all = count == 0 && s->sequence->num_columns == 1 && (*whole == some || s->at + 1 >= s->num_files);
  const struct fe_prim *prim = s->sequence->columns[0].prim;
#ifdef FE_GPU
  if (all && fe_courier_takes(s->courier, &columns[0], prim, bytes)) {
    s->in->error = fe_courier_deliver(s->courier, &columns[0], bytes, fe_source_bytes_at, s);
    s->at_byte += *got;
    return fe_source_fine(s);
  }
#else
  if (all && s->at_byte % prim->size == 0 && fe_buffer_map(&columns[0], fileno(s->own.file), s->at_byte, bytes)) {
    s->at_byte += *got;
    return true;
  }
#endif
  struct fe_records records = {.source = s, .columns = columns, .from = count, .count = *whole};
  records.to = fe_source_room(s, columns, count, *whole);
  if (records.to == NULL) {
    return false;
  }
  fe_team_do(s->team, fe_records_part, &records, fe_team_parts(s->team, bytes));
  s->in->error = records.error;
  s->at_byte += *got;
  return fe_source_fine(s);
}

// Elements of one size.
static bool fe_source_records(struct fe_source *s, struct fe_buffer *columns, int64_t want, int64_t *count, bool *ended) {
  while (*count < want) {
    if (!fe_source_more(s, ended) || *ended) {
      return *ended;
    }
    int64_t some = want - *count, whole;
    some = s->left >= 0 && s->left < some ? s->left : some;
    size_t got = 0;
    if (s->plain) {
      if (!fe_source_plain(s, columns, *count, some, &whole, &got)) {
        return false;
      }
    } else {
      unsigned char *to = fe_source_room(s, columns, *count, some);
      if (to == NULL) {
        return false;
      }
      got = s->record == 0 ? 0 : fe_input_bytes(s->in, to, (size_t)some * s->record);
      if (!fe_source_fine(s)) {
        return false;
      }
      whole = s->record == 0 ? some : (int64_t)(got / s->record);
      if (s->sequence->num_columns > 1) {
        fe_source_split(s, to, columns, *count, whole);
      }
    }
    if (whole < some && (s->left >= 0 || got % s->record != 0)) {
      return fe_source_fail(s, "byte %llu: the file ends within element %lld, which has %zu bytes",
                            (unsigned long long)fe_source_offset(s), (long long)(s->position + *count + whole), s->record);
    }
    *count += whole;
    s->left -= s->left >= 0 ? whole : 0;
  }
  // Nobody need ask again.
  if ((s->left == 0 || (s->plain && s->left < 0 && s->at_byte == s->end_byte)) && s->at + 1 >= s->num_files) {
    return fe_source_more(s, ended);
  }
  return true;
}

static bool fe_source_add_size(struct fe_source *s, struct fe_buffer *columns, int64_t index, int64_t size) {
  if (fe_buffer_want(&columns[0], (size_t)(index + 1) * sizeof(int64_t)) != 0) {
    return fe_source_fail(s, "there is not enough memory");
  }
  memcpy(columns[0].data + (size_t)index * sizeof(int64_t), &size, sizeof size);
  return true;
}

// Lines of text, without their ends.
static bool fe_source_lines(struct fe_source *s, struct fe_buffer *columns, int64_t want, size_t most, int64_t *count,
                            int64_t *total, bool *ended) {
  while (*count < want && (size_t)*total < most) {
    if (!fe_source_more(s, ended) || *ended) {
      return *ended;
    }
    int64_t start = *total;
    bool complete = false;
    while (!complete && fe_input_want(s->in, 1) > 0) {
      struct fe_input *in = s->in;
      const unsigned char *from = in->buffer + in->at;
      size_t have = in->end - in->at;
      const unsigned char *end = memchr(from, '\n', have);
      size_t length = end == NULL ? have : (size_t)(end - from);
      if (fe_buffer_want(&columns[1], (size_t)*total + length) != 0) {
        return fe_source_fail(s, "line %lld: there is not enough memory for a line of more than %lld bytes",
                              (long long)(s->position + *count + 1), (long long)(*total - start));
      }
      memcpy(columns[1].data + *total, from, length);
      *total += (int64_t)length;
      in->at += length + (end != NULL ? 1 : 0);
      complete = end != NULL;
    }
    if (!fe_source_fine(s) || !fe_source_add_size(s, columns, *count, *total - start)) {
      return false;
    }
    *count += 1;
  }
  return true;
}

// Arrays one after the other, each with its header.
static bool fe_source_arrays(struct fe_source *s, struct fe_buffer *columns, int64_t want, size_t most, int64_t *count,
                             int64_t *total, bool *ended) {
  const struct fe_column *column = &s->sequence->columns[1];
  while (*count < want && (size_t)*total * s->widths[1] < most) {
    if (!fe_source_more(s, ended) || *ended) {
      return *ended;
    }
    int64_t shape[FE_PART_RANK + 1];
    if (fe_binary_header(s->in, column->prim, column->rank, shape) != 0) {
      return fe_source_fail(s, "element %lld: %s", (long long)(s->position + *count), s->in->message);
    }
    if (!fe_source_row(s, column->rank - 1, shape + 1)) {
      return false;
    }
    size_t width = s->widths[1];
    if (width > 0 && (uint64_t)shape[0] > (SIZE_MAX / 4 - (size_t)*total * width) / width) {
      return fe_source_fail(s, "element %lld: it is larger than any memory", (long long)(s->position + *count));
    }
    // The size may be wrong, so memory is only taken once there is something to put into it.
    size_t bytes = (size_t)shape[0] * width, got = 0;
    while (got < bytes) {
      size_t some = bytes - got < FE_BINARY_TRUSTED ? bytes - got : FE_BINARY_TRUSTED;
      if (fe_buffer_want(&columns[1], (size_t)*total * width + got + some) != 0) {
        return fe_source_fail(s, "element %lld: there is not enough memory for %zu bytes",
                              (long long)(s->position + *count), bytes);
      }
      size_t now = fe_input_bytes(s->in, columns[1].data + (size_t)*total * width + got, some);
      got += now;
      if (now < some) {
        return fe_source_fine(s)
               && fe_source_fail(s, "byte %llu: the file ends within element %lld, which has %zu bytes",
                                 (unsigned long long)fe_input_offset(s->in), (long long)(s->position + *count), bytes);
      }
    }
    if (!fe_source_add_size(s, columns, *count, shape[0])) {
      return false;
    }
    *total += shape[0];
    *count += 1;
  }
  return true;
}

#ifdef FE_GPU
static int fe_value_bytes_at(void *values, unsigned char *to, size_t from, size_t bytes) {
  memcpy(to, (const unsigned char *)values + from, bytes);
  return 0;
}
#endif

static bool fe_source_values(struct fe_source *s, struct fe_buffer *columns, int64_t want, size_t most, int64_t *count,
                             int64_t *total, bool *ended) {
  const struct fe_sequence *sequence = s->sequence;
  int64_t left = s->values[0].shape[0] - s->position, some = want < left ? want : left;
  const int64_t *sizes = (const int64_t *)s->values[0].data + s->position;
  if (sequence->pieces) {
    int64_t have = s->values[1].shape[0] - s->offset, taken = 0;
    for (; taken < some && (size_t)*total * s->widths[1] < most; taken++) {
      if (sizes[taken] < 0 || sizes[taken] > have - *total) {
        return fe_source_fail(s, "element %lld of \"%s\" has size %lld, but there are %lld values left",
                              (long long)(s->position + taken), sequence->name, (long long)sizes[taken],
                              (long long)(have - *total));
      }
      *total += sizes[taken];
    }
    some = taken;
  }
  for (int c = 0; c < sequence->num_columns; c++) {
    bool values = sequence->pieces && c > 0;
    size_t width = s->widths[c], bytes = (size_t)(values ? *total : some) * width;
    unsigned char *from = (unsigned char *)s->values[c].data + (size_t)(values ? s->offset : s->position) * width;
#ifdef FE_GPU
    // The sizes of pieces are needed here as well.
    if ((values || !sequence->pieces) && fe_courier_takes(s->courier, &columns[c], sequence->columns[c].prim, bytes)) {
      if (fe_courier_deliver(s->courier, &columns[c], bytes, fe_value_bytes_at, from) != 0) {
        return fe_source_fail(s, "cannot be copied to the device");
      }
      continue;
    }
    if (fe_buffer_want(&columns[c], bytes) != 0) {
      return fe_source_fail(s, "there is not enough memory");
    }
    if (bytes > 0) {
      struct fe_team_copy copy = {columns[c].data, from, bytes};
      fe_team_do(s->team, fe_team_copy_part, &copy, fe_team_parts(s->team, bytes));
    }
#else
    columns[c].data = from;
    (void)bytes;
#endif
  }
  s->offset += *total;
  *count = some;
  *ended = some == left;
  return true;
}

// Reads up to `want` elements, and fewer if they are large and their values have `most` bytes: how many there were, for pieces how many values
// they have, and whether there are no more. False if something is wrong.
static bool fe_source_read(struct fe_source *s, struct fe_buffer *columns, int64_t want, size_t most, int64_t *count,
                           int64_t *total, bool *ended) {
  *count = 0;
  *total = 0;
  *ended = false;
  bool fine;
  if (s->format == FE_MEMORY) {
    fine = fe_source_values(s, columns, want, most, count, total, ended);
  } else if (!s->sequence->pieces) {
    fine = fe_source_records(s, columns, want, count, ended);
  } else if (s->format == FE_LINES) {
    fine = fe_source_lines(s, columns, want, most, count, total, ended);
  } else {
    fine = fe_source_arrays(s, columns, want, most, count, total, ended);
  }
  for (int c = 0; c < s->sequence->num_columns && fine; c++) {
    int64_t elements = s->sequence->pieces && c > 0 ? *total : *count;
    if (s->sequence->columns[c].prim->class_ == FE_BOOL) {
      fine = fe_source_bools(s, columns[c].data, (size_t)elements * s->widths[c]);
    }
    size_t size = s->sequence->columns[c].prim->size;
    if (s->format != FE_MEMORY && columns[c].data != NULL) {
      fe_little_endian(columns[c].data, size, (size_t)elements * s->widths[c] / size);
    }
  }
  s->position += *count;
  return fine;
}

static void fe_source_free(struct fe_source *s) {
  fe_source_close(s);
  fe_buffer_free(&s->scratch);
  free(s->files);
}
