-- error: unexpected-token
1 + 2
