-- error: use-after-consume

def main (dest: *[]i32) (is: []i64) (vs: []i32) =
  let out = scatter dest is vs
  in (out, dest[0])
