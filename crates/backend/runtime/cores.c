// How many threads may run at the same time: the cores in the affinity mask of this process, or fewer if its control
// group has a quota, as containers do. More threads than that would only wait for each other.

#if defined(FE_MULTICORE) && defined(FE_THREADS)

// A number at the start of a line of a small file; -1 if there is none ("max" means no limit).
static long fe_read_number(const char *path, long *second) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return -1;
  }
  char line[64];
  long first = -1;
  if (fgets(line, sizeof line, file) != NULL) {
    char *end;
    long value = strtol(line, &end, 10);
    if (end != line) {
      first = value;
      if (second != NULL) {
        *second = strtol(end, NULL, 10);
      }
    }
  }
  fclose(file);
  return first;
}

// The quota in cores, rounded up; 0 if there is none.
static long fe_cores_of_quota(void) {
  long period = 0;
  long quota = fe_read_number("/sys/fs/cgroup/cpu.max", &period);
  if (quota <= 0) {
    quota = fe_read_number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", NULL);
    period = fe_read_number("/sys/fs/cgroup/cpu/cpu.cfs_period_us", NULL);
  }
  return quota > 0 && period > 0 ? (quota - 1) / period + 1 : 0;
}

static int fe_cores(void) {
  long cores = 0;
#ifdef CPU_COUNT
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    cores = CPU_COUNT(&mask);
  }
#endif
  if (cores <= 0) {
    cores = sysconf(_SC_NPROCESSORS_ONLN);
  }
  long quota = fe_cores_of_quota();
  if (quota > 0 && quota < cores) {
    cores = quota;
  }
  return cores < 1 ? 1 : cores > FE_MAX_THREADS ? FE_MAX_THREADS : (int)cores;
}

#endif
