-- | What the compiler itself provides, as one module type.
--
-- The checker makes a module `intrinsics` from these specifications. It is in
-- scope in every file of the prelude, and in user programs, where each use
-- draws a warning. The overloaded operators `+ - * / % ** // %% & | ^ << >> ==
-- != < <= > >=`, `!` and `neg` are members of that module too, but no type of
-- this language describes them, so they have no specification here.
--
-- Where a result has no `*`, it may alias every parameter that is not consumed.
--
-- The scalar operations follow one scheme: they take a tuple, work on signed
-- types, and bear their width at the end. Unsigned numbers pass through
-- `sign_iN` and `unsign_iN`, which cost nothing.

-- | Everything the compiler provides.
module type intrinsics = {
  -- | Apply a function to every element. Work O(n), span O(1).
  val map 'a 'b [n] : (f: a -> b) -> (as: [n]a) -> *[n]b

  -- | Combine all elements with an associative operator and its neutral element;
  -- `reduce_comm` may reorder them. Work O(n), span O(log n).
  val reduce 'a [n] : (op: a -> a -> a) -> (ne: a) -> (as: [n]a) -> *a
  val reduce_comm 'a [n] : (op: a -> a -> a) -> (ne: a) -> (as: [n]a) -> *a

  -- | All inclusive prefix reductions. Work O(n), span O(log n).
  val scan 'a [n] : (op: a -> a -> a) -> (ne: a) -> (as: [n]a) -> *[n]a

  -- | Stable reordering by class. The function says for each element which of k
  -- classes it belongs to; the result holds the elements by ascending class, and
  -- the size of each class. Elements of a class outside 0 to k - 1 are dropped:
  -- what the array holds after the counted elements is unspecified.
  -- Work O(n k), span O(log n).
  val partition 'a [n] : (k: i32) -> (class: a -> i64) -> (as: [n]a) -> ?[l].(*[n]a, *[l]i64)

  -- | Apply a function whose results differ in size. Returns the size of each
  -- piece, a flag for each element that begins a piece, the offset of each piece,
  -- the concatenation of all pieces, and the regular parts of the results.
  val flatmap 'a 'b 'c [n] :
    (f: a -> ?[k].([k]b, c)) -> (as: [n]a) -> ?[m].(*[n]i64, *[m]bool, *[n]i64, *[m]b, *[n]c)

  -- | Overwrite the elements at the given positions, ignoring those out of bounds.
  -- Which of several different values for one position wins is unspecified.
  -- Work O(l), span O(1).
  val scatter 'a [n] [l] : (dest: *[n]a) -> (is: [l]i64) -> (vs: [l]a) -> *[n]a
  val scatter_2d 'a [n] [m] [l] : (dest: *[n][m]a) -> (is: [l](i64, i64)) -> (vs: [l]a) -> *[n][m]a
  val scatter_3d 'a [n] [m] [k] [l] :
    (dest: *[n][m][k]a) -> (is: [l](i64, i64, i64)) -> (vs: [l]a) -> *[n][m][k]a

  -- | Combine values into the elements at the given positions with an associative
  -- and commutative operator, ignoring positions out of bounds. The race factor
  -- `rf` is a hint: by how much collisions are likelier than with uniformly
  -- distributed positions. Work O(n), span O(log n).
  val hist_1d 'a [n] [m] :
    (rf: i64) -> (dest: *[m]a) -> (op: a -> a -> a) -> (ne: a) -> (is: [n]i64) -> (vs: [n]a) -> *[m]a
  val hist_2d 'a [n] [m] [k] :
    (rf: i64) -> (dest: *[m][k]a) -> (op: a -> a -> a) -> (ne: a)
    -> (is: [n](i64, i64)) -> (vs: [n]a) -> *[m][k]a
  val hist_3d 'a [n] [m] [k] [l] :
    (rf: i64) -> (dest: *[m][k][l]a) -> (op: a -> a -> a) -> (ne: a)
    -> (is: [n](i64, i64, i64)) -> (vs: [n]a) -> *[m][k][l]a

