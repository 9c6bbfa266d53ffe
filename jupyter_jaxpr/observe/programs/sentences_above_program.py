"""Holds the sentences above a program: the origin of the program, and why the program has no text or no values."""

from __future__ import annotations

REUSED = "JAX compiled the program earlier and reused the executable."
DERIVED = (
    "JAX derived this program from the function, which was called under a transform such as grad or vmap outside any "
    "jit."
)
#: `within` is a function of JAX, such as `cg`, one of whose programs is the construct `name`.
PART_OF_CALL = (
    "JAX compiles no program for the whole of {within}: JAX runs the parts of {within} one by one, and this {name} is "
    "one of the parts."
)

CANDIDATE = (
    "It is unknown which program of {name} ran for {calls} of this cell. This program is a candidate. From earlier "
    "compiles, jupyter_jaxpr knows {known}.{more_programs}"
)
MORE_PROGRAMS = " JAX may hold more programs."
SKIPPED = (
    "jupyter_jaxpr did not look at the arguments of {skipped} of {name}, because the calls came too fast. These calls "
    "may have run another program of {name}."
)

UNFINISHED = (
    "A call of {name} did not return: an error or an interrupt ended the call. The program is what JAX had made for "
    "the call until then."
)

UNTIL_ERROR = "traced until the trace raised an error"
NO_TEXT_OF_RAISED = (
    "JAX did not lower the program, because its trace raised an error. Correct the function and run the cell again."
)
NO_VALUES_OF_RAISED = (
    "JAX did not run the program, because its trace raised an error. Correct the function, then run the cell again."
)
RAISED = (
    "The trace of {name} raised {error}. The program shows the equations that JAX had traced before the error. JAX did "
    "not compile or run the program."
)

#: The function of JAX that the user called -> the sentence above the program of its trace.
WITHOUT_CALL = {
    "jax.make_jaxpr": "jax.make_jaxpr traced {name}. JAX ran no program for this trace.",
    "jax.eval_shape": "jax.eval_shape traced {name} for the shapes of its results. JAX ran no program for this trace.",
    "eval_shape": "{name}.eval_shape() traced {name} for the shapes of its results. JAX ran no program for this trace.",
    "trace": "{name}.trace() traced {name}.",
    "lower": "{name}.lower() traced {name} to lower it.",
    "print_saved_residuals": (
        "print_saved_residuals traced the forward pass of {name} under vjp. JAX ran no program for this trace."
    ),
    "jax.export": "jax.export traced {name} to export it.",
}

HELD_FIXED = " The trace kept these arguments of the call fixed: {values}."

NO_VALUES_OF_LIBRARY = (
    "A library made the call, and jupyter_jaxpr holds no values of the call. To time the program or to step through a "
    "loop of the program, call the library's function under jax.jit in the cell."
)
