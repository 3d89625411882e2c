// What a process has asked the C library for at the worst moment: `memory.py` loads this into servers (LD_PRELOAD), so that both sides are
// counted alike, whatever they count themselves. The peak, in bytes, is in the file $HEAP_OUT.PID at any time: servers are killed.
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// The functions of the GNU C library that the ones below stand for.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Atomic long live, before_file;
static _Atomic long *peak = &before_file;

static void count(long bytes) {
  long now = atomic_fetch_add(&live, bytes) + bytes, most = *peak;
  while (now > most && !atomic_compare_exchange_weak(peak, &most, now)) {
  }
}

static long size(void *block) { return block ? (long)malloc_usable_size(block) : 0; }

static void *counted(void *block) {
  count(size(block));
  return block;
}

void *malloc(size_t bytes) { return counted(__libc_malloc(bytes)); }
void *calloc(size_t number, size_t bytes) { return counted(__libc_calloc(number, bytes)); }
void *aligned_alloc(size_t alignment, size_t bytes) { return counted(__libc_memalign(alignment, bytes)); }
void *memalign(size_t alignment, size_t bytes) { return counted(__libc_memalign(alignment, bytes)); }

int posix_memalign(void **out, size_t alignment, size_t bytes) {
  *out = counted(__libc_memalign(alignment, bytes));
  return *out ? 0 : 12; // ENOMEM
}

void *realloc(void *block, size_t bytes) {
  long old = size(block);
  void *other = __libc_realloc(block, bytes);
  if (other || bytes == 0)
    count(size(other) - old);
  return other;
}

void free(void *block) {
  count(-size(block));
  __libc_free(block);
}

__attribute__((constructor)) static void begin(void) {
  const char *out = getenv("HEAP_OUT");
  char name[4096];
  if (!out || snprintf(name, sizeof name, "%s.%d", out, (int)getpid()) >= (int)sizeof name)
    return;
  int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || ftruncate(file, sizeof(long)) != 0)
    return;
  _Atomic long *shared = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) {
    *shared = before_file;
    peak = shared;
  }
}
