// How large chunks are: as small as is fast, and never so large that memory is short.
//
// A chunk starts with so many elements as a megabyte has, and is doubled as long as it takes so little time that handing it on matters, or the
// time for an element falls. The budget bounds it: several chunks are in memory while they are read, and a step needs memory for each element, which is measured. If memory is
// short nevertheless, then the step is repeated with half of the chunk, and chunks stay below that.

struct fe_pace {
  int64_t fixed;        // the user's choice; 0: none
  int64_t size, most;   // elements
  double best;          // the least time for an element so far, in nanoseconds
  bool settled;
  double read, need;    // bytes of an element as it is read, and while it is computed
  int64_t budget;       // bytes
  double chunk_bytes;   // of the largest chunk
  // For the report.
  int64_t chunks, elements, smallest, largest, retries;
};

#ifdef FE_GPU
// One chunk is computed, one is on its way to the device, and one is read. What goes there at once is in large chunks, so that all threads
// have something to read. What does not is first in memory that the device reaches, which takes long to get (more than 10 ms for this much), so
// that it does not grow.
enum { FE_CHUNKS = 3, FE_FIRST_BYTES = 1 << 25, FE_LARGEST_BYTES = 1 << 25, FE_DELIVERED_BYTES = 1 << 27 };
#else
enum { FE_CHUNKS = 2, FE_FIRST_BYTES = 1 << 20, FE_LARGEST_BYTES = 1 << 26 };
#endif
// A chunk that takes less is too small, in nanoseconds.
enum { FE_SHORT_TIME = 2000000 };

// The bytes of so many elements while they are read.
static double fe_pace_reading(double read, double count) {
  return (FE_CHUNKS + 0.5) * read * count;
}

// `first` and `largest` are the bytes of chunks.
static void fe_pace_start(struct fe_pace *pace, int64_t fixed, int64_t budget, double read, double first, double largest) {
  memset(pace, 0, sizeof *pace);
  pace->fixed = fixed;
  pace->read = read < 1 ? 1 : read;
  pace->need = 2 * pace->read;
  pace->budget = budget;
  pace->chunk_bytes = largest;
  pace->size = (int64_t)(first / pace->read);
  pace->size = pace->size < 1 ? 1 : pace->size;
  pace->most = INT64_MAX;
}

// The number of elements of the next chunk. `used`: the bytes that are in use whatever it is.
static int64_t fe_pace_next(const struct fe_pace *pace, int64_t used) {
  if (pace->fixed > 0) {
    return pace->fixed;
  }
  double left = (double)(pace->budget - used);
  double bound = left <= 0 ? 1 : left / (fe_pace_reading(pace->read, 1) + 1.5 * pace->need);
  double most = pace->chunk_bytes / pace->read;
  bound = bound < most ? bound : most;
  int64_t size = pace->size < pace->most ? pace->size : pace->most;
  size = (double)size < bound ? size : (int64_t)bound;
  return size < 1 ? 1 : size;
}

// What a chunk took: nanoseconds, and bytes of memory at most. Whether the next ones have another size.
static bool fe_pace_learn(struct fe_pace *pace, int64_t count, int64_t time, int64_t bytes) {
  pace->chunks++;
  pace->elements += count;
  pace->smallest = pace->chunks == 1 || count < pace->smallest ? count : pace->smallest;
  pace->largest = count > pace->largest ? count : pace->largest;
  if (count < 1) {
    return false;
  }
  double need = (double)bytes / (double)count, each = (double)time / (double)count;
  // Elements may become larger: memory is believed at once, and forgotten slowly.
  pace->need = need > pace->need ? need : 0.8 * pace->need + 0.2 * need;
  if (pace->fixed > 0 || pace->settled || count < pace->size) {
    return false;
  }
  bool faster = pace->best == 0 || each < 0.95 * pace->best;
  pace->best = faster ? each : pace->best;
  pace->settled = !faster && time >= FE_SHORT_TIME;
  pace->size = pace->settled ? pace->size / 2 : pace->size * 2;
  return true;
}

// Memory was short.
static void fe_pace_halve(struct fe_pace *pace, int64_t count) {
  pace->retries++;
  pace->most = count / 2 < 1 ? 1 : count / 2;
}
