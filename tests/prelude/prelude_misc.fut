-- What the root of the prelude defines itself; and files of the prelude can be imported.
-- ==
-- entry: values
-- input { 5 true } output { 5 5 false }

-- ==
-- entry: shadowed
-- input { [1, 2, 3] } output { 6 }

import "/prelude/soacs"

entry values (x: i32) (b: bool) : (i32, i32, bool) = (opaque x, trace x, not b)

-- Names of the prelude may be defined anew.
def sum (xs: []i32) = reduce (+) 0 xs
def id = sum

entry shadowed (xs: []i32) : i32 = id xs
