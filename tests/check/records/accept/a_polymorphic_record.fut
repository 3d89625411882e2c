type box 'a = {value: a, count: i32}
def value 'a (b: box a) : a = b.value
def f = value {value = true, count = 1} && value {count = 2, value = false}
