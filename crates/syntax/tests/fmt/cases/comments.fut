-- Only a comment.   
-- ==>
-- Only a comment.
-- ====
-- | The file.

-- | The declaration,
-- two lines.
def x = 1 -- At the end.
-- After.

-- More after.
-- ==>
-- | The file.

-- | The declaration,
-- two lines.
def x = 1 -- At the end.
-- After.

-- More after.
-- ====
-- | The file, nothing else.

def x =
  -- Before the body.
  1
-- Between.


def y = -- After the sign.
  2
-- ==>
-- | The file, nothing else.

def x =
  -- Before the body.
  1
-- Between.

def y = -- After the sign.
  2
-- ====
def f = -- First.
  let x = 1 -- One.
  -- Before y.
  let y = 2 in -- Two.
  -- Before z.

  let z = -- Three.
    3
  -- Before in.
  in -- After in.
  x
-- ==>
def f = -- First.
  let x = 1 -- One.
  -- Before y.
  let y = 2 -- Two.
  -- Before z.

  let z = -- Three.
    3
  -- Before in.
  in -- After in.
     x
-- ====
def f = match x -- What.
  -- Before a.
  case #a -> 1 -- One.

  -- Before b.
  case #b -> -- Two.
    -- Before two.
    2
  -- After.
-- ==>
def f =
  match x -- What.
  -- Before a.
  case #a -> 1 -- One.

  -- Before b.
  case #b -> -- Two.
    -- Before two.
    2
-- After.
-- ====
def f = if a -- If.
  -- Before then.
  then b -- Then.
  -- Before else.
  else -- Else.
   c
def g = if a then b else -- Chain.
  if c then d else e
-- ==>
def f =
  if a -- If.
  -- Before then.
  then b -- Then.
  -- Before else.
  else -- Else.
    c
def g =
  if a then b
  else -- Chain.
    if c then d
    else e
-- ====
def f = [ -- Open.
  1, -- One.
  -- Before two.
  2 -- Two.
  , 3
  -- After.
  ]
def g = [ -- Nothing.
]
-- ==>
def f =
  [ -- Open.
    1, -- One.
    -- Before two.
    2, -- Two.
    3
    -- After.
  ]
def g =
  [ -- Nothing.
  ]
-- ====
def f = { a = 1, -- One.
  -- Before two.
  b = 2, -- Two.
  -- After.
  }
def g = ( a -- One.
  -- Before two.
  , b -- Two.
  )
-- ==>
def f =
  { a = 1 -- One.
  -- Before two.
  , b = 2 -- Two.
    -- After.
  }
def g =
  ( a -- One.
  -- Before two.
  , b -- Two.
  )
-- ====
def f = a + -- One.
  -- Before two.
  b -- Two.
  + c
def g = xs
  -- Before map.
  |> map f -- Map.
  |> -- What follows.
     sum
-- ==>
def f =
  a -- One.
  -- Before two.
  + b -- Two.
  + c
def g =
  xs
  -- Before map.
  |> map f -- Map.
  -- What follows.
  |> sum
-- ====
def f = g x -- One.
  -- Before two.
  y
  z -- Two.
def h = map (\x -> -- Lambda.
    x) -- End.
  xs
def i = map ( -- Open.
    x) xs
-- ==>
def f =
  g x -- One.
    -- Before two.
    y
    z -- Two.
def h =
  map (\x -> -- Lambda.
         x) -- End.
      xs
def i =
  map ( -- Open.
        x
      ) xs
-- ====
def f -- Name.
  (x: i32) -- First.
  -- Before second.
  (y: i32) -- Second.
  : i32 -- Type.
  = x
-- ==>
def f -- Name.
    (x: i32) -- First.
    -- Before second.
    (y: i32) -- Second.
    : i32 -- Type.
    = x
-- ====
def f = loop x = -- Start.
   1 -- One.
  -- Before for.
  for i < n -- For.
  do -- Do.
   x
def g = a -- A.
  with [i] = b -- B.
  with [j] -- J.
   = c
-- ==>
def f =
  loop x = -- Start.
    1 -- One.
  -- Before for.
  for i < n -- For.
  do -- Do.
    x
def g =
  a -- A.
    with [i] = b -- B.
    with [j] -- J.
    = c
-- ====
type t = -- T.
  #a -- A.
  | #b -- B.
  -- Before c.
  | #c i32
type r = { -- R.
  x: i32, -- X.
  y: i32 -- Y.
  -- End.
  }
type f = i32 -> -- First.
  i32
-- ==>
type t = -- T.
  #a -- A.
  | #b -- B.
  -- Before c.
  | #c i32
type r =
  { -- R.
    x: i32 -- X.
  , y: i32 -- Y.
    -- End.
  }
type f =
  i32 -- First.
  -> i32
-- ====
module m = { -- Open.
  -- | X.
  def x = 1 -- One.
  -- Before y.

  def y = 2
  -- End.
}
module type mt = {
  -- | X,
  -- and more.
  val x : i32 -- Int.
  -- End.

}
module n = -- N.
  m
module o = { -- Nothing.
}
-- ==>
module m = { -- Open.
  -- | X.
  def x = 1 -- One.
  -- Before y.

  def y = 2
  -- End.
}
module type mt = {
  -- | X,
  -- and more.
  val x : i32 -- Int.
  -- End.
}
module n = -- N.
  m
module o = { -- Nothing.
}
-- ====
local -- Local.
-- | Doc.
def x = 1
#[inline] -- Attribute.
def y = #[unroll] -- Here.
  f x
-- ==>
local -- Local.
-- | Doc.
def x = 1
#[inline] -- Attribute.
def y =
  #[unroll] -- Here.
  f x
-- ====
def f = - -- Minus.
  x
def g = r -- Record.
  .f -- Field.
  .g
def h = 1..< -- Range.
  n
def i = (x -- X.
  : i32 -- Type.
  )
-- ==>
def f =
  - -- Minus.
  x
def g =
  r -- Record.
  .f -- Field.
  .g
def h =
  1..< -- Range.
  n
def i =
  (x -- X.
   : i32 -- Type.
  )
-- ====
def f = a[ -- Open.
  1, -- One.
  2
]
def g = let (a, -- A.
   b) = x in a
-- ==>
def f =
  a[ -- Open.
    1, -- One.
    2
  ]
def g =
  let ( a -- A.
      , b
      ) = x
  in a
