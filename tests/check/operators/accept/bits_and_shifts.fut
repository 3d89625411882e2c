def f (x: u32) : u32 = (x & 0xff | x ^ 1) << 2 >> 1
