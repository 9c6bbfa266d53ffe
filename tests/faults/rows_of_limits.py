"""Holds rows of the table of faults: recursion, memory, sizes, and the standard output."""

from __future__ import annotations

import sys

from fault import Fault

# Without a recursion limit, these rows kill a Python 3.11 process, with the extension and without it.
AS_DEEP = ("shell", "kernel") if sys.version_info >= (3, 12) else ()
RAISED = (
    "message: The cell raised RecursionError, and no program of the cell is known. Correct the cell and run the cell "
    "again."
)

NESTED = """
def nest(depth):
    h = lambda y: y + 1
    for _ in range(depth):
        h = (lambda inner: jax.jit(lambda y: inner(y)))(h)
    return h
import sys
limit = sys.getrecursionlimit()
sys.setrecursionlimit(50_000)
result = nest(DEPTH)(x).tolist()
sys.setrecursionlimit(limit)
result
"""

FAULTS = (
    # --- limits
    Fault(
        "a low recursion limit",
        """
import inspect, sys
def down(y, depth):
    return down(y + 1, depth - 1) if depth else y
limit = sys.getrecursionlimit()
sys.setrecursionlimit(len(inspect.stack()) + 300)
try:
    jax.jit(lambda y: down(y, 2_000))(x)
except RecursionError:
    pass
finally:
    sys.setrecursionlimit(limit)
"no more room"
""",
        "no more room",
        ("<lambda>",),
    ),
    Fault(
        "a low recursion limit that stays",
        """
f(x)
""",
        "0., 2., 4.",
        ("f",),
        before="import sys\nlimit = sys.getrecursionlimit()\nsys.setrecursionlimit(220)",
        after="sys.setrecursionlimit(limit)",
    ),
    Fault(
        "MemoryError in the cell",
        """
f(x)
raise MemoryError("the cell's")
""",
        "MemoryError: the cell's",
        ("f",),
    ),
    Fault(
        "MemoryError in a trace",
        """
@jax.jit
def g(y):
    z = y + 1
    bytearray(1 << 62)
    return z
g(x)
""",
        "MemoryError",
        ("g",),
    ),
    Fault(
        "an array larger than the memory",
        """
jnp.zeros((1 << 20, 1 << 20, 1 << 8))
""",
        "RESOURCE_EXHAUSTED",
        ("cell",),
        slow=True,
    ),
    # --- sizes
    Fault(
        "a constant of 50 MB",
        """
import numpy as np
big = np.ones(50_000_000 // 4, np.float32)
@jax.jit
def g(y):
    return y + jnp.asarray(big).sum()
g(x).tolist()
""",
        "[12500000.0, 12500001.0, 12500002.0]",
        ("g",),
        slow=True,
    ),
    Fault("100 nested jits", NESTED.replace("DEPTH", "100"), "1.0, 2.0, 3.0", ("<lambda>",)),
    Fault("200 nested jits", NESTED.replace("DEPTH", "200"), "1.0, 2.0, 3.0", ("<lambda>",), slow=True, only=AS_DEEP),
    Fault(
        "800 nested jits",
        NESTED.replace("DEPTH", "800").replace("50_000", "limit"),
        "RecursionError",
        (RAISED,),
        slow=True,
    ),
    Fault(
        "100,000 equations",
        """
@jax.jit
def g(y):
    for n in range(50_000):
        y = y * 1.5 - n
    return y
g.trace(x)
None
""",
        "",
        ("g",),
        slow=True,
    ),
    # --- stdout
    Fault(
        "stdout is replaced",
        """
import io, sys
stood, sys.stdout = sys.stdout, io.StringIO()
print("unseen")
f(x)
text = sys.stdout.getvalue()
sys.stdout = stood
text
""",
        "unseen",
        ("f",),
    ),
    Fault(
        "stdout is replaced and stays",
        """
import io, sys
stood, sys.stdout = sys.stdout, io.StringIO()
print("unseen")
f(x);
""",
        "",
        ("f",),
        after="sys.stdout = stood",
    ),
    Fault(
        "stdout is None",
        """
import sys
stood, sys.stdout = sys.stdout, None
print("unseen")
f(x)
sys.stdout = stood
"seen"
""",
        "seen",
        ("f",),
    ),
    Fault(
        "stdout raises",
        """
import sys
class Broken:
    def write(self, text):
        raise OSError("broken pipe")
    def flush(self):
        raise OSError("broken pipe")
stood, sys.stdout = sys.stdout, Broken()
try:
    print("unseen")
except OSError as error:
    told = str(error)
finally:
    sys.stdout = stood
f(x)
told
""",
        "broken pipe",
        ("f",),
    ),
    Fault(
        "stdout is closed",
        """
import io, sys
stood, sys.stdout = sys.stdout, io.StringIO()
sys.stdout.close()
try:
    print("unseen")
except ValueError as error:
    told = str(error)
f(x)
sys.stdout = stood
told
""",
        "closed file",
        ("f",),
    ),
    Fault(
        "stdout is closed and stays so",
        """
import io, sys
stood, sys.stdout = sys.stdout, io.StringIO()
sys.stdout.close()
f(x);
""",
        "",
        ("f",),
        after="sys.stdout = stood",
    ),
)
