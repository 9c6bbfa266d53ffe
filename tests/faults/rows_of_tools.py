"""Holds rows of the table of faults: IPython, debuggers, profilers."""

from __future__ import annotations

import sys

from fault import Fault

HAS_MONITORING = sys.version_info >= (3, 12)
NOT_SEEN = (
    "message: No program of the cell is known: jupyter_jaxpr did not see the calls that reuse a program. The number "
    "of calls is unknown: a debugger, a profiler or another observed thread uses the counter of calls. Call a "
    "function under @jax.jit in the cell, end the cell with a call such as f(x), or write %%jaxpr f(x) or %%jaxpr "
    "f(f32[8])."
)

FAULTS = (
    # --- IPython
    Fault(
        "%reset -f",
        """
g = jax.jit(lambda y: y * 3)
g(x)
%reset -f
""",
        "",
        ("<lambda>",),
        after="""
__spec__ = None
import state_of_ours, jax, jax.numpy as jnp
x = jnp.arange(3.0)
@jax.jit
def f(y):
    return y * 2
""",
    ),
    Fault(
        "%autoreload",
        """
import faults_module
faults_module.g(x)
""",
        "0.,  7., 14.",
        ("<lambda>",),
        before="""
import os, pathlib, sys, tempfile
sys.dont_write_bytecode, writes = True, sys.dont_write_bytecode
folder = tempfile.mkdtemp()
sys.path.insert(0, folder)
path = pathlib.Path(folder, "faults_module.py")
path.write_text("import jax; g = jax.jit(lambda y: y * 3)")
get_ipython().run_line_magic("load_ext", "autoreload")
get_ipython().run_line_magic("autoreload", "2")
import faults_module
faults_module.g(x)
# next cell
path.write_text("import jax;  g = jax.jit(lambda y: y * 7)")
os.utime(path, (4e9, 4e9))
""",
        after="%autoreload 0\nsys.path.remove(folder)\nsys.dont_write_bytecode = writes",
    ),
    Fault(
        "an error in a callback of IPython's",
        """
def broken(*_):
    raise ValueError("of a callback")
get_ipython().events.register("post_execute", broken)
f(x)
""",
        "0., 2., 4.",
        ("f",),
        after="get_ipython().events.unregister('post_execute', broken)",
    ),
    # --- tracers and profilers
    Fault(
        "cProfile",
        """
import cProfile, pstats
profile = cProfile.Profile()
profile.enable()
f(x)
jax.jit(lambda y: y - 1)(x)
profile.disable()
pstats.Stats(profile).total_calls > 0
""",
        "True",
        ("f", "<lambda>"),
    ),
    Fault("%%prun below", "%%prun -q\nf(x)\n", "", ("f",)),
    Fault(
        "a trace function such as a debugger's",
        """
import sys
lines = []
def tracer(frame, event, arg):
    if frame.f_code.co_name == "traced":
        lines.append(event)
    return tracer
def traced(y):
    z = f(y)
    return z
sys.settrace(tracer)
try:
    traced(x)
finally:
    sys.settrace(None)
lines
""",
        "['call', 'line', 'line', 'return']",
        ("f",),
    ),
    Fault(
        "a trace function that stays",
        """
import sys
f(x)
sys.gettrace() is keep
""",
        "True",
        ("f",),
        before="""
import sys
def keep(frame, event, arg):
    return None
sys.settrace(keep)
""",
        after="sys.settrace(None)",
    ),
    Fault(
        "all ids of sys.monitoring are taken",
        """
f(x)
[monitoring.get_tool(n) for n in taken] == ["another"] * len(taken)
""",
        "True",
        (NOT_SEEN if HAS_MONITORING else "f",),
        before="""
import sys
class Nothing:
    get_tool = staticmethod(lambda number: "another")
monitoring = getattr(sys, "monitoring", Nothing)
taken = [n for n in range(6) if monitoring is not Nothing and monitoring.get_tool(n) is None]
for n in taken:
    monitoring.use_tool_id(n, "another")
""",
        after="for n in taken:\n    monitoring.free_tool_id(n)",
    ),
    Fault(
        "tracemalloc",
        """
import tracemalloc
tracemalloc.start()
f(x)
g = jax.jit(lambda y: y + 2)
g(x)
kept = tracemalloc.get_traced_memory()[0] > 0
tracemalloc.stop()
kept
""",
        "True",
        ("f", "<lambda>"),
    ),
    Fault(
        "jax.profiler",
        """
import tempfile
folder = tempfile.TemporaryDirectory()
with jax.profiler.trace(folder.name):
    f(x).block_until_ready()
folder.cleanup()
""",
        "",
        ("f",),
        slow=True,
    ),
    Fault(
        "coverage",
        """
import coverage
cover = coverage.Coverage(data_file=None, messages=False)
cover.start()
f(x)
jax.jit(lambda y: y - 4)(x)
cover.stop()
""",
        "",
        ("f", "<lambda>"),
        needs="coverage",
    ),
    Fault(
        "line_profiler",
        """
import line_profiler
profile = line_profiler.LineProfiler()
@profile
def run():
    return f(x)
run().tolist()
""",
        "[0.0, 2.0, 4.0]",
        ("f",),
        needs="line_profiler",
    ),
    Fault(
        "gc.freeze",
        """
import gc
gc.collect()
gc.freeze()
frozen = gc.get_freeze_count() > 0
f(x)
gc.unfreeze()
frozen
""",
        "True",
        ("f",),
    ),
    Fault(
        "a callback of the collector that raises",
        """
import gc, sys
def angry(phase, info):
    raise ValueError("of the collector")
hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
gc.callbacks.append(angry)
jax.jit(lambda y: y + 3)(x)
gc.collect()
gc.callbacks.remove(angry)
sys.unraisablehook = hook
len(gc.callbacks) >= 0
""",
        "True",
        ("<lambda>",),
    ),
)
