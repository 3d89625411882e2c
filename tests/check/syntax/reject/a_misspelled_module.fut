-- error: unexpected-token
modul m = { def x = 1 }
