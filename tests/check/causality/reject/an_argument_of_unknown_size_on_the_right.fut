-- error: causality-check
def ap [n] (_: [n]i32 -> i32) (_: [n]i32) = 0i32
def f (xs: []i32) = (\(e: []([]i32)) -> e) [] |> \e -> e ++ [filter (> 0) xs]
