// `main` of a server: executes commands from standard input, one per line.
//
// `%%% OK` is printed at the start and after every command. A command that fails prints `%%% FAILURE` and the reason
// before it, changes nothing (except that arguments consumed by a failed call stay consumed), and leaves the server
// usable.

struct fe_command {
  const char *name;
  int least, most; // words after the name; -1: any number
  const char *usage;
  int (*run)(struct fe_server *server);
};

static const struct fe_command fe_commands[] = {
    {"types", 0, 0, "", fe_cmd_types},
    {"entry_points", 0, 0, "", fe_cmd_entry_points},
    {"call", 1, -1, "ENTRY RESULT VARIABLE...", fe_cmd_call},
    {"restore", 1, -1, "FILE VARIABLE TYPE ...", fe_cmd_restore},
    {"store", 1, -1, "FILE VARIABLE...", fe_cmd_store},
    {"free", 0, -1, "VARIABLE...", fe_cmd_free},
    {"rename", 2, 2, "OLD NEW", fe_cmd_rename},
    {"inputs", 1, 1, "ENTRY", fe_cmd_inputs},
    {"output", 1, 1, "ENTRY", fe_cmd_output},
    {"outputs", 1, 1, "ENTRY", fe_cmd_outputs},
    {"clear", 0, 0, "", fe_cmd_clear},
    {"kind", 1, 1, "TYPE", fe_cmd_kind},
    {"type", 1, 1, "VARIABLE", fe_cmd_type},
    {"pause_profiling", 0, 0, "", fe_cmd_pause_profiling},
    {"unpause_profiling", 0, 0, "", fe_cmd_unpause_profiling},
    {"report", 0, 0, "", fe_cmd_report},
    {"set_tuning_param", 2, 2, "PARAMETER INTEGER", fe_cmd_set_tuning_param},
    {"tuning_params", 1, 1, "ENTRY", fe_cmd_tuning_params},
    {"tuning_param_class", 1, 1, "PARAMETER", fe_cmd_tuning_param_class},
    {"attributes", 1, 1, "ENTRY", fe_cmd_attributes},
    {"rank", 1, 1, "TYPE", fe_cmd_rank},
    {"elemtype", 1, 1, "TYPE", fe_cmd_elemtype},
    {"new_array", 2, -1, "NEW TYPE SIZE... VARIABLE...", fe_cmd_new_array},
    {"set", 2, -1, "ARRAY VARIABLE INDEX...", fe_cmd_set},
    {"shape", 1, 1, "ARRAY", fe_cmd_shape},
    {"index", 2, -1, "NEW ARRAY INDEX...", fe_cmd_index},
    {"zip", 2, -1, "NEW TYPE VARIABLE...", fe_cmd_zip},
    {"unzip", 1, -1, "ARRAY NEW...", fe_cmd_unzip},
    {"fields", 1, 1, "TYPE", fe_cmd_fields},
    {"new", 2, -1, "NEW TYPE VARIABLE...", fe_cmd_new},
    {"project", 3, 3, "NEW RECORD FIELD", fe_cmd_project},
    {"variants", 1, 1, "TYPE", fe_cmd_variants},
    {"construct", 3, -1, "NEW TYPE VARIANT VARIABLE...", fe_cmd_construct},
    {"destruct", 1, -1, "VARIABLE NEW...", fe_cmd_destruct},
    {"variant", 1, 1, "VARIABLE", fe_cmd_variant},
    {"stream_open", 2, -1, "STREAM ENTRY VARIABLE...", fe_cmd_stream_open},
    {"stream_feed", 1, -1, "STREAM VARIABLE...", fe_cmd_stream_feed},
    {"stream_end", 1, 1, "STREAM", fe_cmd_stream_end},
    {"stream_take", 2, -1, "STREAM RESULT VARIABLE...", fe_cmd_stream_take},
    {"stream_results", 1, -1, "STREAM VARIABLE...", fe_cmd_stream_results},
    {"stream_close", 1, 1, "STREAM", fe_cmd_stream_close},
};

static bool fe_is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static int fe_add_word(struct fe_server *server, char *word) {
  if (server->num_words == server->words_capacity) {
    if (server->words_capacity > INT32_MAX / 2) {
      return fe_failure("this command has too many words");
    }
    int capacity = server->words_capacity == 0 ? 16 : server->words_capacity * 2;
    char **words = realloc(server->words, sizeof(char *) * (size_t)capacity);
    if (words == NULL) {
      return fe_no_memory();
    }
    server->words = words;
    server->words_capacity = capacity;
  }
  server->words[server->num_words++] = word;
  return 0;
}

