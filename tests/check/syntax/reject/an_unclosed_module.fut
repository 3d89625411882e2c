-- error: unclosed-bracket
module m = {
  def x = 1
  def y = 2

def z = 3
