-- | Stacks of bounded size.
--
-- A stack is an array with a number of elements in use. All functions but `from`@term take constant time.
--
-- ## Example
--
-- >>> module ints = mk_stack {type t = i32 def zero = 0i32}
-- >>> ints.to_array (ints.push 3 (ints.push 2 ints.empty))
-- [2, 3]

-- | What can be on a stack.
module type element = {
  -- | The type of elements.
  type t

  -- | Fills the places that are not in use.
  val zero : t
}

-- | A stack.
module type stack = {
  -- | The type of elements.
  type t

  -- | A stack of them.
  type stack

  -- | A stack with nothing on it.
  val empty : stack

  -- | Puts an element on top. If there is no room, nothing changes.
  val push : t -> stack -> stack

  -- | Takes the top element off.
  val pop : stack -> stack

  -- | How many elements there are.
  val count : stack -> i64

  -- | The elements, the top one last.
  val to_array : stack -> []t
}

-- | The most elements of a stack.
--
-- >>> capacity
-- 16
def capacity : i64 = 16

-- | Stacks of a kind of elements.
module mk_stack (E: element) : stack with t = E.t = {
  type t = E.t
  type stack = {elements: [capacity]E.t, used: i64}

  def empty : stack = {elements = replicate capacity E.zero, used = 0}

  def push (x: t) (s: stack) : stack =
    if s.used == capacity
    then s
    else {elements = copy s.elements with [s.used] = x, used = s.used + 1}

  def pop (s: stack) : stack = s with used = i64.max 0 (s.used - 1)
  def count (s: stack) : i64 = s.used
  def to_array (s: stack) : []t = take s.used s.elements
}
