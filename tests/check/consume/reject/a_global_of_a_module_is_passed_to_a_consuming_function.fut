-- error: not-consumable

module defaults = {
  def weights = [0.5, 0.25f64]
}

def spend (ws: *[]f64) = ws with [0] = 1

def main (_: bool) = spend defaults.weights
