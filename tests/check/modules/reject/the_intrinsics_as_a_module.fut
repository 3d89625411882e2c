-- error: intrinsics-module
module m = intrinsics
