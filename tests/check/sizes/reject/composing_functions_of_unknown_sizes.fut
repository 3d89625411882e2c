-- error: ambiguous-size
-- error: existential-param-ret
-- error: ambiguous-size
def f (xs: []i32) = (filter (> 0) >-> length) xs
