-- error: return-aliased

type~ state = {size: i64, world: []i32}

def start (size: i64) : state = {size, world = replicate size 0}

def main (size: i64) (s: state) : *[]i32 =
  (start size with world = s.world).world
