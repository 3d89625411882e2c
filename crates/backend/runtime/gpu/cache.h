// Compiled kernels that are kept in files, so that only the first start of a program compiles them.
//
// A file is named after everything that went into it. Its first line says so again, since the user may name another file,
// with the length and a sum of the rest, so that a file that was damaged is not used. It is no error if something cannot be
// read or written: then the kernels are compiled again.

#define FE_CACHE_MAGIC "fehu kernels 1 "

// Where kernels with this digest are kept, in memory of its own; NULL if there is no place for them.
static char *fe_cache_path(struct futhark_context *ctx, const char *digest) {
  if (ctx->cfg->cache_file != NULL) {
    return fe_copy_string(ctx->cfg->cache_file);
  }
  const char *folder = getenv("XDG_CACHE_HOME"), *below = "";
  if (folder == NULL || folder[0] != '/') {
    folder = getenv("HOME");
    below = "/.cache";
  }
  if (folder == NULL || folder[0] != '/') {
    return NULL;
  }
  struct fe_text path = {0};
  const char *const parts[] = {folder, below, "/fehu", "/kernels"};
  for (int i = 0; i < 4; i++) {
    fe_text_words(&path, parts[i]);
    if (!path.failed && i > 0) {
      mkdir(path.chars, 0777); // unless it is there
    }
  }
  fe_text_words(&path, "/");
  fe_text_words(&path, digest);
  if (path.failed) {
    free(path.chars);
    return NULL;
  }
  return path.chars;
}

// A number that changes when any of the bytes does; damage is no enemy.
static uint64_t fe_cache_sum(const unsigned char *bytes, size_t size) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++) {
    sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
  }
  return sum;
}

// What a file holds, if it is what the digest says, in memory of its own; NULL if not.
static unsigned char *fe_cache_read(const char *path, const char *digest, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  char found[65] = "";
  unsigned long long length = 0;
  uint64_t sum = 0;
  unsigned char *bytes = NULL;
  // The size of the file is what bounds the memory that a damaged length may ask for.
  struct stat data;
  bool fits = fscanf(file, FE_CACHE_MAGIC "%64[0-9a-f] %llu %" SCNx64, found, &length, &sum) == 3 && getc(file) == '\n'
              && strcmp(found, digest) == 0 && fstat(fileno(file), &data) == 0
              && length <= (unsigned long long)data.st_size;
  if (fits) {
    bytes = malloc((size_t)length + 1);
  }
  if (bytes != NULL
      && (fread(bytes, 1, (size_t)length, file) != length || fe_cache_sum(bytes, (size_t)length) != sum)) {
    free(bytes);
    bytes = NULL;
  }
  if (bytes != NULL) {
    // It is used, so others are thrown away first. If the time cannot be set, nothing is lost.
    (void)!futimens(fileno(file), NULL);
  }
  fclose(file);
  *size = (size_t)length;
  return bytes;
}

// Keeps kernels. The file is written under another name first, so that others never see a part of it.
static bool fe_cache_write(const char *path, const char *digest, const unsigned char *bytes, size_t size) {
  struct fe_text other = {0};
  fe_text_words(&other, path);
  fe_text_words(&other, "+");
  fe_text_number(&other, (int64_t)getpid());
  FILE *file = other.failed ? NULL : fopen(other.chars, "wb");
  bool written = file != NULL
                 && fprintf(file, FE_CACHE_MAGIC "%s %llu %" PRIx64 "\n", digest, (unsigned long long)size,
                            fe_cache_sum(bytes, size)) > 0
                 && fwrite(bytes, 1, size, file) == size;
  if (file != NULL) {
    written = fclose(file) == 0 && written;
    written = written && rename(other.chars, path) == 0;
    if (!written) {
      remove(other.chars);
    }
  }
  free(other.chars);
  return written;
}
