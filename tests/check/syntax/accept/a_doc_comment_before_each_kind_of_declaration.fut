-- | The file.

-- | A type.
type t = i32

-- | A module type.
module type mt = {
  -- | A spec.
  val x : t
}

-- | A module.
module m : mt = {
  -- | A member.
  def x : t = 1
}

-- | A value.
def y = m.x
