// A cache of compiled kernels in files, so that only the first start of a program compiles them.
//
// A file is named after everything that its contents depend on. Its first line repeats this, since the user may choose
// another file name. Then follow, for each part of the program that was compiled, a line with its number, length and
// checksum, so that damaged data is not used, and its bytes. It is not an error if something cannot be read or written:
// the kernels are then compiled again.

#define FE_CACHE_MAGIC "fehu kernels 2 "

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

// Reads the next part, if it is whole. One that is there already stays what it is.
static bool fe_cache_read_part(FILE *file, off_t file_size, struct fe_part *parts, int count) {
  int number = 0;
  unsigned long long length = 0;
  uint64_t sum = 0;
  // The size of the file is what bounds the memory that a damaged length may ask for.
  if (fscanf(file, "%d %llu %" SCNx64, &number, &length, &sum) != 3 || getc(file) != '\n' || number < 0 || number >= count
      || length > (unsigned long long)file_size) {
    return false;
  }
  unsigned char *bytes = malloc((size_t)length + 1);
  if (bytes == NULL || fread(bytes, 1, (size_t)length, file) != length || fe_cache_sum(bytes, (size_t)length) != sum) {
    free(bytes);
    return false;
  }
  struct fe_part *part = &parts[number];
  if (part->image == NULL) {
    part->image = bytes;
    part->size = (size_t)length;
  } else {
    free(bytes);
  }
  return true;
}

// Reads the parts that a file holds, if they are of the program with this digest. Returns how many there are.
static int fe_cache_read(const char *path, const char *digest, struct fe_part *parts, int count) {
  struct stat data;
  // Opening a pipe would wait for somebody who writes to it.
  FILE *file = stat(path, &data) == 0 && S_ISREG(data.st_mode) ? fopen(path, "rb") : NULL;
  if (file == NULL) {
    return 0;
  }
  char found[65] = "";
  int known = 0;
  if (fscanf(file, FE_CACHE_MAGIC "%64[0-9a-f]", found) == 1 && getc(file) == '\n' && strcmp(found, digest) == 0
      && fstat(fileno(file), &data) == 0) {
    while (fe_cache_read_part(file, data.st_size, parts, count)) {
      known++;
    }
  }
  if (known > 0) {
    // It is used, so others are thrown away first. If the time cannot be set, nothing is lost.
    (void)!futimens(fileno(file), NULL);
  }
  fclose(file);
  return known;
}

static bool fe_cache_write_parts(FILE *file, const char *digest, const struct fe_part *parts, int count) {
  bool written = fprintf(file, FE_CACHE_MAGIC "%s\n", digest) > 0;
  for (int i = 0; i < count && written; i++) {
    const struct fe_part *part = &parts[i];
    if (part->image != NULL) {
      written = fprintf(file, "%d %llu %" PRIx64 "\n", i, (unsigned long long)part->size, fe_cache_sum(part->image, part->size)) > 0
                && fwrite(part->image, 1, part->size, file) == part->size;
    }
  }
  return written;
}

// Keeps the parts that there are. The file is written under another name first, so that others never see a part of it.
static bool fe_cache_write(const char *path, const char *digest, const struct fe_part *parts, int count) {
  struct fe_text other = {0};
  struct stat data;
  if (stat(path, &data) == 0 && !S_ISREG(data.st_mode)) {
    return false; // a device, perhaps, which a file must not replace
  }
  fe_text_words(&other, path);
  fe_text_words(&other, "+");
  fe_text_number(&other, (int64_t)getpid());
  FILE *file = other.failed ? NULL : fopen(other.chars, "wb");
  bool written = file != NULL && fe_cache_write_parts(file, digest, parts, count);
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
