-- error: foreign-syntax
#include "foo.h"
def x = 1
