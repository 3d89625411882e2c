// The command-line options of programs, and how they are applied to the configuration of the context.
//
// Options are written as `-n`, `-bn`, `-e NAME`, `-eNAME`, `--entry-point NAME` or `--entry-point=NAME`; long ones
// may be abbreviated to an unambiguous prefix.

#include <fcntl.h>

enum fe_option_id {
  FE_OPTION_WRITE_RUNTIME,
  FE_OPTION_RUNS,
  FE_OPTION_ENTRY,
  FE_OPTION_BINARY,
  FE_OPTION_NO_PRINT,
  FE_OPTION_DEBUGGING,
  FE_OPTION_LOG,
  FE_OPTION_PROFILE,
  FE_OPTION_REPORT,
  FE_OPTION_IN,
  FE_OPTION_OUT,
  FE_OPTION_MEMORY_LIMIT,
  FE_OPTION_CHUNK,
  FE_OPTION_STREAM_REPORT,
  FE_OPTION_HELP,
  FE_OPTION_PRINT_PARAMS,
  FE_OPTION_PARAM,
  FE_OPTION_TUNING,
  FE_OPTION_CACHE_FILE,
  FE_OPTION_NUM_THREADS,
  FE_OPTION_DEVICE,
  FE_OPTION_DEVICE_MEMORY_LIMIT,
  FE_OPTION_PLATFORM,
  FE_OPTION_BUILD_OPTION,
  FE_OPTION_BLOCK_SIZE,
  FE_OPTION_GRID_SIZE,
  FE_OPTION_TILE_SIZE,
  FE_OPTION_REG_TILE_SIZE,
  FE_OPTION_THRESHOLD,
  FE_OPTION_DUMP_PROGRAM,
  FE_OPTION_LOAD_PROGRAM
};

struct fe_option {
  enum fe_option_id id;
  bool only_executables; // servers do not have it
  char letter;           // 0 if it has none
  const char *name;
  const char *argument; // NULL if it takes none
  const char *help;
};

