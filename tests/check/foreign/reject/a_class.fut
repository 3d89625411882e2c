-- error: foreign-syntax
class Foo { }
