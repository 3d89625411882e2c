-- error: unexpected-character
def f = ﻿ 1i32