static const struct fe_option fe_options[] = {
    {FE_OPTION_ENTRY, true, 'e', "entry-point", "NAME", "Run this entry point; the default is main."},
    {FE_OPTION_RUNS, true, 'r', "runs", "INT", "Run this many times, after one run to warm up."},
    {FE_OPTION_WRITE_RUNTIME, true, 't', "write-runtime-to", "FILE", "Write the time of each run to this file, in microseconds."},
    {FE_OPTION_BINARY, true, 'b', "binary-output", NULL, "Write the result in the binary format."},
    {FE_OPTION_NO_PRINT, true, 'n', "no-print-result", NULL, "Do not write the result."},
    {FE_OPTION_DEBUGGING, false, 'D', "debugging", NULL, "Perform extra checks, and log what happens."},
    {FE_OPTION_LOG, false, 'L', "log", NULL, "Log what happens on standard error."},
    {FE_OPTION_PROFILE, false, 'P', "profile", NULL, "Collect profiling information."},
    {FE_OPTION_REPORT, true, 0, "report", NULL, "Print the time of the last run and the peak memory use on standard error."},
    {FE_OPTION_IN, true, 0, "in", "NAME=FILE", "Read a parameter that is a sequence from this file; repeated, from several in order. The file is raw data, or what its name ends in (.npy) or begins with (raw:, binary:, npy:, lines:). The name - is standard input."},
    {FE_OPTION_OUT, true, 0, "out", "NAME=FILE", "Likewise, write a result that is a sequence: 0, or the name of a field."},
    {FE_OPTION_MEMORY_LIMIT, true, 0, "memory-limit", "BYTES", "Read sequences in chunks so small that no more memory is used: 64MB, 2GiB. The default is a quarter of what is free."},
    {FE_OPTION_CHUNK, true, 0, "chunk", "INT", "Read so many elements of sequences at a time; the default is what is fast."},
    {FE_OPTION_STREAM_REPORT, true, 0, "stream-report", NULL, "Print how sequences were read on standard error."},
#ifdef FE_MULTICORE
    {FE_OPTION_NUM_THREADS, false, 0, "num-threads", "INT", "Use this many threads; the default is one per core."},
#endif
#ifdef FE_GPU
    {FE_OPTION_DEVICE, false, 'd', "device", "NAME", "Use the first device whose name contains NAME, or device number K if NAME is #K."},
    {FE_OPTION_DEVICE_MEMORY_LIMIT, false, 0, "device-memory-limit", "BYTES", "Keep no more than this on the device: 64MB, 2GiB. Arrays that have not been used for the longest time are evicted to host memory, and come back when they are needed. The default is what the device has."},
#ifdef FE_OPENCL
    {FE_OPTION_PLATFORM, false, 'p', "platform", "NAME", "Use only devices of platforms whose names contain NAME."},
    {FE_OPTION_BUILD_OPTION, false, 0, "build-option", "OPT", "Pass this option to the kernel compiler."},
    {FE_OPTION_DUMP_PROGRAM, false, 0, "dump-opencl", "FILE", "Write the device program to this file and exit."},
    {FE_OPTION_LOAD_PROGRAM, false, 0, "load-opencl", "FILE", "Use the device program in this file."},
#else
    {FE_OPTION_BUILD_OPTION, false, 0, "nvrtc-option", "OPT", "Pass this option to the kernel compiler."},
    {FE_OPTION_DUMP_PROGRAM, false, 0, "dump-cuda", "FILE", "Write the device program to this file and exit."},
    {FE_OPTION_LOAD_PROGRAM, false, 0, "load-cuda", "FILE", "Use the device program in this file."},
#endif
    {FE_OPTION_BLOCK_SIZE, false, 0, "default-thread-block-size", "INT", "The default number of threads per block."},
    {FE_OPTION_BLOCK_SIZE, false, 0, "default-group-size", "INT", "The old name of the previous option."},
    {FE_OPTION_GRID_SIZE, false, 0, "default-num-thread-blocks", "INT", "The default number of thread blocks."},
    {FE_OPTION_GRID_SIZE, false, 0, "default-num-groups", "INT", "The old name of the previous option."},
    {FE_OPTION_TILE_SIZE, false, 0, "default-tile-size", "INT", "The default size of tiles in shared memory."},
    {FE_OPTION_REG_TILE_SIZE, false, 0, "default-reg-tile-size", "INT", "The default size of tiles in registers."},
    {FE_OPTION_THRESHOLD, false, 0, "default-threshold", "INT", "The default threshold for sufficient parallelism."},
#endif
    {FE_OPTION_PRINT_PARAMS, false, 0, "print-params", NULL, "List the tuning parameters, with their classes."},
    {FE_OPTION_PARAM, false, 0, "param", "NAME=INT", "Set a tuning parameter."},
    {FE_OPTION_TUNING, false, 0, "tuning", "FILE", "Read tuning parameters from this file, one NAME=INT per line."},
    {FE_OPTION_CACHE_FILE, false, 0, "cache-file", "FILE", "Cache data that speeds up the next start in this file."},
    {FE_OPTION_HELP, false, 'h', "help", NULL, "Show this help."},
};

enum { FE_NUM_OPTIONS = sizeof fe_options / sizeof fe_options[0] };

// What the command line says.
struct fe_settings {
  const char *program;
  bool executable;
  struct futhark_context_config *cfg;
  bool profile, report;
  const char *entry;
  const char *runtime_file; // NULL: none
  long runs;                // 0: one, without warming up
  bool binary, no_print;
  // Sequences.
  struct fe_choice *ins, *outs;
  int num_ins, num_outs;
  int64_t memory_limit, chunk; // 0: not given
  bool stream_report;
};

// A choice of the user: NAME=FILE.
struct fe_choice {
  const char *name, *file;
  size_t length; // of the name
  bool used;
};

enum fe_next { FE_GO_ON, FE_EXIT_SUCCESS, FE_EXIT_FAILURE };

static enum fe_next fe_wrong(const struct fe_settings *settings, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// Says what is wrong.
static enum fe_next fe_wrong(const struct fe_settings *settings, const char *format, ...) {
  fprintf(stderr, "%s: ", settings->program);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return FE_EXIT_FAILURE;
}

// A file that is opened gets the lowest number that is free. If somebody has closed a standard stream, then that must not be its
// number, or results would go to the wrong file. What takes the place cannot be used, so that this is noticed.
static void fe_hold_streams(void) {
  static const int useless[3] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int i = 0; i < 3; i++) {
    if (fcntl(i, F_GETFD) == -1 && errno == EBADF && open("/dev/null", useless[i]) < 0) {
      return;
    }
  }
}

