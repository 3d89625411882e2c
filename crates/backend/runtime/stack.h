// How far recursion may go: a program that calls itself too often ends with a message, not with a fault. Only programs with
// functions that call themselves have this part, and only those functions ask.
//
// Each thread finds out once where its stack ends: the main thread, threads of ours, and those of whoever calls the library.

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <sys/resource.h>
#endif

// What must be left of the stack, for everything that a function does before it calls itself again, and for the message.
#define FE_STACK_RESERVE ((size_t)192 * 1024)

// The address below which the stack of this thread is nearly used up; NULL before it was asked for.
static _Thread_local char *fe_stack_end;

#ifdef __linux__
// In older C libraries this is in the library of threads, which a program of one thread is not linked with.
extern int pthread_getattr_np(pthread_t, pthread_attr_t *) __attribute__((weak));
#endif

FE_COLD static char *fe_stack_find(char *here) {
  // Where nothing is known, half a megabyte from here on is little enough.
  char *lowest = here - (size_t)512 * 1024;
#ifdef __linux__
  pthread_attr_t attributes;
  struct rlimit limit;
  if (&pthread_getattr_np != NULL) {
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      void *address = NULL;
      size_t size = 0;
      if (pthread_attr_getstack(&attributes, &address, &size) == 0 && address != NULL) {
        lowest = address;
      }
      pthread_attr_destroy(&attributes);
    }
  } else if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    // The one thread, whose stack has hardly begun.
    lowest = here - (size_t)(limit.rlim_cur - limit.rlim_cur / 8);
  }
#elif defined(__APPLE__)
  lowest = (char *)pthread_get_stackaddr_np(pthread_self()) - pthread_get_stacksize_np(pthread_self());
#endif
  size_t left = here > lowest ? (size_t)(here - lowest) : 0;
  size_t reserve = left / 2 < FE_STACK_RESERVE ? left / 2 : FE_STACK_RESERVE;
  return lowest + reserve;
}

// Whether a function that calls itself should rather not. Stacks grow downwards wherever this runs.
static inline bool fe_stack_low(void) {
#if defined(__GNUC__)
  char *here = __builtin_frame_address(0);
#else
  char local = 0;
  char *here = &local;
#endif
  if (fe_stack_end == NULL) {
    fe_stack_end = fe_stack_find(here);
  }
  return here < fe_stack_end;
}
