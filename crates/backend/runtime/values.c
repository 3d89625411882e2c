// Values as users see them: what they are, and where they are read from.
//
// The order of the files of this part, in a generated program:
//
//   values.c         values in memory, buffered input with places for messages
//   values_scalar.c  f16, and usual numbers, read quickly
//   values_number.c  a word of text as a scalar
//   values_print.c   a scalar as text
//   values_text.c    whole values in the text format
//   values_binary.c  whole values in the binary format; the reader and the writer for either format
//   objects.c        values of any type that `fe_program` describes: host data to objects and back
//   options.c        the command line options that all programs have
//   cli.c            `main` of an executable
//     or
//   server_vars.c, server_files.c, server_general.c, server_parts.c, server_streams.c, server.c    `main` of a server
//
// The formats are those of the crate `fehu-data`, which is tested against these files.

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FE_NUM_PRIMS = 12, FE_MAX_RANK = 255 };

static const struct fe_prim *const fe_prims[FE_NUM_PRIMS] = {
    &fe_prim_i8,  &fe_prim_i16, &fe_prim_i32, &fe_prim_i64, &fe_prim_u8,  &fe_prim_u16,
    &fe_prim_u32, &fe_prim_u64, &fe_prim_f16, &fe_prim_f32, &fe_prim_f64, &fe_prim_bool};

// A scalar (rank 0) or a row-major array in memory of its own. {0} is no value.
struct fe_value {
  const struct fe_prim *prim;
  int rank;
  int64_t *shape;
  void *data;
};

static void fe_value_free(struct fe_value *value) {
  free(value->shape);
  free(value->data);
  value->shape = NULL;
  value->data = NULL;
}

// The number of elements of a shape, or -1 if their bytes are more than any memory holds. A size of 0
// makes an array empty however large the others are.
static int64_t fe_count(const struct fe_prim *prim, int rank, const int64_t *shape) {
  for (int i = 0; i < rank; i++) {
    if (shape[i] == 0) {
      return 0;
    }
  }
  int64_t most = INT64_MAX / (int64_t)prim->size;
  int64_t count = 1;
  for (int i = 0; i < rank; i++) {
    if (shape[i] > most / count) {
      return -1;
    }
    count *= shape[i];
  }
  return (uint64_t)count > SIZE_MAX / prim->size ? -1 : count;
}

// ---- Input ----

// The buffer is small because it counts: reading arguments is the moment at which many programs need most memory.
enum { FE_INPUT_SIZE = 1 << 13, FE_MESSAGE_SIZE = 512 };

// A file that is read. The byte after the last one in the buffer is always 0, so that scanning a number stops
// there.
struct fe_input {
  FILE *file;
  unsigned char *buffer;
  size_t at, end;
  bool ended;          // the file has no more bytes than those in the buffer
  bool direct;         // it may be slow, so that what has come is taken without waiting for more
  int error;           // why reading failed, as in errno, or 0
  uint64_t before;     // bytes of the file before the buffer
  uint64_t line;       // from 1
  uint64_t line_start; // so that an offset less this is a column, from 0
  char *word;          // the word that was read last
  size_t word_length, word_capacity;
  char message[FE_MESSAGE_SIZE]; // what is wrong
};

// A place in a file, for messages.
struct fe_place {
  uint64_t line, column;
};

static int fe_input_init(struct fe_input *in, FILE *file) {
  memset(in, 0, sizeof *in);
  in->file = file;
  in->line = 1;
  in->buffer = malloc(FE_INPUT_SIZE + 1);
  if (in->buffer == NULL) {
    snprintf(in->message, sizeof in->message, "there is not enough memory");
    return 1;
  }
  in->buffer[0] = 0;
  return 0;
}

static void fe_input_free(struct fe_input *in) {
  free(in->buffer);
  free(in->word);
  in->buffer = NULL;
  in->word = NULL;
}

// Reads some bytes, at most `n`; none if the file has ended or cannot be read.
static size_t fe_input_fetch(struct fe_input *in, void *out, size_t n) {
  errno = 0;
  if (!in->direct) {
    size_t got = fread(out, 1, n, in->file);
    if (got == 0 && ferror(in->file)) {
      in->error = errno != 0 ? errno : EIO;
    }
    return got;
  }
  ssize_t got;
  do {
    got = read(fileno(in->file), out, n);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    in->error = errno;
  }
  return got < 0 ? 0 : (size_t)got;
}

