// The memory that the parts of chunks are read into.
//
// Mostly a buffer has memory of its own, which grows. On processors, its elements can also be where they already are: in the pages of a file,
// or in a value. For a device, its own memory is such that the device reaches it without help, and there is room for a copy on
// the device, which is on its way while the chunk before is computed.

#include <pthread.h>
#include <signal.h>

struct fe_buffer {
  unsigned char *data; // the elements
  unsigned char *own;  // memory of its own
  size_t capacity;     // of that, in bytes
  void *pages;         // of a file
  size_t page_bytes;
#ifdef FE_GPU
  struct futhark_context *ctx; // whose device gets the elements; NULL: none
  bool reached;                // the device reaches the memory
  unsigned char *device;
  size_t device_capacity;
  bool delivered; // the elements are nowhere else
  bool sent;      // the copy is on its way
#endif
};

// Gives the pages of a file back.
static void fe_buffer_leave(struct fe_buffer *buffer) {
  if (buffer->pages != NULL) {
    munmap(buffer->pages, buffer->page_bytes);
    buffer->pages = NULL;
    buffer->data = NULL;
  }
}

static void fe_buffer_free_own(struct fe_buffer *buffer) {
#ifdef FE_GPU
  if (buffer->reached && buffer->own != NULL) {
    fe_driver_free_stage(buffer->ctx, buffer->own);
    buffer->own = NULL;
  }
#endif
  free(buffer->own);
  buffer->own = NULL;
}

static void fe_buffer_free(struct fe_buffer *buffer) {
  fe_buffer_leave(buffer);
  fe_buffer_free_own(buffer);
#ifdef FE_GPU
  if (buffer->device != NULL) {
    fe_driver_free(buffer->ctx, buffer->device);
    buffer->device = NULL;
  }
  buffer->device_capacity = 0;
#endif
  buffer->data = NULL;
  buffer->capacity = 0;
}

// Makes room for so many bytes in its own memory. What is there stays.
static int fe_buffer_want(struct fe_buffer *buffer, size_t bytes) {
  fe_buffer_leave(buffer);
  if (bytes > buffer->capacity) {
    size_t capacity = bytes + bytes / 8 + 64;
#ifdef FE_GPU
    if (buffer->ctx != NULL) {
      // It takes long to get, so there is room for what comes next.
      for (capacity = 1 << 12; capacity < bytes;) {
        capacity *= 2;
      }
      unsigned char *reached = fe_driver_alloc_stage(buffer->ctx, capacity);
      unsigned char *data = reached != NULL ? reached : malloc(capacity);
      if (data == NULL) {
        return 1;
      }
      if (buffer->capacity > 0) {
        memcpy(data, buffer->own, buffer->capacity);
      }
      fe_buffer_free_own(buffer);
      buffer->own = data;
      buffer->reached = reached != NULL;
      buffer->capacity = capacity;
      buffer->data = data;
      return 0;
    }
#endif
    unsigned char *data = realloc(buffer->own, capacity);
    if (data == NULL) {
      return 1;
    }
    buffer->own = data;
    buffer->capacity = capacity;
  }
  buffer->data = buffer->own;
  return 0;
}

#ifdef FE_GPU
// Makes room for so many bytes on the device. What is there is lost.
static bool fe_buffer_want_device(struct fe_buffer *buffer, size_t bytes) {
  if (bytes > buffer->device_capacity) {
    if (buffer->device != NULL) {
      fe_driver_free(buffer->ctx, buffer->device);
    }
    size_t capacity = bytes > buffer->capacity ? bytes : buffer->capacity;
    buffer->device = fe_driver_alloc(buffer->ctx, (int64_t)capacity);
    buffer->device_capacity = buffer->device == NULL ? 0 : capacity;
  }
  return buffer->device != NULL;
}
#else
// The elements are those of a file, from a place on: nothing is copied. False if that is not possible here.
static bool fe_buffer_map(struct fe_buffer *buffer, int file, uint64_t from, size_t bytes) {
#if defined(MAP_POPULATE) && (!defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
  long page = sysconf(_SC_PAGESIZE);
  size_t before = page > 0 ? (size_t)(from % (uint64_t)page) : 0;
  if (page <= 0 || bytes == 0) {
    return false;
  }
  fe_buffer_leave(buffer); // they are in memory as long as they are mapped
  void *pages = mmap(NULL, before + bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, (off_t)(from - before));
  if (pages == MAP_FAILED) {
    return false;
  }
  buffer->pages = pages;
  buffer->page_bytes = before + bytes;
  buffer->data = (unsigned char *)pages + before;
  return true;
#else
  (void)buffer, (void)file, (void)from, (void)bytes;
  return false;
#endif
}

