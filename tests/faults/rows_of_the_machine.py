"""Holds rows of the table of faults: alarms, disks, processes, threads and tasks."""

from __future__ import annotations

from fault import Fault

FORK = """
import multiprocessing, warnings
warnings.simplefilter("ignore")
def child(queue):
    queue.put(int(plain(2)))
def plain(y):
    return y * 21
context = multiprocessing.get_context("fork")
queue = context.Queue()
first = f(x)
process = context.Process(target=child, args=(queue,))
process.start()
answer = queue.get(timeout=30)
process.join()
"""

FAULTS = (
    # --- interrupts and alarms
    Fault(
        "an alarm raises while a function is traced",
        """
import signal, time
class Late(Exception): pass
def late(number, frame):
    raise Late("too late")
signal.signal(signal.SIGALRM, late)
@jax.jit
def slow(y):
    z = jnp.sin(y)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(5)  # the alarm ends the wait
    return z
slow(x)
""",
        "Late: too late",
        ("slow",),
        after="signal.setitimer(signal.ITIMER_REAL, 0);",
    ),
    Fault(
        "an alarm only counts",
        """
import signal
ticks = []
signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for n in range(8):
    jax.jit(lambda y: y * n)(x)
signal.setitimer(signal.ITIMER_REAL, 0)
len(ticks) > 0
""",
        "True",
        ("<lambda>",) * 8,
    ),
    # --- the machine
    Fault(
        "the disk is full",
        """
try:
    with open("/dev/full", "w") as full:
        full.write("a" * 100_000)
except OSError as error:
    print(error.strerror)
f(x)
""",
        "No space left on device",
        ("f",),
    ),
    Fault(
        "no file may grow",
        """
import resource
f(x)
""",
        "0., 2., 4.",
        ("f",),
        before="""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, limit[1]))
""",
        after="resource.setrlimit(resource.RLIMIT_FSIZE, limit)",
        only=("shell",),
    ),
    Fault(
        "no folder can be written",
        """
import os, pathlib
f(x)
""",
        "0., 2., 4.",
        ("f",),
        before="""
import os, tempfile
kept = {name: os.environ.get(name) for name in ("HOME", "TMPDIR", "IPYTHONDIR", "XDG_CACHE_HOME")}
for name in kept:
    os.environ[name] = "/proc/nowhere"
tempfile.tempdir = "/proc/nowhere"
""",
        after="""
tempfile.tempdir = None
for name, value in kept.items():
    os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
""",
    ),
    Fault(
        "the current folder is gone",
        """
f(x)
""",
        "0., 2., 4.",
        ("f",),
        before="""
import os, tempfile
stood = os.getcwd()
gone = tempfile.mkdtemp()
os.chdir(gone)
os.rmdir(gone)
""",
        after="os.chdir(stood)",
    ),
    # --- processes, threads, tasks
    Fault("a fork", FORK + "answer", "42", ("f",)),
    Fault(
        "a fork that calls a jitted function's Python",
        FORK.replace("plain(2)", "f.__wrapped__(21)") + "answer",
        "42",
        ("f",),
    ),
    Fault(
        "a spawned process",
        """
import multiprocessing
with multiprocessing.get_context("spawn").Pool(1) as pool:
    answer = pool.map(abs, [-3])
f(x)
answer
""",
        "[3]",
        ("f",),
        slow=True,
    ),
    Fault(
        "a thread outlives the cell",
        """
import threading, time
done = threading.Event()
def work():
    done.wait(20)
    jax.jit(lambda y: y * 5)(x)
thread = threading.Thread(target=work)
thread.start()
f(x)
""",
        "0., 2., 4.",
        ("f",),
        after="done.set(); thread.join(); thread.is_alive()",
    ),
    Fault(
        "a thread raises",
        """
import threading
def work():
    raise ValueError("in the thread")
threading.excepthook, hook = lambda args: print("thread:", args.exc_value), threading.excepthook
thread = threading.Thread(target=work)
thread.start(); thread.join()
threading.excepthook = hook
f(x)
""",
        "thread: in the thread",
        ("f",),
    ),
    Fault(
        "a task outlives the cell",
        """
import asyncio
async def later():
    await asyncio.sleep(0.01)
    return f(x)
task = asyncio.get_running_loop().create_task(later())
await asyncio.sleep(0)
f(x)
""",
        "0., 2., 4.",
        ("f",),
        after="(await task).tolist()",
    ),
    Fault(
        "a task is cancelled",
        """
import asyncio
async def forever():
    f(x)
    await asyncio.sleep(60)
task = asyncio.get_running_loop().create_task(forever())
await asyncio.sleep(0)
task.cancel()
await task
""",
        "CancelledError",
        ("f",),
    ),
)
