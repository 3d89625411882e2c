// Elements on their way to a device: several threads read them, each into a small buffer that the device reaches, and send it at once.
//
// So nothing of a chunk stays in our memory, reading and copying overlap within a chunk as well, and there is little of the memory
// that takes long to get. A buffer is filled again once the copy of what it had has arrived. Copies of 2 MiB are at 93% of the speed of large
// ones on PCIe 5.

#ifdef FE_GPU

enum { FE_PARCELS = 32, FE_PARCEL_BYTES = 1 << 21 };

struct fe_parcel {
  pthread_mutex_t lock; // held while it is filled and sent
  unsigned char *memory;
  bool reached; // by the device, without help
  void *sent; // the event that its copy has arrived; NULL: it is free
};

struct fe_courier {
  struct futhark_context *ctx;
  struct fe_team *team;
  int count; // of parcels
  struct fe_parcel parcels[FE_PARCELS];
  pthread_mutex_t lock; // of the second queue
  int64_t next;
  // Nanoseconds of all threads together: for reading, and for copies that had not arrived.
  int64_t reading, waiting;
};

// Fills memory with some bytes of what is to be sent, from a place on; 0, or an error number.
typedef int fe_fill(void *argument, unsigned char *to, size_t from, size_t bytes);

// `limit`: the bytes of the whole run if they are bounded, or 0.
static void fe_courier_start(struct fe_courier *courier, struct futhark_context *ctx, struct fe_team *team, int64_t limit) {
  int64_t most = limit / 4 / FE_PARCEL_BYTES;
  courier->ctx = ctx;
  courier->team = team;
  courier->count = limit <= 0 || most > FE_PARCELS ? FE_PARCELS : most < 1 ? 1 : (int)most;
  pthread_mutex_init(&courier->lock, NULL);
  for (int i = 0; i < courier->count; i++) {
    pthread_mutex_init(&courier->parcels[i].lock, NULL);
  }
}

// Waits until the memory of a parcel is free; its lock is held, or nobody else is there.
static void fe_parcel_await(struct fe_courier *courier, struct fe_parcel *parcel) {
  if (parcel->sent != NULL) {
    fe_driver_arrived(courier->ctx, parcel->sent);
    parcel->sent = NULL;
  }
}

static void fe_courier_end(struct fe_courier *courier) {
  for (int i = 0; i < courier->count; i++) {
    struct fe_parcel *parcel = &courier->parcels[i];
    fe_parcel_await(courier, parcel);
    if (parcel->reached) {
      fe_driver_leave(courier->ctx, parcel->memory);
    }
    free(parcel->memory);
    pthread_mutex_destroy(&parcel->lock);
  }
  pthread_mutex_destroy(&courier->lock);
}

struct fe_delivery {
  struct fe_courier *courier;
  unsigned char *to; // on the device
  size_t bytes;
  fe_fill *fill;
  void *argument;
  int error; // of any part
};

static int fe_deliver_parcel(struct fe_delivery *all, struct fe_parcel *parcel, size_t from, size_t bytes) {
  struct fe_courier *courier = all->courier;
  int64_t start = fe_now();
  fe_parcel_await(courier, parcel);
  if (parcel->memory == NULL) {
    // Aligned, it can be one large page.
    parcel->memory = aligned_alloc(FE_PARCEL_BYTES, FE_PARCEL_BYTES);
    if (parcel->memory == NULL) {
      return ENOMEM;
    }
#ifdef MADV_HUGEPAGE
    madvise(parcel->memory, FE_PARCEL_BYTES, MADV_HUGEPAGE);
#endif
    memset(parcel->memory, 0, FE_PARCEL_BYTES);
    parcel->reached = fe_driver_reach(courier->ctx, parcel->memory, FE_PARCEL_BYTES);
  }
  int64_t begun = fe_now();
  int error = all->fill(all->argument, parcel->memory, from, bytes);
  int64_t end = fe_now();
  __atomic_fetch_add(&courier->waiting, begun - start, __ATOMIC_RELAXED);
  __atomic_fetch_add(&courier->reading, end - begun, __ATOMIC_RELAXED);
  if (error != 0) {
    return error;
  }
  pthread_mutex_lock(&courier->lock);
  bool sent = fe_driver_send(courier->ctx, all->to + from, parcel->memory, bytes);
  parcel->sent = sent ? fe_driver_sent(courier->ctx) : NULL;
  pthread_mutex_unlock(&courier->lock);
  return parcel->sent == NULL ? EIO : 0;
}

static void fe_delivery_part(void *argument, int part, int parts) {
  struct fe_delivery *all = argument;
  struct fe_courier *courier = all->courier;
  size_t from = (size_t)part * FE_PARCEL_BYTES;
  size_t bytes = part + 1 == parts ? all->bytes - from : (size_t)FE_PARCEL_BYTES;
  int64_t number = __atomic_fetch_add(&courier->next, 1, __ATOMIC_RELAXED);
  struct fe_parcel *parcel = &courier->parcels[number % courier->count];
  pthread_mutex_lock(&parcel->lock);
  int error = __atomic_load_n(&all->error, __ATOMIC_RELAXED);
  error = error != 0 ? error : fe_deliver_parcel(all, parcel, from, bytes);
  pthread_mutex_unlock(&parcel->lock);
  if (error != 0) {
    __atomic_store_n(&all->error, error, __ATOMIC_RELAXED);
  }
}

// Whether the elements of a buffer can be delivered: there is room for them, it is worth it, and nobody has to look at them here.
static bool fe_courier_takes(const struct fe_courier *courier, struct fe_buffer *buffer, const struct fe_prim *prim, size_t bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return false;
#endif
  return courier != NULL && buffer->ctx != NULL && bytes >= FE_PARCEL_BYTES && bytes / FE_PARCEL_BYTES < INT32_MAX
         && prim->class_ != FE_BOOL && fe_buffer_want_device(buffer, bytes);
}

// Reads the elements of a buffer and sends them. They are on the device when what was sent has arrived. 0, or an error number.
static int fe_courier_deliver(struct fe_courier *courier, struct fe_buffer *buffer, size_t bytes, fe_fill *fill, void *argument) {
  struct fe_delivery all = {courier, buffer->device, bytes, fill, argument, 0};
  fe_team_do(courier->team, fe_delivery_part, &all, (int)((bytes + FE_PARCEL_BYTES - 1) / FE_PARCEL_BYTES));
  buffer->data = NULL;
  buffer->delivered = all.error == 0;
  return all.error;
}

#endif
