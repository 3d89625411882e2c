-- | Chunked computation: all the parallelism there is, and an efficient
-- sequential version of what the machine cannot use.

-- | Functions on arrays that are cut into chunks.
--
-- The compiler cuts the input wherever it likes: into single elements, into one
-- piece for each thread, or not at all. The chunk function gets the size of its
-- chunk and the chunk itself, which is never empty, and may treat it
-- sequentially, for example with a cheap recurrence after a costly first
-- element. It must be such that the result does not depend on the cut; nothing
-- checks that. With an empty input it is never called.
module stream = {
  -- | Apply the function to every chunk, and concatenate the results.
  def map [n] 'a 'b (f: (m: i64) -> [m]a -> [m]b) (as: [n]a) : *[n]b =
    intrinsics.stream_map f as

  -- | Start every chunk from `ne`, combine the accumulators of all chunks in
  -- order with the associative operator `op`, and concatenate the array results.
  -- Returns `ne` and an empty array for empty input. The chunk function owns its
  -- accumulator, and may update it in place.
  def red [n] 'a 'b 'c (op: a -> a -> a) (f: (m: i64) -> *a -> [m]b -> (a, [m]c)) (ne: a) (bs: [n]b)
      : (*a, *[n]c) =
    intrinsics.stream_red op f ne bs

  -- | As `red`, for an operator that is also commutative: the chunks need not be
  -- contiguous, and their accumulators are combined in any order. The array
  -- result keeps the order of the input.
  def red_comm [n] 'a 'b 'c (op: a -> a -> a) (f: (m: i64) -> *a -> [m]b -> (a, [m]c)) (ne: a) (bs: [n]b)
      : (*a, *[n]c) =
    intrinsics.stream_red_comm op f ne bs

  -- | Treat the chunks one after the other, handing the accumulator on from each
  -- to the next. Only the parallelism inside the function remains. Returns
  -- `init` and an empty array for empty input.
  def seq [n] 'a 'b 'c (f: (m: i64) -> *a -> [m]b -> (a, [m]c)) (init: a) (bs: [n]b) : (*a, *[n]c) =
    intrinsics.stream_seq f init bs
}
