type preset = {zoom: f32, at: (f32, f32)}

def presets : []preset = [{zoom = 1, at = (0, 0)}, {zoom = 2, at = (1, 1)}]

def load (pixels: [10]i32) (p: preset) = (pixels, p.zoom)

def first (pixels: [10]i32) = load pixels presets[0]

def start () = {preset = presets[1], pixels = replicate 10 0i32}
