// The portion of a long region that each worker starts with.
//
// Such a region is cut into as many portions as there are workers, and each finds its own without searching. So work is
// distributed at once, and in a loop of regions over the same arrays, each worker gets the part that is already in its
// caches. A worker that has nothing else to do takes the portion of another one after a while: that one may be asleep,
// or have no core.

#if defined(FE_MULTICORE) && defined(FE_THREADS)

struct fe_portion {
  atomic_bool there;
  struct fe_range range;
};

// Only a region that no other is around has portions, so there is one such region at a time, and the one before has
// taken all of its portions.
static void fe_portion_give(struct fe_portion *portion, struct fe_range range) {
  portion->range = range;
  atomic_store(&portion->there, true);
}

static bool fe_portion_visible(struct fe_portion *portion, int depth) {
  return depth <= 1 && atomic_load(&portion->there);
}

// Any thread. Nothing is given before what is taken here has been executed, so that the range can be read afterwards.
static bool fe_portion_take(struct fe_portion *portion, int depth, struct fe_range *range) {
  bool there = true;
  if (!fe_portion_visible(portion, depth) || !atomic_compare_exchange_strong(&portion->there, &there, false)) {
    return false;
  }
  *range = portion->range;
  return true;
}

#endif
