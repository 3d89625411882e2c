// With FE_FAST_MATH, quotients and roots may be approximate, and no number is NaN or infinite. That holds from here to the end of the
// program's own functions (FE_FAST_MATH_END): what reads and writes values is compiled as always. Options of the C compiler would hold for
// everything, and gcc's would make the whole process flush subnormal numbers to zero; so whoever compiles a library needs none.
//
// The order of sums stays the program's, because functions in math_f32.h round by adding a large number and subtracting it again.
// This is the least with which gcc uses approximate roots and reciprocals.

#if defined(FE_FAST_MATH) && defined(__clang__)
#if __clang_major__ >= 14
#pragma float_control(push)
#pragma float_control(precise, off)
#pragma clang fp reassociate(off)
#define FE_FAST_MATH_END _Pragma("float_control(pop)")
#endif
#elif defined(FE_FAST_MATH) && defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("unsafe-math-optimizations", "no-associative-math", "finite-math-only")
#define FE_FAST_MATH_END _Pragma("GCC pop_options")
#endif
#ifndef FE_FAST_MATH_END
#define FE_FAST_MATH_END
#endif
