-- error: type-mismatch
def area (width: f32) (height: f32) = width * height

module m = {
  def area (s: {width: f32}) : bool = area s.width
}
