// The primitive types, for whoever has tables of types or of steps.

FE_SHARED_DEFINED const struct fe_prim fe_prim_i8 = {"i8", FE_SIGNED, 1, "  i8"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_i16 = {"i16", FE_SIGNED, 2, " i16"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_i32 = {"i32", FE_SIGNED, 4, " i32"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_i64 = {"i64", FE_SIGNED, 8, " i64"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_u8 = {"u8", FE_UNSIGNED, 1, "  u8"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_u16 = {"u16", FE_UNSIGNED, 2, " u16"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_u32 = {"u32", FE_UNSIGNED, 4, " u32"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_u64 = {"u64", FE_UNSIGNED, 8, " u64"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_f16 = {"f16", FE_FLOAT, 2, " f16"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_f32 = {"f32", FE_FLOAT, 4, " f32"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_f64 = {"f64", FE_FLOAT, 8, " f64"};
FE_SHARED_DEFINED const struct fe_prim fe_prim_bool = {"bool", FE_BOOL, 1, "bool"};