// Another program has cut off what we have mapped.
static void fe_pages_lost(int signal) {
  (void)signal;
  static const char text[] = "Error: a file became shorter while it was read, or cannot be read\n";
  ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
  _exit(1);
}
#endif

// Starts a thread that leaves signals to others, except those that it causes itself.
static int fe_start_thread(pthread_t *thread, void *(*start)(void *), void *argument) {
  sigset_t others, old;
  sigfillset(&others);
  sigdelset(&others, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &others, &old);
  int failed = pthread_create(thread, NULL, start, argument);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return failed;
}

// ---- Copying by several threads ----

enum { FE_TEAM = 16, FE_TEAM_BYTES = 1 << 20 };

// Threads that help the one that reads. Whoever has work calls `fe_team_do`, one at a time.
struct fe_team {
  pthread_t threads[FE_TEAM];
  int size; // without the one that calls
  pthread_mutex_t lock;
  pthread_cond_t change;
  void (*work)(void *argument, int part, int parts);
  void *argument;
  int next, parts, left; // parts that are to be begun, and to be done
  bool stop;
};

// Does what is left; the lock is held.
static void fe_team_help(struct fe_team *team) {
  while (team->next < team->parts) {
    int part = team->next++;
    pthread_mutex_unlock(&team->lock);
    team->work(team->argument, part, team->parts);
    pthread_mutex_lock(&team->lock);
    if (--team->left == 0) {
      pthread_cond_broadcast(&team->change);
    }
  }
}

static void *fe_team_member(void *argument) {
  struct fe_team *team = argument;
  pthread_mutex_lock(&team->lock);
  while (!team->stop) {
    fe_team_help(team);
    if (!team->stop) {
      pthread_cond_wait(&team->change, &team->lock);
    }
  }
  pthread_mutex_unlock(&team->lock);
  return NULL;
}

static void fe_team_start(struct fe_team *team) {
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->change, NULL);
#if defined(FE_GPU) || defined(FE_MULTICORE)
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef FE_GPU
  long helpers = cores - 3; // besides those that read, write and wait for the device
#else
  long helpers = cores / 2 - 1;
#endif
  for (long i = 0; i < helpers && i < FE_TEAM; i++) {
    if (fe_start_thread(&team->threads[team->size], fe_team_member, team) == 0) {
      team->size++;
    }
  }
#endif
}

static void fe_team_end(struct fe_team *team) {
  pthread_mutex_lock(&team->lock);
  team->stop = true;
  pthread_cond_broadcast(&team->change);
  pthread_mutex_unlock(&team->lock);
  for (int i = 0; i < team->size; i++) {
    pthread_join(team->threads[i], NULL);
  }
  pthread_mutex_destroy(&team->lock);
  pthread_cond_destroy(&team->change);
}

// How many parts some bytes are worth.
static int fe_team_parts(const struct fe_team *team, size_t bytes) {
  size_t parts = bytes / FE_TEAM_BYTES;
  return team->size == 0 || parts < 2 ? 1 : parts > 4 * FE_TEAM ? 4 * FE_TEAM : (int)parts;
}

// Does all parts of something, and waits until they are done.
static void fe_team_do(struct fe_team *team, void (*work)(void *argument, int part, int parts), void *argument, int parts) {
  if (parts == 1) {
    work(argument, 0, 1);
    return;
  }
  pthread_mutex_lock(&team->lock);
  team->work = work;
  team->argument = argument;
  team->next = 0;
  team->parts = team->left = parts;
  pthread_cond_broadcast(&team->change);
  fe_team_help(team);
  while (team->left > 0) {
    pthread_cond_wait(&team->change, &team->lock);
  }
  pthread_mutex_unlock(&team->lock);
}

struct fe_team_copy {
  unsigned char *to;
  const unsigned char *from;
  size_t bytes;
};

static void fe_team_copy_part(void *argument, int part, int parts) {
  struct fe_team_copy *copy = argument;
  size_t each = copy->bytes / (size_t)parts, from = each * (size_t)part;
  memcpy(copy->to + from, copy->from + from, part + 1 == parts ? copy->bytes - from : each);
}