static void fe_help(const struct fe_settings *settings) {
  printf("Usage: %s [OPTION]...\n\n%s\n\nOptions:\n", settings->program,
         settings->executable ? "Reads the arguments of an entry point from standard input, in the text or the binary format,\n"
                                "and writes its result to standard output."
                              : "Reads commands of the server protocol from standard input, one per line.");
  for (int i = 0; i < FE_NUM_OPTIONS; i++) {
    const struct fe_option *option = &fe_options[i];
    if (option->only_executables && !settings->executable) {
      continue;
    }
    char text[64];
    int used = option->letter != 0 ? snprintf(text, sizeof text, "-%c, ", option->letter) : snprintf(text, sizeof text, "    ");
    snprintf(text + used, sizeof text - (size_t)used, "--%s %s", option->name,
             option->argument == NULL ? "" : option->argument);
    printf("  %-32s %s\n", text, option->help);
  }
}

// Reads all of a text as an integer from `least` on.
static bool fe_parse_long(const char *text, long least, long *out) {
  char *end = NULL;
  errno = 0;
  *out = strtol(text, &end, 10);
  return errno == 0 && end != text && *end == 0 && *out >= least;
}

// A number of bytes, with a unit: B, KB, KiB and so on.
static bool fe_parse_bytes(const char *text, int64_t *out) {
  static const char units[] = "KMGT";
  char *end = NULL;
  double number = strtod(text, &end);
  const char *unit = *end == 0 ? NULL : strchr(units, *end & ~32);
  bool binary = unit != NULL && end[1] == 'i';
  for (const char *at = units; unit != NULL && at <= unit; at++) {
    number *= binary ? 1024 : 1000;
  }
  end += unit == NULL ? 0 : binary ? 2 : 1;
  end += *end == 'B' ? 1 : 0;
  *out = number >= 1 && number < 9e18 ? (int64_t)number : 0;
  return end != text && *end == 0 && *out > 0;
}

static enum fe_next fe_add_choice(const struct fe_settings *settings, const struct fe_option *option, char *text,
                                  struct fe_choice **choices, int *count) {
  char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == 0) {
    return fe_wrong(settings, "`--%s %s` is not of the form NAME=FILE", option->name, text);
  }
  struct fe_choice *more = realloc(*choices, sizeof *more * (size_t)(*count + 1));
  if (more == NULL) {
    return fe_wrong(settings, "there is not enough memory");
  }
  more[*count] = (struct fe_choice){text, equals + 1, (size_t)(equals - text), false};
  *choices = more;
  *count += 1;
  return FE_GO_ON;
}

static const char fe_no_param[] = "sets a tuning parameter that does not exist; see --print-params";

// Sets a tuning parameter as NAME=INT says. NULL, or what is wrong with it: `fe_no_param` if there is no such parameter.
static const char *fe_set_param(struct futhark_context_config *cfg, char *text) {
  char *equals = strchr(text, '=');
  long value;
  if (equals == NULL || !fe_parse_long(equals + 1, 0, &value)) {
    return "is not of the form NAME=INT";
  }
  *equals = 0;
  int failed = futhark_context_config_set_tuning_param(cfg, text, (size_t)value);
  *equals = '=';
  return failed == 0 ? NULL : fe_no_param;
}

// Reads a line of any length without its end; NULL at the end of the file, or if there is no memory. The caller
// frees `*line` in the end.
static char *fe_read_line(FILE *file, char **line, size_t *capacity, size_t *length) {
  *length = 0;
  int byte = getc(file);
  if (byte == EOF) {
    return NULL;
  }
  for (;; byte = getc(file)) {
    if (*length + 1 >= *capacity) {
      size_t larger = *capacity == 0 ? 256 : *capacity * 2;
      char *moved = realloc(*line, larger);
      if (moved == NULL) {
        return NULL;
      }
      *line = moved;
      *capacity = larger;
    }
    if (byte == EOF || byte == '\n') {
      (*line)[*length] = 0;
      return *line;
    }
    (*line)[(*length)++] = (char)byte;
  }
}

