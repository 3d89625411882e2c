// Which device is used: the one that the user chooses, or the first one.

enum { FE_MAX_DEVICES = 64 };

struct fe_candidates {
  const char *what; // "device" or "platform"
  int count;
  char names[FE_MAX_DEVICES][256];
};

// Whether a candidate is what is wanted: "#k" is the k-th, everything else a part of the name.
static bool fe_is_wanted(const struct fe_candidates *all, int i, const char *wanted) {
  if (wanted[0] == '#') {
    char *end = NULL;
    long number = strtol(wanted + 1, &end, 10);
    return end != wanted + 1 && *end == '\0' && number == i;
  }
  return strstr(all->names[i], wanted) != NULL;
}

// None of the candidates is wanted; says which there are.
FE_COLD static int fe_none_wanted(struct futhark_context *ctx, const struct fe_candidates *all, const char *wanted) {
  struct fe_text list = {0};
  for (int i = 0; i < all->count; i++) {
    fe_text_words(&list, i == 0 ? "#" : ", #");
    fe_text_number(&list, i);
    fe_text_words(&list, " ");
    fe_text_words(&list, all->names[i]);
  }
  int code = fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "there is no %s \"%s\"; available: %s", all->what, wanted,
                     list.failed || list.chars == NULL ? "none" : list.chars);
  free(list.chars);
  return code;
}

// The first candidate that is wanted; -1, with a message, if there is none. Nothing wanted means `standard`.
static int fe_choose(struct futhark_context *ctx, const struct fe_candidates *all, const char *wanted, int standard) {
  if (wanted == NULL || wanted[0] == '\0') {
    return standard;
  }
  for (int i = 0; i < all->count; i++) {
    if (fe_is_wanted(all, i, wanted)) {
      return i;
    }
  }
  fe_none_wanted(ctx, all, wanted);
  return -1;
}
