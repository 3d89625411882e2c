-- error: foreign-syntax
enum T { A, B }
