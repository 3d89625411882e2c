-- error: foreign-attribute
-- error: foreign-attribute
-- error: foreign-attribute
-- error: foreign-attribute
-- error: foreign-attribute
-- error: foreign-attribute
-- error: foreign-attribute
-- error: foreign-attribute
-- error: foreign-attribute
-- error: foreign-attribute
#[foreign]
def a (x: f64) : f64 = x

#[foreign(fortran(f))]
def b (x: f64) : f64 = x

#[foreign(c)]
def c (x: f64) : f64 = x

#[foreign(c(f, g))]
def d (x: f64) : f64 = x

#[foreign(c(f'))]
def e (x: f64) : f64 = x

#[foreign(c(f), c(g))]
def f (x: f64) : f64 = x

#[foreign(c(f), vectorised(cuda(g)))]
def g (x: f64) : f64 = x

#[foreign(vectorised(g), c(f))]
def h (x: f64) : f64 = x

#[foreign(c(f))]
type t = i32

def i (x: f64) : f64 = #[foreign(c(f))] x
