-- error: foreign-syntax
int main() { return 0; }
