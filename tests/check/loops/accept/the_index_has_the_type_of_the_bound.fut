def f (n: u8) : u8 = loop acc = 0 for i < n do acc + i
