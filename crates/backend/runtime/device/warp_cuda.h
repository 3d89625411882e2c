// Threads of a warp exchange values without memory. All 32 lanes take part in each of these operations.

#define FE_WARP 32
#define FE_ALL_LANES 0xffffffffu

// The threads of each warp arrive, and see what these wrote to shared memory.
#define FE_WARP_BARRIER() __syncwarp(FE_ALL_LANES)
#define FE_IN_FIRST_WARP() (threadIdx.x < FE_WARP)


// fe_shuffle_down_TYPE(v, delta): the value of the lane that is `delta` above this one, or the own value if there is none;
// likewise from below (up), and of a given lane (at).
#define FE_SHUFFLE(NAME, TYPE, WORD, FROM, TO)                                                          \
  FE_DEVICE TYPE fe_shuffle_down_##NAME(TYPE v, int64_t delta) {                                        \
    return TO(__shfl_down_sync(FE_ALL_LANES, (WORD)FROM(v), (unsigned)delta));                          \
  }                                                                                                     \
  FE_DEVICE TYPE fe_shuffle_up_##NAME(TYPE v, int64_t delta) {                                          \
    return TO(__shfl_up_sync(FE_ALL_LANES, (WORD)FROM(v), (unsigned)delta));                            \
  }                                                                                                     \
  FE_DEVICE TYPE fe_shuffle_at_##NAME(TYPE v, int64_t lane) {                                           \
    return TO(__shfl_sync(FE_ALL_LANES, (WORD)FROM(v), (int)lane));                                     \
  }

#define FE_LANES(threads)
#define FE_SHUFFLE_DOWN(NAME, TYPE, to, delta, v) to = fe_shuffle_down_##NAME(v, delta)
#define FE_SHUFFLE_UP(NAME, TYPE, to, delta, v) to = fe_shuffle_up_##NAME(v, delta)
#define FE_SHUFFLE_AT(NAME, TYPE, to, lane, v) to = fe_shuffle_at_##NAME(v, lane)

#define FE_AS_IS(a) (a)
FE_SHUFFLE(i8, int8_t, int, FE_AS_IS, FE_AS_I8)
FE_SHUFFLE(i16, int16_t, int, FE_AS_IS, FE_AS_I16)
FE_SHUFFLE(i32, int32_t, int, FE_AS_IS, FE_AS_IS)
FE_SHUFFLE(i64, int64_t, long long, FE_AS_IS, FE_AS_IS)
FE_SHUFFLE(u8, uint8_t, unsigned, FE_AS_IS, FE_AS_U8)
FE_SHUFFLE(u16, uint16_t, unsigned, FE_AS_IS, FE_AS_U16)
FE_SHUFFLE(u32, uint32_t, unsigned, FE_AS_IS, FE_AS_IS)
FE_SHUFFLE(u64, uint64_t, unsigned long long, FE_AS_IS, FE_AS_IS)
FE_SHUFFLE(f16, FE_F16, unsigned, FE_AS_IS, FE_AS_U16)
FE_SHUFFLE(f32, float, float, FE_AS_IS, FE_AS_IS)
FE_SHUFFLE(f64, double, double, FE_AS_IS, FE_AS_IS)
FE_SHUFFLE(bool, bool, int, FE_AS_IS, FE_AS_BOOL)