  -- | Sequences: see `seq.fut`. What yields a sequence computes nothing; `seq_fold` and `seq_array` read it, chunk by chunk.
  -- The functions for chunks get the size of the chunk. That of `seq_chunks` is also told whether it is the last, and may yield more
  -- or fewer elements than it got; nothing else may depend on how a sequence is cut, and an empty chunk changes nothing.
  -- `seq_blank` is an array for whose elements nothing is known.
  val seq_of_array 'a [n] : (as: [n]a) -> seq a
  val seq_of_segments 'a [n] [m] : (sizes: [n]i64) -> (values: [m]a) -> seq ([]a)
  val seq_map '~a '~b : (f: a -> b) -> (as: seq a) -> seq b
  val seq_zip '~a '~b : (as: seq a) -> (bs: seq b) -> seq (a, b)
  val seq_enumerate '~a : (as: seq a) -> seq (i64, a)
  val seq_filter '~a : (p: a -> bool) -> (as: seq a) -> seq a
  val seq_flat 'a : (as: seq ([]a)) -> seq a
  val seq_chunks 's 'a 'b :
    (f: (m: i64) -> (last: bool) -> s -> [m]a -> ?[k].(s, [k]b)) -> (s: s) -> (as: seq a) -> seq b
  val seq_carry 's 'a 'b :
    (f: (m: i64) -> (last: bool) -> s -> [m]a -> (s, [m]b)) -> (s: s) -> (as: seq a) -> seq b
  -- `seq_pieces` gets the values that the chunk before has left, and yields the sizes of pieces, their values, and what it leaves.
  val seq_pieces 'a :
    (f: (m: i64) -> (last: bool) -> (c: i64) -> [c]a -> [m]a -> ?[g][t][r].([g]i64, [t]a, [r]a)) ->
    (none: [0]a) -> (as: seq a) -> seq ([]a)
  val seq_fold 's 'a : (f: (m: i64) -> *s -> [m]a -> s) -> (s: s) -> (as: seq a) -> *s
  val seq_array 'a : (as: seq a) -> *[]a
  val seq_blank 'a : (n: i64) -> *[n]a

  -- | Pair up two arrays, and separate the pairs again. Costs nothing at run time.
  val zip 'a 'b [n] : (as: [n]a) -> (bs: [n]b) -> *[n](a, b)
  val unzip 'a 'b [n] : (xs: [n](a, b)) -> (*[n]a, *[n]b)

  -- | Change of shape, in row-major order; the results are views of the argument.
  val flatten 'a [n] [m] : (xs: [n][m]a) -> [n * m]a
  val unflatten 'a : (n: i64) -> (m: i64) -> (xs: [n * m]a) -> [n][m]a
  val transpose 'a [n] [m] : (xs: [n][m]a) -> [m][n]a

  -- | One array after the other. Work O(n + m), span O(1).
  val concat 'a [n] [m] : (xs: [n]a) -> (ys: [m]a) -> *[n + m]a

  -- | The same value in memory of its own. `manifest` also stores every array in
  -- row-major order, even where the compiler would rather not.
  val copy '~a : (x: a) -> *a
  val manifest 'a : (x: a) -> *a

  -- | Views of a flat array by an offset and, for each dimension, an extent and a
  -- stride. A view that leaves the array is a run-time error.
  val flat_index_2d 'a [n] :
    (as: [n]a) -> (off: i64) -> (n1: i64) -> (s1: i64) -> (n2: i64) -> (s2: i64) -> [n1][n2]a
  val flat_index_3d 'a [n] :
    (as: [n]a) -> (off: i64) -> (n1: i64) -> (s1: i64) -> (n2: i64) -> (s2: i64)
    -> (n3: i64) -> (s3: i64) -> [n1][n2][n3]a
  val flat_index_4d 'a [n] :
    (as: [n]a) -> (off: i64) -> (n1: i64) -> (s1: i64) -> (n2: i64) -> (s2: i64)
    -> (n3: i64) -> (s3: i64) -> (n4: i64) -> (s4: i64) -> [n1][n2][n3][n4]a

  -- | Overwrite such a view, given by an offset and a stride for each dimension.
  val flat_update_2d 'a [n] [k] [l] :
    (as: *[n]a) -> (off: i64) -> (s1: i64) -> (s2: i64) -> (vs: [k][l]a) -> *[n]a
  val flat_update_3d 'a [n] [k] [l] [p] :
    (as: *[n]a) -> (off: i64) -> (s1: i64) -> (s2: i64) -> (s3: i64) -> (vs: [k][l][p]a) -> *[n]a
  val flat_update_4d 'a [n] [k] [l] [p] [q] :
    (as: *[n]a) -> (off: i64) -> (s1: i64) -> (s2: i64) -> (s3: i64) -> (s4: i64)
    -> (vs: [k][l][p][q]a) -> *[n]a

