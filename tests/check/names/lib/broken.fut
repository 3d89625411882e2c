def x = (1 +
