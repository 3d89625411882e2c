-- error: higher-order-entry
entry apply (f: i32 -> i32) : i32 = f 1
