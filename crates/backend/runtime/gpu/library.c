// Libraries that are loaded when the program starts, so that it can be built and started without them.

// The first of these libraries that can be loaded; NULL if there is none. `why` is then what is wrong with the first.
static void *fe_library_open(const char *const *names, char *why, size_t size) {
  why[0] = '\0';
  for (; *names != NULL; names++) {
    void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
      return library;
    }
    const char *error = dlerror();
    if (why[0] == '\0') {
      snprintf(why, size, "%s", error == NULL ? *names : error);
    }
  }
  return NULL;
}

// A function of a library. It is stored as bytes, since C has no conversion from data to functions.
static bool fe_library_find(void *library, const char *name, void *function, size_t size) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, size);
  return symbol != NULL;
}
