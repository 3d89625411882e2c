// prog imp
//
// fun control(n.0: i64, c.1: bool) -> (a.2: i64, z.3: i64) {
//   comment "what is\nthere \\"
//   if eq_i64(n.0, 0) {
//     a.2 = 10
//   } else {
//     if eq_i64(n.0, 1) {
//       a.2 = 20
//     } else {
//       if eq_i64(n.0, 2) {
//       } else {
//         a.2 = 30
//       }
//     }
//   }
//   switch n.0 {
//   case -1 {
//     z.3 = 1
//   }
//   case 2 {
//     z.3 = 2
//   }
//   default {
//     z.3 = 3
//   }
//   }
//   switch c.1 {
//   case false {
//     z.3 = add_i64(z.3, 10)
//   }
//   default {
//     z.3 = add_i64(z.3, 20)
//   }
//   }
//   var end.4: i64 = 4
//   for i.5 = 0 .. end.4 by 2 {
//     end.4 = add_i64(end.4, 1)
//     a.2 = add_i64(a.2, i.5)
//   }
//   while lt_i64(a.2, 100) {
//     a.2 = add_i64(a.2, a.2)
//   }
//   for k.6: u8 = 250u8 .. 255u8 {
//     z.3 = add_i64(z.3, u8_to_i64(k.6))
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_control(struct futhark_context *ctx, int64_t *out_a, int64_t *out_z, int64_t n, bool c) {
  int64_t a = 0;
  int64_t z = 0;
  // what is there
  if (n == 0) {
    a = 10;
  } else if (n == 1) {
    a = 20;
  } else if (n != 2) {
    a = 30;
  }
  switch (n) {
  case -1: {
    z = 1;
    break;
  }
  case 2: {
    z = 2;
    break;
  }
  default: {
    z = 3;
    break;
  }
  }
  if (c) {
    z = fe_add_i64(z, 20);
  } else {
    z = fe_add_i64(z, 10);
  }
  int64_t end = 4;
  const int64_t i_end = end;
  for (int64_t i = 0; i < i_end; i += 2) {
    end = fe_add_i64(end, 1);
    a = fe_add_i64(a, i);
  }
  while (a < 100) {
    a = fe_add_i64(a, a);
  }
  for (uint8_t k = 250; k < 255; k++) {
    z = fe_add_i64(z, (int64_t)k);
  }
  *out_a = a;
  *out_z = z;
  return 0;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
