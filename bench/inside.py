"""Lets C programs of the reference compiler count all of their arrays, for `memory.py`.

Arrays that stay inside of a function get their memory from `lexical_realloc` there, with one thread and with several, and are freed when the
function returns; the peak that such a program reports leaves them out. Here its C is changed so that the same two numbers count them, too: what is
asked for when it is asked for, and what is freed when it is. Nothing else of the program changes. Threads count at the same time, so
that all changes of the numbers are atomic.
"""
import os, re, subprocess

NOW, PEAK = "ctx->cur_mem_usage_default", "ctx->peak_mem_usage_default"

# Before `lexical_realloc`, where the context is not known yet.
DECLARED = "struct futhark_context;\nstatic void count_inside(struct futhark_context *ctx, int64_t more);\n"

# After the context.
DEFINED = f"""static void count_inside(struct futhark_context *ctx, int64_t more) {{
  int64_t now = __atomic_add_fetch(&{NOW}, more, __ATOMIC_RELAXED), most = __atomic_load_n(&{PEAK}, __ATOMIC_RELAXED);
  while (now > most && !__atomic_compare_exchange_n(&{PEAK}, &most, now, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {{
  }}
}}
"""

# A block that a function keeps inside, with the number that says how large it is; or something that is freed.
BLOCK = re.compile(r"lexical_realloc\(ctx, &(\w+), &(\w+),|\bfree\((\w+)\);")


def counting(text):
    """The program, counting; an error if it is not as expected."""
    # Functions have the same names for their blocks, but free them after they have asked for them.
    sizes = {}

    def counted(found):
        if found[1]:
            sizes[found[1]] = found[2]
        return f"count_inside(ctx, -{sizes[found[3]]}); {found[0]}" if found[3] in sizes else found[0]

    changes = [
        ("static int lexical_realloc(", DECLARED + "static int lexical_realloc("),
        ("    *old_size = new_size;\n", "    count_inside(ctx, new_size - *old_size);\n    *old_size = new_size;\n"),
        ("int memblock_unref(", DEFINED + "int memblock_unref("),
        (f"{NOW} -= block->size;", "count_inside(ctx, -block->size);"),
        (f"{NOW} = new_usage;", "count_inside(ctx, size);"),
    ]
    for old, new in changes:
        if text.count(old) < 1:
            raise ValueError(f"there is no {old.strip()}")
        text = text.replace(old, new, 1)
    return BLOCK.sub(counted, text)


def count_inside(server, out):
    """A second server, which counts everything, if there is the C of the first one."""
    if not os.path.exists(server + ".c"):
        return
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out + ".c", "w") as file:
        file.write(counting(open(server + ".c").read()))
    command = [os.environ.get("CC", "cc"), "-std=c99", "-O", "-w", "-o", out, out + ".c", "-lm", "-lpthread"]
    subprocess.run(command, check=True)