// Parameters that the program does not have are ignored, with a warning: the file may be that of another compiler, or
// of an earlier version of the program.
static enum fe_next fe_load_tuning(const struct fe_settings *settings, const char *name) {
  FILE *file = fopen(name, "r");
  if (file == NULL) {
    return fe_wrong(settings, "cannot open the tuning file \"%s\": %s", name, strerror(errno));
  }
  enum fe_next next = FE_GO_ON;
  char *line = NULL;
  size_t capacity = 0, length;
  int unknown = 0;
  for (int number = 1; next == FE_GO_ON && fe_read_line(file, &line, &capacity, &length) != NULL; number++) {
    if (length > 0 && line[length - 1] == '\r') {
      line[length - 1] = 0;
    }
    const char *problem = fe_set_param(settings->cfg, line);
    if (problem == fe_no_param) {
      if (unknown++ == 0) {
        fe_wrong(settings, "warning: %s:%d: `%.100s` is ignored: there is no such tuning parameter; see --print-params",
                 name, number, line);
      }
    } else if (problem != NULL) {
      next = fe_wrong(settings, "%s:%d: `%.100s` %s", name, number, line, problem);
    }
  }
  if (unknown > 1) {
    fe_wrong(settings, "warning: %s: %d more lines are ignored for the same reason", name, unknown - 1);
  }
  if (next == FE_GO_ON && ferror(file)) {
    next = fe_wrong(settings, "cannot read the tuning file \"%s\"", name);
  }
  free(line);
  fclose(file);
  return next;
}

#ifdef FE_GPU
// Reads a file as the device program.
static enum fe_next fe_load_program(const struct fe_settings *settings, const char *name) {
  FILE *file = fopen(name, "rb");
  if (file == NULL) {
    return fe_wrong(settings, "cannot open \"%s\": %s", name, strerror(errno));
  }
  struct fe_text text = {0};
  char part[4096];
  for (size_t length; (length = fread(part, 1, sizeof part, file)) > 0;) {
    fe_text_add(&text, part, length);
  }
  bool failed = ferror(file) != 0 || text.failed || text.chars == NULL;
  fclose(file);
  if (!failed) {
    futhark_context_config_set_program(settings->cfg, text.chars);
  }
  free(text.chars);
  return failed ? fe_wrong(settings, "cannot read the device program in \"%s\"", name) : FE_GO_ON;
}

static enum fe_next fe_dump_program(const struct fe_settings *settings, const char *name) {
  const char *program = futhark_context_config_get_program(settings->cfg);
  FILE *file = program == NULL ? NULL : fopen(name, "wb");
  bool failed = file == NULL || fputs(program, file) == EOF;
  if (file != NULL) {
    failed = fclose(file) != 0 || failed;
  }
  return failed ? fe_wrong(settings, "cannot write the device program to \"%s\": %s", name, strerror(errno))
                : FE_EXIT_SUCCESS;
}

// Options about devices.
static enum fe_next fe_apply_device_option(struct fe_settings *settings, const struct fe_option *option, char *argument) {
  struct futhark_context_config *cfg = settings->cfg;
  switch ((int)option->id) {
  case FE_OPTION_DEVICE:
    futhark_context_config_set_device(cfg, argument);
    return FE_GO_ON;
#ifdef FE_OPENCL
  case FE_OPTION_PLATFORM:
    futhark_context_config_set_platform(cfg, argument);
    return FE_GO_ON;
#endif
  case FE_OPTION_DEVICE_MEMORY_LIMIT: {
    int64_t bytes;
    if (!fe_parse_bytes(argument, &bytes)) {
      return fe_wrong(settings, "the limit of device memory must be a number of bytes such as 64MB or 2GiB, but is `%s`", argument);
    }
    futhark_context_config_set_device_memory_limit(cfg, (size_t)bytes);
    return FE_GO_ON;
  }
  case FE_OPTION_BUILD_OPTION:
    fe_add_option(cfg, argument);
    return FE_GO_ON;
  case FE_OPTION_DUMP_PROGRAM:
    return fe_dump_program(settings, argument);
  case FE_OPTION_LOAD_PROGRAM:
    return fe_load_program(settings, argument);
  default:
    break;
  }
  long number;
  if (!fe_parse_long(argument, 1, &number) || number > INT32_MAX) {
    return fe_wrong(settings, "the option --%s needs a positive integer, but got `%s`", option->name, argument);
  }
  switch ((int)option->id) {
  case FE_OPTION_BLOCK_SIZE:
    futhark_context_config_set_default_thread_block_size(cfg, (int)number);
    break;
  case FE_OPTION_GRID_SIZE:
    futhark_context_config_set_default_grid_size(cfg, (int)number);
    break;
  case FE_OPTION_TILE_SIZE:
    futhark_context_config_set_default_tile_size(cfg, (int)number);
    break;
  case FE_OPTION_REG_TILE_SIZE:
    futhark_context_config_set_default_reg_tile_size(cfg, (int)number);
    break;
  default:
    futhark_context_config_set_default_threshold(cfg, (int)number);
    break;
  }
  return FE_GO_ON;
}
#endif