// Cuts a line into words, in place: characters that are not blank, or characters between double quotes.
static int fe_split(struct fe_server *server, char *line, size_t length) {
  server->num_words = 0;
  if (strlen(line) != length) {
    return fe_failure("the command contains a zero byte");
  }
  char *at = line;
  while (*at != 0) {
    if (fe_is_blank(*at)) {
      at++;
      continue;
    }
    bool quoted = *at == '"';
    char *word = at + quoted;
    at = word;
    while (*at != 0 && (quoted ? *at != '"' : !fe_is_blank(*at))) {
      at++;
    }
    if (quoted && *at == 0) {
      return fe_failure("a quoted word is not closed by a double quote");
    }
    if (fe_add_word(server, word) != 0) {
      return 1;
    }
    if (*at != 0) {
      *at++ = 0;
    }
  }
  return server->num_words > 0 ? 0 : fe_failure("the line is empty; a command was expected");
}

static int fe_obey(struct fe_server *server, char *line, size_t length) {
  if (fe_split(server, line, length) != 0) {
    return 1;
  }
  for (size_t i = 0; i < sizeof fe_commands / sizeof fe_commands[0]; i++) {
    const struct fe_command *command = &fe_commands[i];
    if (strcmp(command->name, server->words[0]) != 0) {
      continue;
    }
    int given = server->num_words - 1;
    if (given < command->least || (command->most >= 0 && given > command->most)) {
      return fe_failure("\"%s\" does not take %d word%s: %s%s%s", command->name, given, given == 1 ? "" : "s",
                        command->name, command->usage[0] == 0 ? "" : " ", command->usage);
    }
    return command->run(server);
  }
  return fe_failure("there is no command \"%s\"", server->words[0]);
}

static void fe_ready(void) {
  puts("%%% OK");
  fflush(stdout);
}

static enum fe_next fe_serve(const struct fe_settings *settings) {
  struct fe_server server;
  memset(&server, 0, sizeof server);
  server.settings = settings;
  server.ctx = fe_start(settings);
  if (server.ctx == NULL) {
    return FE_EXIT_FAILURE;
  }
  enum fe_next next = FE_GO_ON;
  server.num_buckets = 64;
  server.buckets = calloc(server.num_buckets, sizeof *server.buckets);
  if (server.buckets == NULL) {
    next = fe_wrong(settings, "there is not enough memory");
  }
  const char *debugging = getenv("FUTHARK_COMPILER_DEBUGGING");
  bool echo = debugging != NULL && strcmp(debugging, "0") != 0 && debugging[0] != 0;
  char *line = NULL;
  size_t capacity = 0, length = 0;
  if (next == FE_GO_ON) {
    fe_ready();
  }
  while (next == FE_GO_ON && fe_read_line(stdin, &line, &capacity, &length) != NULL) {
    if (echo) {
      fprintf(stderr, "%s: command: %s\n", settings->program, line);
    }
    fe_obey(&server, line, length);
    fe_ready();
    if (ferror(stdout)) {
      next = fe_wrong(settings, "cannot write to standard output");
    }
  }
  if (next == FE_GO_ON && !feof(stdin)) {
    next = fe_wrong(settings, "cannot read commands: %s", ferror(stdin) ? strerror(errno) : "there is not enough memory");
  }
  fe_close_streams(&server);
  if (server.buckets != NULL) {
    fe_remove_all(&server);
  }
  free(line);
  free(server.words);
  free(server.buckets);
  futhark_context_free(server.ctx);
  return next;
}

int main(int argc, char **argv) {
  fe_hold_streams();
  struct fe_settings settings;
  memset(&settings, 0, sizeof settings);
  settings.program = argc > 0 ? argv[0] : "server";
  settings.cfg = futhark_context_config_new();
  if (settings.cfg == NULL) {
    fe_wrong(&settings, "there is not enough memory");
    return 1;
  }
  enum fe_next next = fe_parse_options(&settings, argc, argv);
  if (next == FE_GO_ON) {
    next = fe_serve(&settings);
  }
  futhark_context_config_free(settings.cfg);
  return next == FE_EXIT_FAILURE || fflush(stdout) != 0 || ferror(stdout) ? 1 : 0;
}
