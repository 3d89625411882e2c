type~ numbers = {name: []u8, values: []f64}
def total (x: numbers) : f64 = f64.sum x.values
