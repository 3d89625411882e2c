-- As many dimensions as somebody may want, of sizes that are known at run time only.
-- ==
-- entry: elements
-- input { [[[[[[[[[[1, 2]]]]]]]]]] } output { [[[[[[[[[[2, 3]]]]]]]]]] }
entry elements (xs: [][][][][][][][][][]i32) =
  map (map (map (map (map (map (map (map (map (map (+ 1)))))))))) xs

-- ==
-- entry: sums
-- input { [[[[[[[[[[1, 2]]]]]]]]]] } output { 3 }
entry sums (xs: [][][][][][][][][][]i32) =
  (\x8 ->
     i32.sum (map (\x7 ->
                     i32.sum (map (\x6 ->
                                     i32.sum (map (\x5 ->
                                                     i32.sum (map (\x4 ->
                                                                     i32.sum (map (\x3 ->
                                                                                     i32.sum (map (\x2 ->
                                                                                                     i32.sum (map (\x1 ->
                                                                                                                     i32.sum (map (\x0 ->
                                                                                                                                     i32.sum (map i32.sum
                                                                                                                                                  x0))
                                                                                                                                  x1))
                                                                                                                  x2))
                                                                                                  x3))
                                                                                  x4))
                                                                  x5))
                                                  x6))
                                  x7))
                  x8)) xs

-- ==
-- entry: turned
-- input { [[[[[[[[[[1, 2]]]]]]]]]] } output { [[[[[[[[[[1]]]]]]]]], [[[[[[[[[2]]]]]]]]]] }
entry turned (xs: [][][][][][][][][][]i32) =
  copy (transpose (map (\x0 ->
                          transpose (map (\x1 ->
                                            transpose (map (\x2 ->
                                                              transpose (map (\x3 ->
                                                                                transpose (map (\x4 ->
                                                                                                  transpose (map (\x5 ->
                                                                                                                    transpose (map (\x6 ->
                                                                                                                                      transpose (map (\x7 ->
                                                                                                                                                        transpose x7)
                                                                                                                                                     x6))
                                                                                                                                   x5))
                                                                                                                 x4))
                                                                                               x3))
                                                                             x2))
                                                           x1))
                                         x0))
                       xs))
