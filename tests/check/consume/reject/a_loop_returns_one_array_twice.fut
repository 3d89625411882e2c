-- error: unique-return-aliased

def main (n: i64) : (*[]i64, *[]i64) =
  let (a, b) =
    loop _ = (iota 3, iota 3) for _i < n do
      let t = iota 3
      in (t, t)
  in (a, b)
