-- A file comment.
def -- the name
  f -- the parameter
    (x: i32) -- the type
  : i32 = -- the body
  x -- the end
-- And one after it.
