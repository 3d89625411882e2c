-- The word of a dictionary whose MD5 hash is given: words are arrays of differing sizes, of at most 55 bytes.
-- ==
-- entry: agree
-- nobench input { 1000i64 } output { true }

-- ==
-- entry: known
-- nobench input { [97u8, 98u8, 99u8] } output { [0x98500190u32, 0xb04fd23cu32, 0x7d3f96d6u32, 0x727fe128u32] }

-- ==
-- entry: sequences arrays
-- "1M words" notest script input { words 1000000i64 }

def shifts : [16]u32 = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

def sines : [64]u32 =
  map (\i -> u32.f64 (f64.abs (f64.sin (f64.i64 (i + 1))) * 4294967296)) (iota 64)

def md5 [n] (word: [n]u8) : (u32, u32, u32, u32) =
  let byte (i: i64) : u32 =
    if i < n then u32.u8 word[i]
    else if i == n then 0x80
    else if i == 56 then u32.i64 (n * 8) & 255
    else if i == 57 then u32.i64 (n * 8) >> 8
    else 0
  let block (g: i64) : u32 =
    byte (4 * g) | byte (4 * g + 1) << 8 | byte (4 * g + 2) << 16 | byte (4 * g + 3) << 24
  let (a, b, c, d) =
    loop (a, b, c, d) = (0x67452301u32, 0xefcdab89u32, 0x98badcfeu32, 0x10325476u32) for i < 64 do
      let (f, g) =
        if i < 16 then ((b & c) | (!b & d), i)
        else if i < 32 then ((d & b) | (!d & c), (5 * i + 1) % 16)
        else if i < 48 then (b ^ c ^ d, (3 * i + 5) % 16)
        else (c ^ (b | !d), (7 * i) % 16)
      let f = f + a + sines[i] + block g
      let s = shifts[i / 16 * 4 + i % 4]
      in (d, b + (f << s | f >> (32 - s)), b, c)
  in (a + 0x67452301, b + 0xefcdab89, c + 0x98badcfe, d + 0x10325476)

entry known [n] (word: [n]u8) : [4]u32 = let (a, b, c, d) = md5 word in [a, b, c, d]

-- Sizes, bytes, and the hash of the last word.
entry words (n: i64) : ?[m].([n]i64, [m]u8, [4]u32) =
  let sizes = map (\i -> 4 + i * 7 % 9) (iota n)
  let m = i64.sum sizes
  let bytes = map (\i -> u8.i64 (97 + (i * 2654435761 >> 13) % 26)) (iota m)
  in (sizes, bytes, known bytes[m - sizes[n - 1]:])

entry sequences [n] [m] (sizes: [n]i64) (bytes: [m]u8) (hash: [4]u32) : i64 =
  seq.of_segments sizes bytes
  |> seq.map (\word ->
                let (a, b, c, d) = md5 word
                in a == hash[0] && b == hash[1] && c == hash[2] && d == hash[3])
  |> seq.enumerate
  |> seq.map (\(i, found) -> if found then i else -1)
  |> seq.reduce i64.max (-1)

entry arrays [n] [m] (sizes: [n]i64) (bytes: [m]u8) (hash: [4]u32) : i64 =
  let ends = scan (+) 0 sizes
  in i64.maximum (map3 (\i size end ->
                          let (a, b, c, d) = md5 bytes[end - size:end]
                          in if a == hash[0] && b == hash[1] && c == hash[2] && d == hash[3] then i
                             else -1)
                       (iota n)
                       sizes
                       ends)

entry agree (n: i64) : bool =
  let (sizes, bytes, hash) = words n
  let a = sequences sizes bytes hash
  in a == arrays sizes bytes hash && a >= 0
