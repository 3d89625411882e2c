-- error: not-consumable

type~ box = {items: []i32}

def through ({items}: box) : box = {items}

def main (items: []i32) =
  let {items = out} = through {items}
  in out with [0] = 0