// Tries to have `n` bytes in the buffer, at most FE_INPUT_SIZE; how many are there.
static size_t fe_input_want(struct fe_input *in, size_t n) {
  size_t left = in->end - in->at;
  if (left >= n || in->ended) {
    return left;
  }
  memmove(in->buffer, in->buffer + in->at, left);
  in->before += in->at;
  in->at = 0;
  in->end = left;
  while (in->end < n) {
    size_t got = fe_input_fetch(in, in->buffer + in->end, FE_INPUT_SIZE - in->end);
    in->end += got;
    if (got == 0) {
      in->ended = true;
      break;
    }
  }
  in->buffer[in->end] = 0;
  return in->end - in->at;
}

// The next byte, or -1 at the end.
static inline int fe_input_byte(struct fe_input *in) {
  if (in->at == in->end && fe_input_want(in, 1) == 0) {
    return -1;
  }
  return in->buffer[in->at];
}

static uint64_t fe_input_offset(const struct fe_input *in) {
  return in->before + in->at;
}

static struct fe_place fe_input_place(const struct fe_input *in) {
  struct fe_place place = {in->line, fe_input_offset(in) - in->line_start + 1};
  return place;
}

// Goes past a byte that may be a line break or part of a character. Bytes that continue a character of UTF-8
// are no columns.
static inline void fe_input_pass(struct fe_input *in) {
  unsigned char byte = in->buffer[in->at++];
  if (byte == '\n') {
    in->line++;
    in->line_start = fe_input_offset(in);
  } else if ((byte & 0xC0) == 0x80) {
    in->line_start++;
  }
}

// Goes past blanks, and comments from `--` to the end of the line. The byte after them, or -1 at the end.
static int fe_input_peek(struct fe_input *in) {
  for (;;) {
    int byte = fe_input_byte(in);
    if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
      fe_input_pass(in);
    } else if (byte == '-' && fe_input_want(in, 2) >= 2 && in->buffer[in->at + 1] == '-') {
      while ((byte = fe_input_byte(in)) != -1 && byte != '\n') {
        fe_input_pass(in);
      }
    } else {
      return byte;
    }
  }
}

static void fe_message(char *message, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// A message that is cut if it is too long.
static void fe_message(char *message, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, FE_MESSAGE_SIZE, format, arguments);
  va_end(arguments);
}

static int fe_input_fail(struct fe_input *in, struct fe_place place, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// Says what is wrong at a place; always 1. If the file could not be read, then that is what is wrong.
static int fe_input_fail(struct fe_input *in, struct fe_place place, const char *format, ...) {
  if (in->error != 0) {
    fe_message(in->message, "cannot read: %s", strerror(in->error));
    return 1;
  }
  int length = snprintf(in->message, sizeof in->message, "%llu:%llu: ", (unsigned long long)place.line,
                        (unsigned long long)place.column);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(in->message + length, sizeof in->message - (size_t)length, format, arguments);
  va_end(arguments);
  return 1;
}

static int fe_input_no_memory(struct fe_input *in) {
  return fe_input_fail(in, fe_input_place(in), "there is not enough memory for this value");
}

// The name of a type, "[][]f32", cut if there is no room for it.
struct fe_type_name {
  char text[64];
};

static struct fe_type_name fe_type_name(const struct fe_prim *prim, int rank) {
  struct fe_type_name name;
  size_t at = 0;
  for (int i = 0; i < rank && at + 8 < sizeof name.text; i++) {
    name.text[at++] = '[';
    name.text[at++] = ']';
  }
  snprintf(name.text + at, sizeof name.text - at, "%s", prim->name);
  return name;
}

// The same with sizes: "[2][3]f32".
struct fe_sized_name {
  char text[128];
};

static struct fe_sized_name fe_sized_name(const struct fe_prim *prim, int rank, const int64_t *shape) {
  struct fe_sized_name name;
  size_t at = 0;
  for (int i = 0; i < rank && at + 32 < sizeof name.text; i++) {
    at += (size_t)snprintf(name.text + at, sizeof name.text - at, "[%lld]", (long long)shape[i]);
  }
  snprintf(name.text + at, sizeof name.text - at, "%s", prim->name);
  return name;
}
