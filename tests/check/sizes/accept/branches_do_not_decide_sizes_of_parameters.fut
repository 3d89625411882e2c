-- What a branch yields says nothing about the sizes of what was bound before.

type option 'a = #none | #some a

def push (xs: []i32) (x: i32) : []i32 = if length xs > 10 then [x] else xs ++ [x]

def without_annotation xs (x: i32) = if length xs > 10 then [x] else xs ++ [x]

def rotated (o: option i32) (xs: []i32) =
  match o
  case #none -> tail xs
  case #some x -> xs ++ [x]

def transposed (b: bool) (xss: [][]i32) = if b then transpose xss else xss

-- An empty array and a constructor have the sizes of the other branch.
def emptied (b: bool) (xss: [][]i32) = if b then [] else xss

def wrapped (b: bool) (xs: []i32) : option ([]i32) = if b then #none else #some xs

entry main (xs: []i32) (xss: [][]i32) (b: bool) =
  let ys = push (push xs 1) 2
  let zs = without_annotation (without_annotation ys 1) 2
  let us = rotated #none (rotated (#some 1) zs)
  let n = match wrapped b us case #none -> 0 case #some vs -> length vs
  in (us, n, transposed b (emptied b (transposed b xss)))
