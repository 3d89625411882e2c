-- Counts what a text of any size consists of: lines, words, bytes, and how often each letter occurs.
--
--     fehu multicore words.fut
--     ./words --in lines=access.log --memory-limit 64MB
-- ==
-- input { [5i64, 0i64, 8i64] [97u8, 32u8, 98u8, 98u8, 32u8, 99u8, 97u8, 116u8, 32u8, 68u8, 111u8, 103u8, 115u8] }
-- output { 3i64 4i64 16i64
--          [2i64, 2i64, 1i64, 1i64, 0i64, 0i64, 1i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64,
--           0i64, 1i64, 0i64, 0i64, 0i64, 1i64, 1i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64] }

def is_space (c: u8) : bool = c == ' ' || (c >= 9 && c <= 13)

def words [n] (line: [n]u8) : i64 =
  let begins i = !is_space line[i] && (i == 0 || is_space line[i - 1])
  in i64.sum (map (\i -> i64.bool (begins i)) (iota n))

-- The number of a letter, or one that the histogram ignores.
def letter (c: u8) : i64 =
  if c >= 'a' && c <= 'z'
  then i64.u8 (c - 'a')
  else if c >= 'A' && c <= 'Z'
  then i64.u8 (c - 'A')
  else -1

entry main (lines: seq ([]u8)) : (i64, i64, i64, [26]i64) =
  ( seq.length lines
  , seq.reduce (+) 0 (seq.map words lines)
  , seq.reduce (+) 0 (seq.map (\line -> length line + 1) lines)
  , seq.hist (+) 0 26 (seq.map (\c -> (letter c, 1)) (seq.flat lines))
  )