  -- | An accumulator: an array that can only be written to. The parameter is the
  -- type of the whole array. Not allowed inside arrays.
  type~ acc 't

  -- | Add one value to an accumulator, or do nothing if the index is out of bounds.
  val acc_write 'a [k] : (acc: *acc ([k]a)) -> (i: i64) -> (v: a) -> *acc ([k]a)

  -- | Let a function write to `dest` once for every element of `bs`, in parallel.
  -- With `scatter_stream` writes overwrite, with `hist_stream` they combine by an
  -- associative and commutative operator.
  val scatter_stream 'a 'b [k] [n] :
    (dest: *[k]a) -> (f: *acc ([k]a) -> b -> acc ([k]a)) -> (bs: [n]b) -> *[k]a
  val hist_stream 'a 'b [k] [n] :
    (dest: *[k]a) -> (op: a -> a -> a) -> (ne: a)
    -> (f: *acc ([k]a) -> b -> acc ([k]a)) -> (bs: [n]b) -> *[k]a

  -- | Chunked computation. The input is cut into pieces in any way the compiler
  -- likes, none of them empty, and the function is applied to each piece and its
  -- size; the array results are concatenated. `stream_red` and `stream_red_comm`
  -- start each piece from `ne` and combine the accumulators with `op` afterwards;
  -- `stream_seq` carries the accumulator from one piece to the next. The function
  -- owns the accumulator it gets and may update it in place. The result must not
  -- depend on the cut; nothing checks that.
  val stream_map 'a 'b [n] : (f: (m: i64) -> [m]a -> [m]b) -> (as: [n]a) -> *[n]b
  val stream_red 'a 'b 'c [n] :
    (op: a -> a -> a) -> (f: (m: i64) -> *a -> [m]b -> (a, [m]c)) -> (ne: a) -> (bs: [n]b) -> (*a, *[n]c)
  val stream_red_comm 'a 'b 'c [n] :
    (op: a -> a -> a) -> (f: (m: i64) -> *a -> [m]b -> (a, [m]c)) -> (ne: a) -> (bs: [n]b) -> (*a, *[n]c)
  val stream_seq 'a 'b 'c [n] :
    (f: (m: i64) -> *a -> [m]b -> (a, [m]c)) -> (init: a) -> (bs: [n]b) -> (*a, *[n]c)

