def x = 70000i16
