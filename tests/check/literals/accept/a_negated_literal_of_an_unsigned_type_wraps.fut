def x = -1u8