  -- | Derivatives, forward and reverse, for one or several directions at once. The
  -- first component of the result is the value of the function itself.
  val jvp2 'a 'b : (f: a -> b) -> (x: a) -> (x': a) -> (b, b)
  val vjp2 'a 'b : (f: a -> b) -> (x: a) -> (y': b) -> (b, a)
  val jmp2 'a 'b [n] : (f: a -> b) -> (x: a) -> (xs': [n]a) -> (b, [n]b)
  val mjp2 'a 'b [n] : (f: a -> b) -> (x: a) -> (ys': [n]b) -> (b, [n]a)

  -- | Apply `f`; in reverse mode, `f'` makes the adjoint of the argument from the
  -- result and its adjoint.
  val with_vjp 'a 'b : (f: a -> b) -> (f': b -> b -> a) -> (x: a) -> b

  -- | Integer arithmetic, wrapping around. Division and modulus come in four
  -- forms: `div`/`mod` round towards negative infinity, `quot`/`rem` towards zero,
  -- `div_up` towards positive infinity; `u` treats the bits as unsigned. Dividing
  -- by zero is a run-time error. `pow` requires an exponent of at least zero.
  val add8 : (i8, i8) -> i8  val add16 : (i16, i16) -> i16  val add32 : (i32, i32) -> i32  val add64 : (i64, i64) -> i64
  val sub8 : (i8, i8) -> i8  val sub16 : (i16, i16) -> i16  val sub32 : (i32, i32) -> i32  val sub64 : (i64, i64) -> i64
  val mul8 : (i8, i8) -> i8  val mul16 : (i16, i16) -> i16  val mul32 : (i32, i32) -> i32  val mul64 : (i64, i64) -> i64
  val pow8 : (i8, i8) -> i8  val pow16 : (i16, i16) -> i16  val pow32 : (i32, i32) -> i32  val pow64 : (i64, i64) -> i64
  val sdiv8 : (i8, i8) -> i8  val sdiv16 : (i16, i16) -> i16  val sdiv32 : (i32, i32) -> i32  val sdiv64 : (i64, i64) -> i64
  val smod8 : (i8, i8) -> i8  val smod16 : (i16, i16) -> i16  val smod32 : (i32, i32) -> i32  val smod64 : (i64, i64) -> i64
  val squot8 : (i8, i8) -> i8  val squot16 : (i16, i16) -> i16  val squot32 : (i32, i32) -> i32  val squot64 : (i64, i64) -> i64
  val srem8 : (i8, i8) -> i8  val srem16 : (i16, i16) -> i16  val srem32 : (i32, i32) -> i32  val srem64 : (i64, i64) -> i64
  val sdiv_up8 : (i8, i8) -> i8  val sdiv_up16 : (i16, i16) -> i16  val sdiv_up32 : (i32, i32) -> i32
  val sdiv_up64 : (i64, i64) -> i64
  val udiv8 : (i8, i8) -> i8  val udiv16 : (i16, i16) -> i16  val udiv32 : (i32, i32) -> i32  val udiv64 : (i64, i64) -> i64
  val udiv_up8 : (i8, i8) -> i8  val udiv_up16 : (i16, i16) -> i16  val udiv_up32 : (i32, i32) -> i32
  val udiv_up64 : (i64, i64) -> i64
  val umod8 : (i8, i8) -> i8  val umod16 : (i16, i16) -> i16  val umod32 : (i32, i32) -> i32  val umod64 : (i64, i64) -> i64
  val smin8 : (i8, i8) -> i8  val smin16 : (i16, i16) -> i16  val smin32 : (i32, i32) -> i32  val smin64 : (i64, i64) -> i64
  val smax8 : (i8, i8) -> i8  val smax16 : (i16, i16) -> i16  val smax32 : (i32, i32) -> i32  val smax64 : (i64, i64) -> i64
  val umin8 : (i8, i8) -> i8  val umin16 : (i16, i16) -> i16  val umin32 : (i32, i32) -> i32  val umin64 : (i64, i64) -> i64
  val umax8 : (i8, i8) -> i8  val umax16 : (i16, i16) -> i16  val umax32 : (i32, i32) -> i32  val umax64 : (i64, i64) -> i64

  -- | Bit operations and shifts: `shl` left, `ashr` right with copies of the top
  -- bit, `lshr` right with zeros. A shift count outside 0 to width - 1 gives an
  -- unspecified value.
  val and8 : (i8, i8) -> i8  val and16 : (i16, i16) -> i16  val and32 : (i32, i32) -> i32  val and64 : (i64, i64) -> i64
  val or8 : (i8, i8) -> i8  val or16 : (i16, i16) -> i16  val or32 : (i32, i32) -> i32  val or64 : (i64, i64) -> i64
  val xor8 : (i8, i8) -> i8  val xor16 : (i16, i16) -> i16  val xor32 : (i32, i32) -> i32  val xor64 : (i64, i64) -> i64
  val shl8 : (i8, i8) -> i8  val shl16 : (i16, i16) -> i16  val shl32 : (i32, i32) -> i32  val shl64 : (i64, i64) -> i64
  val ashr8 : (i8, i8) -> i8  val ashr16 : (i16, i16) -> i16  val ashr32 : (i32, i32) -> i32  val ashr64 : (i64, i64) -> i64
  val lshr8 : (i8, i8) -> i8  val lshr16 : (i16, i16) -> i16  val lshr32 : (i32, i32) -> i32  val lshr64 : (i64, i64) -> i64
  val complement8 : i8 -> i8  val complement16 : i16 -> i16  val complement32 : i32 -> i32  val complement64 : i64 -> i64

  -- | Integer comparisons, `s` signed, `u` unsigned.
  val eq_i8 : (i8, i8) -> bool  val eq_i16 : (i16, i16) -> bool  val eq_i32 : (i32, i32) -> bool
  val eq_i64 : (i64, i64) -> bool
  val slt8 : (i8, i8) -> bool  val slt16 : (i16, i16) -> bool  val slt32 : (i32, i32) -> bool  val slt64 : (i64, i64) -> bool
  val sle8 : (i8, i8) -> bool  val sle16 : (i16, i16) -> bool  val sle32 : (i32, i32) -> bool  val sle64 : (i64, i64) -> bool
  val ult8 : (i8, i8) -> bool  val ult16 : (i16, i16) -> bool  val ult32 : (i32, i32) -> bool  val ult64 : (i64, i64) -> bool
  val ule8 : (i8, i8) -> bool  val ule16 : (i16, i16) -> bool  val ule32 : (i32, i32) -> bool  val ule64 : (i64, i64) -> bool

  -- | Negation, absolute value (of the least value: itself) and sign (-1, 0 or 1).
  val neg_i8 : i8 -> i8  val neg_i16 : i16 -> i16  val neg_i32 : i32 -> i32  val neg_i64 : i64 -> i64
  val abs8 : i8 -> i8  val abs16 : i16 -> i16  val abs32 : i32 -> i32  val abs64 : i64 -> i64
  val ssignum8 : i8 -> i8  val ssignum16 : i16 -> i16  val ssignum32 : i32 -> i32  val ssignum64 : i64 -> i64
  val usignum8 : i8 -> i8  val usignum16 : i16 -> i16  val usignum32 : i32 -> i32  val usignum64 : i64 -> i64

  -- | Counts of leading zeros, trailing zeros (both the width for zero) and ones.
  val clz8 : i8 -> i32  val clz16 : i16 -> i32  val clz32 : i32 -> i32  val clz64 : i64 -> i32
  val ctz8 : i8 -> i32  val ctz16 : i16 -> i32  val ctz32 : i32 -> i32  val ctz64 : i64 -> i32
  val popc8 : i8 -> i32  val popc16 : i16 -> i32  val popc32 : i32 -> i32  val popc64 : i64 -> i32

  -- | The upper half of the double-width product, and the same plus a third number.
  val smul_hi8 : (i8, i8) -> i8  val smul_hi16 : (i16, i16) -> i16  val smul_hi32 : (i32, i32) -> i32
  val smul_hi64 : (i64, i64) -> i64
  val umul_hi8 : (i8, i8) -> i8  val umul_hi16 : (i16, i16) -> i16  val umul_hi32 : (i32, i32) -> i32
  val umul_hi64 : (i64, i64) -> i64
  val smad_hi8 : (i8, i8, i8) -> i8  val smad_hi16 : (i16, i16, i16) -> i16  val smad_hi32 : (i32, i32, i32) -> i32
  val smad_hi64 : (i64, i64, i64) -> i64
  val umad_hi8 : (i8, i8, i8) -> i8  val umad_hi16 : (i16, i16, i16) -> i16  val umad_hi32 : (i32, i32, i32) -> i32
  val umad_hi64 : (i64, i64, i64) -> i64

  -- | Float arithmetic after IEEE 754. `fmod` takes the sign of the dividend; `fmin`
  -- and `fmax` prefer a number to a NaN; `fsignum` keeps NaN and signed zeros.
  val fadd16 : (f16, f16) -> f16  val fadd32 : (f32, f32) -> f32  val fadd64 : (f64, f64) -> f64
  val fsub16 : (f16, f16) -> f16  val fsub32 : (f32, f32) -> f32  val fsub64 : (f64, f64) -> f64
  val fmul16 : (f16, f16) -> f16  val fmul32 : (f32, f32) -> f32  val fmul64 : (f64, f64) -> f64
  val fdiv16 : (f16, f16) -> f16  val fdiv32 : (f32, f32) -> f32  val fdiv64 : (f64, f64) -> f64
  val fmod16 : (f16, f16) -> f16  val fmod32 : (f32, f32) -> f32  val fmod64 : (f64, f64) -> f64
  val fpow16 : (f16, f16) -> f16  val fpow32 : (f32, f32) -> f32  val fpow64 : (f64, f64) -> f64
  val fmin16 : (f16, f16) -> f16  val fmin32 : (f32, f32) -> f32  val fmin64 : (f64, f64) -> f64
  val fmax16 : (f16, f16) -> f16  val fmax32 : (f32, f32) -> f32  val fmax64 : (f64, f64) -> f64
  val neg_f16 : f16 -> f16  val neg_f32 : f32 -> f32  val neg_f64 : f64 -> f64
  val fabs16 : f16 -> f16  val fabs32 : f32 -> f32  val fabs64 : f64 -> f64
  val fsignum16 : f16 -> f16  val fsignum32 : f32 -> f32  val fsignum64 : f64 -> f64

  -- | Float comparisons, false when an operand is NaN.
  val eq_f16 : (f16, f16) -> bool  val eq_f32 : (f32, f32) -> bool  val eq_f64 : (f64, f64) -> bool
  val lt16 : (f16, f16) -> bool  val lt32 : (f32, f32) -> bool  val lt64 : (f64, f64) -> bool
  val le16 : (f16, f16) -> bool  val le32 : (f32, f32) -> bool  val le64 : (f64, f64) -> bool
  val isnan16 : f16 -> bool  val isnan32 : f32 -> bool  val isnan64 : f64 -> bool
  val isinf16 : f16 -> bool  val isinf32 : f32 -> bool  val isinf64 : f64 -> bool

  -- | Roots, exponentials and logarithms.
  val sqrt16 : f16 -> f16  val sqrt32 : f32 -> f32  val sqrt64 : f64 -> f64
  val rsqrt16 : f16 -> f16  val rsqrt32 : f32 -> f32  val rsqrt64 : f64 -> f64
  val cbrt16 : f16 -> f16  val cbrt32 : f32 -> f32  val cbrt64 : f64 -> f64
  val exp16 : f16 -> f16  val exp32 : f32 -> f32  val exp64 : f64 -> f64
  val log16 : f16 -> f16  val log32 : f32 -> f32  val log64 : f64 -> f64
  val log2_16 : f16 -> f16  val log2_32 : f32 -> f32  val log2_64 : f64 -> f64
  val log10_16 : f16 -> f16  val log10_32 : f32 -> f32  val log10_64 : f64 -> f64
  val log1p_16 : f16 -> f16  val log1p_32 : f32 -> f32  val log1p_64 : f64 -> f64

  -- | Trigonometry in radians; the `pi` forms in half turns.
  val sin16 : f16 -> f16  val sin32 : f32 -> f32  val sin64 : f64 -> f64
  val cos16 : f16 -> f16  val cos32 : f32 -> f32  val cos64 : f64 -> f64
  val tan16 : f16 -> f16  val tan32 : f32 -> f32  val tan64 : f64 -> f64
  val asin16 : f16 -> f16  val asin32 : f32 -> f32  val asin64 : f64 -> f64
  val acos16 : f16 -> f16  val acos32 : f32 -> f32  val acos64 : f64 -> f64
  val atan16 : f16 -> f16  val atan32 : f32 -> f32  val atan64 : f64 -> f64
  val sinh16 : f16 -> f16  val sinh32 : f32 -> f32  val sinh64 : f64 -> f64
  val cosh16 : f16 -> f16  val cosh32 : f32 -> f32  val cosh64 : f64 -> f64
  val tanh16 : f16 -> f16  val tanh32 : f32 -> f32  val tanh64 : f64 -> f64
  val asinh16 : f16 -> f16  val asinh32 : f32 -> f32  val asinh64 : f64 -> f64
  val acosh16 : f16 -> f16  val acosh32 : f32 -> f32  val acosh64 : f64 -> f64
  val atanh16 : f16 -> f16  val atanh32 : f32 -> f32  val atanh64 : f64 -> f64
  val sinpi16 : f16 -> f16  val sinpi32 : f32 -> f32  val sinpi64 : f64 -> f64
  val cospi16 : f16 -> f16  val cospi32 : f32 -> f32  val cospi64 : f64 -> f64
  val tanpi16 : f16 -> f16  val tanpi32 : f32 -> f32  val tanpi64 : f64 -> f64
  val asinpi16 : f16 -> f16  val asinpi32 : f32 -> f32  val asinpi64 : f64 -> f64
  val acospi16 : f16 -> f16  val acospi32 : f32 -> f32  val acospi64 : f64 -> f64
  val atanpi16 : f16 -> f16  val atanpi32 : f32 -> f32  val atanpi64 : f64 -> f64
  val atan2_16 : (f16, f16) -> f16  val atan2_32 : (f32, f32) -> f32  val atan2_64 : (f64, f64) -> f64
  val atan2pi_16 : (f16, f16) -> f16  val atan2pi_32 : (f32, f32) -> f32  val atan2pi_64 : (f64, f64) -> f64

  -- | Special functions.
  val gamma16 : f16 -> f16  val gamma32 : f32 -> f32  val gamma64 : f64 -> f64
  val lgamma16 : f16 -> f16  val lgamma32 : f32 -> f32  val lgamma64 : f64 -> f64
  val erf16 : f16 -> f16  val erf32 : f32 -> f32  val erf64 : f64 -> f64
  val erfc16 : f16 -> f16  val erfc32 : f32 -> f32  val erfc64 : f64 -> f64
  val hypot16 : (f16, f16) -> f16  val hypot32 : (f32, f32) -> f32  val hypot64 : (f64, f64) -> f64

  -- | Rounding to an integer: to nearest with ties to even, up, down.
  val round16 : f16 -> f16  val round32 : f32 -> f32  val round64 : f64 -> f64
  val ceil16 : f16 -> f16  val ceil32 : f32 -> f32  val ceil64 : f64 -> f64
  val floor16 : f16 -> f16  val floor32 : f32 -> f32  val floor64 : f64 -> f64

  -- | `lerp (a, b, t)` is a + (b - a) * t; `mad (a, b, c)` is a * b + c rounded once
  -- or twice, `fma` exactly once.
  val lerp16 : (f16, f16, f16) -> f16  val lerp32 : (f32, f32, f32) -> f32  val lerp64 : (f64, f64, f64) -> f64
  val mad16 : (f16, f16, f16) -> f16  val mad32 : (f32, f32, f32) -> f32  val mad64 : (f64, f64, f64) -> f64
  val fma16 : (f16, f16, f16) -> f16  val fma32 : (f32, f32, f32) -> f32  val fma64 : (f64, f64, f64) -> f64

  -- | Representation: the next float towards the second operand, the magnitude of
  -- the first with the sign of the second, a multiple by a power of two, and
  -- reinterpretation of the bits.
  val nextafter16 : (f16, f16) -> f16  val nextafter32 : (f32, f32) -> f32  val nextafter64 : (f64, f64) -> f64
  val copysign16 : (f16, f16) -> f16  val copysign32 : (f32, f32) -> f32  val copysign64 : (f64, f64) -> f64
  val ldexp16 : (f16, i32) -> f16  val ldexp32 : (f32, i32) -> f32  val ldexp64 : (f64, i32) -> f64
  val fptobits_f16_i16 : f16 -> i16  val fptobits_f32_i32 : f32 -> i32  val fptobits_f64_i64 : f64 -> i64
  val bitstofp_i16_f16 : i16 -> f16  val bitstofp_i32_f32 : i32 -> f32  val bitstofp_i64_f64 : i64 -> f64

  -- | Operations on bool. `neg_bool` is negation; false is less than true.
  val logand : (bool, bool) -> bool  val logor : (bool, bool) -> bool  val eq_bool : (bool, bool) -> bool
  val llt : (bool, bool) -> bool  val lle : (bool, bool) -> bool
  val neg_bool : bool -> bool

  -- | `cond (c, x, y)` is x when c holds and y otherwise; both are computed.
  val cond_i8 : (bool, i8, i8) -> i8  val cond_i16 : (bool, i16, i16) -> i16  val cond_i32 : (bool, i32, i32) -> i32
  val cond_i64 : (bool, i64, i64) -> i64
  val cond_f16 : (bool, f16, f16) -> f16  val cond_f32 : (bool, f32, f32) -> f32  val cond_f64 : (bool, f64, f64) -> f64
  val cond_bool : (bool, bool, bool) -> bool

  -- | Conversions between integer widths: truncation to a narrower width, or
  -- extension by the sign (`sext`) or by zeros (`zext`).
  val sext_i8_i8 : i8 -> i8  val sext_i8_i16 : i8 -> i16  val sext_i8_i32 : i8 -> i32  val sext_i8_i64 : i8 -> i64
  val sext_i16_i8 : i16 -> i8  val sext_i16_i16 : i16 -> i16  val sext_i16_i32 : i16 -> i32  val sext_i16_i64 : i16 -> i64
  val sext_i32_i8 : i32 -> i8  val sext_i32_i16 : i32 -> i16  val sext_i32_i32 : i32 -> i32  val sext_i32_i64 : i32 -> i64
  val sext_i64_i8 : i64 -> i8  val sext_i64_i16 : i64 -> i16  val sext_i64_i32 : i64 -> i32  val sext_i64_i64 : i64 -> i64
  val zext_i8_i8 : i8 -> i8  val zext_i8_i16 : i8 -> i16  val zext_i8_i32 : i8 -> i32  val zext_i8_i64 : i8 -> i64
  val zext_i16_i8 : i16 -> i8  val zext_i16_i16 : i16 -> i16  val zext_i16_i32 : i16 -> i32  val zext_i16_i64 : i16 -> i64
  val zext_i32_i8 : i32 -> i8  val zext_i32_i16 : i32 -> i16  val zext_i32_i32 : i32 -> i32  val zext_i32_i64 : i32 -> i64
  val zext_i64_i8 : i64 -> i8  val zext_i64_i16 : i64 -> i16  val zext_i64_i32 : i64 -> i32  val zext_i64_i64 : i64 -> i64

  -- | Reinterpretation of an unsigned number as signed, and back.
  val sign_i8 : u8 -> i8  val sign_i16 : u16 -> i16  val sign_i32 : u32 -> i32  val sign_i64 : u64 -> i64
  val unsign_i8 : i8 -> u8  val unsign_i16 : i16 -> u16  val unsign_i32 : i32 -> u32  val unsign_i64 : i64 -> u64

  -- | Conversions of floats to integers round towards zero; for NaN, infinities and
  -- numbers out of range the result is unspecified. The others round to nearest.
  val fptosi_f16_i8 : f16 -> i8  val fptosi_f16_i16 : f16 -> i16  val fptosi_f16_i32 : f16 -> i32
  val fptosi_f16_i64 : f16 -> i64
  val fptosi_f32_i8 : f32 -> i8  val fptosi_f32_i16 : f32 -> i16  val fptosi_f32_i32 : f32 -> i32
  val fptosi_f32_i64 : f32 -> i64
  val fptosi_f64_i8 : f64 -> i8  val fptosi_f64_i16 : f64 -> i16  val fptosi_f64_i32 : f64 -> i32
  val fptosi_f64_i64 : f64 -> i64
  val fptoui_f16_i8 : f16 -> i8  val fptoui_f16_i16 : f16 -> i16  val fptoui_f16_i32 : f16 -> i32
  val fptoui_f16_i64 : f16 -> i64
  val fptoui_f32_i8 : f32 -> i8  val fptoui_f32_i16 : f32 -> i16  val fptoui_f32_i32 : f32 -> i32
  val fptoui_f32_i64 : f32 -> i64
  val fptoui_f64_i8 : f64 -> i8  val fptoui_f64_i16 : f64 -> i16  val fptoui_f64_i32 : f64 -> i32
  val fptoui_f64_i64 : f64 -> i64
  val sitofp_i8_f16 : i8 -> f16  val sitofp_i16_f16 : i16 -> f16  val sitofp_i32_f16 : i32 -> f16
  val sitofp_i64_f16 : i64 -> f16
  val sitofp_i8_f32 : i8 -> f32  val sitofp_i16_f32 : i16 -> f32  val sitofp_i32_f32 : i32 -> f32
  val sitofp_i64_f32 : i64 -> f32
  val sitofp_i8_f64 : i8 -> f64  val sitofp_i16_f64 : i16 -> f64  val sitofp_i32_f64 : i32 -> f64
  val sitofp_i64_f64 : i64 -> f64
  val uitofp_i8_f16 : i8 -> f16  val uitofp_i16_f16 : i16 -> f16  val uitofp_i32_f16 : i32 -> f16
  val uitofp_i64_f16 : i64 -> f16
  val uitofp_i8_f32 : i8 -> f32  val uitofp_i16_f32 : i16 -> f32  val uitofp_i32_f32 : i32 -> f32
  val uitofp_i64_f32 : i64 -> f32
  val uitofp_i8_f64 : i8 -> f64  val uitofp_i16_f64 : i16 -> f64  val uitofp_i32_f64 : i32 -> f64
  val uitofp_i64_f64 : i64 -> f64
  val fpconv_f16_f16 : f16 -> f16  val fpconv_f16_f32 : f16 -> f32  val fpconv_f16_f64 : f16 -> f64
  val fpconv_f32_f16 : f32 -> f16  val fpconv_f32_f32 : f32 -> f32  val fpconv_f32_f64 : f32 -> f64
  val fpconv_f64_f16 : f64 -> f16  val fpconv_f64_f32 : f64 -> f32  val fpconv_f64_f64 : f64 -> f64

  -- | Conversions with bool: false is zero, true is one, and all but zero is true.
  val itob_i8_bool : i8 -> bool  val itob_i16_bool : i16 -> bool  val itob_i32_bool : i32 -> bool
  val itob_i64_bool : i64 -> bool
  val ftob_f16_bool : f16 -> bool  val ftob_f32_bool : f32 -> bool  val ftob_f64_bool : f64 -> bool
  val btoi_bool_i8 : bool -> i8  val btoi_bool_i16 : bool -> i16  val btoi_bool_i32 : bool -> i32
  val btoi_bool_i64 : bool -> i64
  val btof_bool_f16 : bool -> f16  val btof_bool_f32 : bool -> f32  val btof_bool_f64 : bool -> f64
}