static enum fe_next fe_apply_option(struct fe_settings *settings, const struct fe_option *option, char *argument) {
  const char *problem;
  long number;
  switch (option->id) {
  case FE_OPTION_WRITE_RUNTIME:
    settings->runtime_file = argument;
    break;
  case FE_OPTION_RUNS:
    if (!fe_parse_long(argument, 1, &settings->runs)) {
      return fe_wrong(settings, "the number of runs must be a positive integer, but is `%s`", argument);
    }
    break;
  case FE_OPTION_ENTRY:
    settings->entry = argument;
    break;
  case FE_OPTION_BINARY:
    settings->binary = true;
    break;
  case FE_OPTION_NO_PRINT:
    settings->no_print = true;
    break;
  case FE_OPTION_DEBUGGING:
    futhark_context_config_set_debugging(settings->cfg, 1);
    futhark_context_config_set_logging(settings->cfg, 1);
    break;
  case FE_OPTION_LOG:
    futhark_context_config_set_logging(settings->cfg, 1);
    break;
  case FE_OPTION_PROFILE:
    futhark_context_config_set_profiling(settings->cfg, 1);
    settings->profile = true;
    break;
  case FE_OPTION_REPORT:
    settings->report = true;
    break;
  case FE_OPTION_IN:
    return fe_add_choice(settings, option, argument, &settings->ins, &settings->num_ins);
  case FE_OPTION_OUT:
    return fe_add_choice(settings, option, argument, &settings->outs, &settings->num_outs);
  case FE_OPTION_MEMORY_LIMIT:
    if (!fe_parse_bytes(argument, &settings->memory_limit)) {
      return fe_wrong(settings, "the memory limit must be a number of bytes such as 64MB or 2GiB, but is `%s`", argument);
    }
    break;
  case FE_OPTION_CHUNK:
    if (!fe_parse_long(argument, 1, &number)) {
      return fe_wrong(settings, "the size of chunks must be a positive integer, but is `%s`", argument);
    }
    settings->chunk = number;
    break;
  case FE_OPTION_STREAM_REPORT:
    settings->stream_report = true;
    break;
  case FE_OPTION_HELP:
    fe_help(settings);
    return FE_EXIT_SUCCESS;
  case FE_OPTION_PRINT_PARAMS:
    for (int i = 0; i < futhark_get_tuning_param_count(); i++) {
      printf("%s (%s)\n", futhark_get_tuning_param_name(i), futhark_get_tuning_param_class(i));
    }
    return FE_EXIT_SUCCESS;
  case FE_OPTION_PARAM:
    problem = fe_set_param(settings->cfg, argument);
    if (problem != NULL) {
      return fe_wrong(settings, "`--param %s` %s", argument, problem);
    }
    break;
  case FE_OPTION_TUNING:
    return fe_load_tuning(settings, argument);
  case FE_OPTION_CACHE_FILE:
    futhark_context_config_set_cache_file(settings->cfg, argument);
    break;
  case FE_OPTION_NUM_THREADS:
    if (!fe_parse_long(argument, INT32_MIN, &number) || number > INT32_MAX) {
      return fe_wrong(settings, "the number of threads must be an integer, but is `%s`", argument);
    }
#ifdef FE_MULTICORE
    futhark_context_config_set_num_threads(settings->cfg, number < 1 ? 0 : (int)number);
#endif
    break;
  case FE_OPTION_DEVICE:
  case FE_OPTION_DEVICE_MEMORY_LIMIT:
  case FE_OPTION_PLATFORM:
  case FE_OPTION_BUILD_OPTION:
  case FE_OPTION_BLOCK_SIZE:
  case FE_OPTION_GRID_SIZE:
  case FE_OPTION_TILE_SIZE:
  case FE_OPTION_REG_TILE_SIZE:
  case FE_OPTION_THRESHOLD:
  case FE_OPTION_DUMP_PROGRAM:
  case FE_OPTION_LOAD_PROGRAM:
#ifdef FE_GPU
    return fe_apply_device_option(settings, option, argument);
#else
    break;
#endif
  }
  return FE_GO_ON;
}

