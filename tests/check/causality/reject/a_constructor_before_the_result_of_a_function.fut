-- error: causality-check
type option 'a = #none | #some a

def positive (xs: []i32) : ?[n].[n]i32 = filter (> 0) xs

def choose c t f = if c then t () else f ()

def f (c: bool) (xs: []i32) : option ([]i32) =
  choose c (\() -> #none) (\() -> #some (positive xs))