// The option of a name, which may be cut; NULL if there is none or if there are several.
static const struct fe_option *fe_long_option(const struct fe_settings *settings, const char *name, size_t length) {
  const struct fe_option *found = NULL;
  int count = 0;
  for (int i = 0; i < FE_NUM_OPTIONS; i++) {
    const struct fe_option *option = &fe_options[i];
    if ((option->only_executables && !settings->executable) || strncmp(option->name, name, length) != 0) {
      continue;
    }
    if (option->name[length] == 0) {
      return option;
    }
    found = option;
    count++;
  }
  return count == 1 ? found : NULL;
}

static const struct fe_option *fe_short_option(const struct fe_settings *settings, char letter) {
  for (int i = 0; i < FE_NUM_OPTIONS; i++) {
    const struct fe_option *option = &fe_options[i];
    if (option->letter == letter && letter != 0 && !(option->only_executables && !settings->executable)) {
      return option;
    }
  }
  return NULL;
}

// Reads the command line.
static enum fe_next fe_parse_options(struct fe_settings *settings, int argc, char **argv) {
  enum fe_next next = FE_GO_ON;
  for (int i = 1; i < argc && next == FE_GO_ON; i++) {
    char *word = argv[i];
    if (word[0] != '-' || word[1] == 0 || strcmp(word, "--") == 0) {
      if (word[0] == '-' && word[1] == '-' && i + 1 == argc) {
        return FE_GO_ON;
      }
      return fe_wrong(settings, "`%s` is not an option; the arguments of the program are read from standard input", word);
    }
    if (word[1] == '-') {
      char *equals = strchr(word, '=');
      size_t length = equals == NULL ? strlen(word + 2) : (size_t)(equals - word - 2);
      const struct fe_option *option = fe_long_option(settings, word + 2, length);
      if (option == NULL) {
        return fe_wrong(settings, "there is no option `%s`; see --help", word);
      }
      char *argument = equals == NULL ? NULL : equals + 1;
      if (option->argument == NULL && argument != NULL) {
        return fe_wrong(settings, "the option --%s takes no argument", option->name);
      }
      if (option->argument != NULL && argument == NULL) {
        if (++i == argc) {
          return fe_wrong(settings, "the option --%s needs an argument", option->name);
        }
        argument = argv[i];
      }
      next = fe_apply_option(settings, option, argument);
      continue;
    }
    for (char *letter = word + 1; *letter != 0 && next == FE_GO_ON; letter++) {
      const struct fe_option *option = fe_short_option(settings, *letter);
      if (option == NULL) {
        return fe_wrong(settings, "there is no option `-%c`; see --help", *letter);
      }
      char *argument = NULL;
      if (option->argument != NULL) {
        argument = letter[1] != 0 ? letter + 1 : i + 1 < argc ? argv[++i] : NULL;
        if (argument == NULL) {
          return fe_wrong(settings, "the option -%c needs an argument", *letter);
        }
      }
      next = fe_apply_option(settings, option, argument);
      if (argument != NULL) {
        break;
      }
    }
  }
  return next;
}

// The context of the configuration; NULL if there is none, which has been said.
static struct futhark_context *fe_start(const struct fe_settings *settings) {
  struct futhark_context *ctx = futhark_context_new(settings->cfg);
  if (ctx == NULL) {
    fe_wrong(settings, "cannot start: there is not enough memory");
    return NULL;
  }
  char *error = futhark_context_get_error(ctx);
  if (error != NULL) {
    fe_wrong(settings, "%s", error);
    free(error);
    futhark_context_free(ctx);
    return NULL;
  }
  return ctx;
}
