"""An error whose message says it all in, its title and its way out, from a table of JAX's messages."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from ...observe.observation import FoundCure
from ...plain_text import message_of
from .edits import applied, edit_of, over
from .explanation import Explained
from .origins import culprits
from .raised import RaisedAt, touches_jax


@dataclass(frozen=True)
class Message:
    """One message of JAX.

    Attributes:
        pattern: From the beginning of the message. Its groups stand for {1}, {2} ... in the texts.
        title: What happened.
        text: More of it.
        cure: Name and sentence of the way out.
        of_others: NumPy and Python raise the same message; the row is for errors in which JAX has a part.
    """

    pattern: str
    title: str
    text: str
    cure: tuple[str, str]
    of_others: bool = False


MESSAGES = (
    Message(
        r"A single NamedSharding spec specification can map every mesh axis to at most one positional dimension, but "
        r"(?P<a>.+) has duplicate entries for `(?P<b>\w+)`",
        "The PartitionSpec {1} names the mesh axis {2} twice",
        "A mesh axis can split one axis of an array only.",
        ("PartitionSpec", "Write None for the axes that the mesh axis does not split."),
    ),
    Message(
        r"Resource axis: (\w+) of (.+?) is not found in mesh: (\(.*?\))",
        "The mesh has no axis {1}",
        "The axes of the mesh are {3}.",
        ("PartitionSpec", "Write the name of an axis of the mesh, or make the mesh with this axis."),
    ),
    Message(
        r"scan got no values to scan over and `length` not provided",
        "scan does not know how many steps to run",
        "scan runs one step for each element of xs, and xs has no array.",
        ("length", "Pass length=n, or arrays in xs."),
    ),
    Message(
        r"scan got value with no leading axis to scan over: (.+?)\.?$",
        "scan cannot take elements of a single number in xs",
        "scan takes one element along axis 0 of each array in xs at each step.",
        ("xs", "Pass an array with at least one axis, or put the number into the carry."),
    ),
    Message(
        r"scan got `length` argument of (\d+) which disagrees with leading axis sizes \[(.*?)\]",
        "length={1} disagrees with xs, which has {2} elements",
        "scan runs one step for each element of xs.",
        ("length", "Leave length out, or cut xs to {1} elements."),
    ),
    Message(
        r"lower and upper arguments to fori_loop must have equal types, got (\w+) and (\w+)",
        "The bounds of a fori_loop have different types: {1} and {2}",
        "fori_loop counts in integers.",
        ("integers", "Pass integers as both bounds."),
    ),
    Message(
        r"lax\.cond: true_fun and false_fun arguments should be callable",
        "cond takes two functions, not two values",
        "cond(test, f, g, x) calls f(x) or g(x).",
        ("jnp.where", "Write lambda: value for each branch, or choose between values with jnp.where."),
    ),
    Message(
        r"Index type must be an integer, got (.+?) as (\w+)",
        "The index of switch must be an integer, not {2}",
        "switch chooses a branch by a number from 0.",
        ("an integer", "Pass an integer, such as index.astype(int)."),
    ),
    Message(
        r"primal and tangent arguments to jax\.jvp do not match; .*?Got primal dtype (\w+) .*? but got tangent dtype "
        r"(\w+)",
        "The tangent of jvp is {2}, but the argument is {1}",
        "A tangent has the shape and the type of its argument.",
        ("the same type", "Convert the tangent to {1}."),
    ),
    Message(
        r"unexpected JAX type \(e\.g\. shape/dtype\) for argument to VJP function: got (\S+), but expected (\S+)",
        "The cotangent is {1}, but the result of the function is {2}",
        "A cotangent has the shape and the type of the result.",
        ("the same type", "Pass an array of the type {2}."),
    ),
    Message(
        r"(\w+) accepts a single key, but was given a key array of shape (\(.*?\))",
        "{1} takes one key, but the keys have the shape {2}",
        "jax.random.split makes an array of keys.",
        ("jax.vmap", "Pass one key, such as keys[0], or map {1} over the keys with jax.vmap."),
    ),
    Message(
        r"invalid value \((nan|inf)\) encountered in (\S+)",
        "{2} computed {1}",
        "jax_debug_nans checks each result and raises here.",
        ("jnp.where", "Keep the argument where {2} is defined, such as with jnp.maximum before the call."),
    ),
    Message(
        r"pytree structure error: different (.+?) at key path\s+(\S+)",
        "Two trees differ: {1}",
        "The call takes trees of the same containers and keys, such as gradients like their parameters.",
        ("the same structure", "Give both trees the same keys and containers. The detail lists both."),
    ),
    Message(
        r"(?:Dict key mismatch|Custom node type mismatch|Tuple arity mismatch|List arity mismatch)(.*)",
        "Two trees differ in their structure",
        "The call takes trees of the same containers and keys, such as gradients like their parameters.",
        ("the same structure", "Give both trees the same keys and containers. The detail lists both."),
    ),
    Message(
        r"Argument '(.*?)' of type <class '(?:\w+\.)*(\w+)'> is not a valid JAX type",
        "An argument is not an array: its type is {2}",
        "JAX computes with arrays and numbers.",
        ("an array", "Pass an array or a number, or bind the argument before with functools.partial."),
    ),
    Message(
        r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed).*\n"
        r"((?:\w+\.)*\w+(?:Error|Exception)[^\n]*)",
        "A callback raised {1}",
        "The program called Python, and Python raised the error. The program itself was traced and compiled.",
        ("the callback", "Correct the function that the callback calls."),
    ),
    Message(
        r"No JVP defined for custom_jvp function (\w+) using defjvp",
        "{1} has no derivative yet",
        "jax.custom_jvp takes the derivative from the function that defjvp is given.",
        ("defjvp", "Call {1}.defjvp(derivative) before {1} is called."),
    ),
    Message(
        r"No VJP defined for custom_vjp function (\w+) using defvjp",
        "{1} has no derivative yet",
        "jax.custom_vjp takes the derivative from the functions that defvjp is given.",
        ("defvjp", "Call {1}.defvjp(forward, backward) before the derivative is used."),
    ),
    Message(
        r"Python int (-?\d+) too large to convert to (\w+)",
        "The number {1} does not fit into {2}",
        "JAX gives an integer of Python the type int32, which ends at 2,147,483,647.",
        ("a float", "Use a float, or turn jax_enable_x64 on before any other use of JAX."),
        of_others=True,
    ),
    Message(
        r".*?Sharding .*? is only valid for values of rank at least (\d+), but was applied to a value of rank (\d+)",
        "A sharding for {1} axes cannot split an array of {2} axes",
        "A PartitionSpec has one entry for each axis of the array at most.",
        ("PartitionSpec", "Leave out the entries for axes that the array does not have."),
    ),
    Message(
        r".*?the global size of its dimension (\d+) should be divisible by (\d+), but it is equal to (\d+)",
        "Axis {1} has {3} elements, which {2} devices cannot share evenly",
        "A sharding gives each device the same number of elements.",
        ("pad", "Pad the axis to a multiple of the number of devices, or split another axis."),
    ),
    Message(
        r"Received incompatible devices for jitted computation\. Got (?:argument )?(.*?) with .*? and "
        r"(?:argument )?(.*?) with",
        "{1} and {2} are on different devices",
        "All arguments of a jitted function must be on the same devices.",
        ("jax.device_put", "Move the arguments to the same devices with jax.device_put before the call."),
    ),
    Message(
        r"Python integer (-?\d+) out of bounds for (\w+)",
        "The number {1} does not fit into {2}",
        "The array decides the type of a number of Python beside it.",
        ("a larger type", "Convert the array to a larger type first, such as with .astype(jnp.int32)."),
        of_others=True,
    ),
    Message(
        r"Python int(?:eger)? too large to convert to C (\w+)",
        "An integer does not fit into the integers of JAX",
        "JAX gives an integer of Python the type int32, which ends at 2,147,483,647.",
        ("a float", "Use a float, or turn jax_enable_x64 on before any other use of JAX."),
        of_others=True,
    ),
    Message(
        r"Found an unbound axis name: (\w+)",
        "No axis is named {1} here",
        "vmap with axis_name, or shard_map, names an axis for the function that it calls.",
        ("axis_name", 'Call the function under jax.vmap with axis_name="{1}", or under jax.shard_map.'),
    ),
    Message(
        r"iteration over a 0-d array",
        "Python cannot iterate over an array without axes",
        "The array holds one number.",
        ("an axis", "Use the array itself, or give it an axis with x[None] or jnp.atleast_1d(x)."),
    ),
    Message(
        r"Cannot abstractly evaluate a checkify\.check which was not functionalized",
        "checkify.check works only within checkify.checkify",
        "checkify.checkify turns the checks into a result of the function.",
        ("checkify.checkify", "Call error, result = jax.jit(checkify.checkify(f))(x), and then error.throw()."),
    ),
    Message(
        r"Value (.+?) with dtype \S+ is not a valid JAX array type",
        "JAX has no arrays of {1}",
        "JAX arrays hold numbers and booleans.",
        ("numbers", "Keep texts and objects in Python lists or NumPy arrays, and give JAX numbers for them."),
    ),
    Message(
        r"For parameter \"(\w+)\" in \"(.*?)\", the given initializer is expected to generate shape (\(.*?\)), but the "
        r"existing parameter it received has shape (\(.*?\))",
        "The parameter {1} has the shape {4}, but this input needs {3}",
        "flax made the parameters for an input of another size.",
        ("the same sizes", "Pass an input of the size that model.init was given, or call model.init again."),
    ),
    Message(
        r"unsupported operand type\(s\) for (\S+): '\w*Tracer' and '(\w+)'",
        "{1} needs arrays or numbers, but its right side is a {2}",
        "",
        ("a number", "Give an array or a number in place of the {2}."),
    ),
    Message(
        r"unsupported operand type\(s\) for (\S+): '(\w+)' and '\w*Tracer'",
        "{1} needs arrays or numbers, but its left side is a {2}",
        "",
        ("a number", "Give an array or a number in place of the {2}."),
    ),
)

_KEY = re.compile(r"^JAX encountered invalid PRNG key data|^unexpected PRNG key type|^random\w* accepts a single key")


#: The message of an error in a callback ends with the error, after a whole traceback.
_LONGEST = 50_000


def message_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """An error whose message the table has."""
    text = message_of(error, _LONGEST).strip()
    if isinstance(error, TypeError) and _KEY.search(text):
        return _key(raised)
    for row in MESSAGES:
        found = re.match(row.pattern, text, re.DOTALL)
        if found is None or (row.of_others and not touches_jax(error)):
            continue
        groups = [found[0], *(group or "" for group in found.groups())]

        def filled(template: str, groups: list[str] = groups) -> str:
            return re.sub(r"\{(\d)\}", lambda match: " ".join(groups[int(match[1])].split()), template)

        name, words = row.cure
        return Explained(None, filled(row.title), filled(row.text), (FoundCure(name, None, filled(words)),))
    return _tracer(text, raised)


def _tracer(text: str, raised: RaisedAt | None) -> Explained | None:
    """A function that takes no tracers, with its own words for them."""
    if raised is None or not re.search(r"\b(?:Jit|DynamicJaxpr|Batch|Vmap|JVP|Grad|Linearize)Tracer\b", text):
        return None
    found = culprits(raised)
    what = raised.text if raised.text is not None and len(raised.text) <= 60 else "This line"
    said = " ".join(filter(None, ["While JAX traces, an array has a shape but no values.", found.sentence]))
    words = "Use a function of JAX, or compute the value outside of the traced function."
    cure = FoundCure("a function of JAX", None, words)
    return Explained(None, f"{what} cannot take a traced array", said, (cure,), traced=True)


def _key(raised: RaisedAt | None) -> Explained:
    title = "The first argument must be a key of jax.random.key"
    text = "jax.random.key makes a key of a number. Split the key for each use."
    call = raised.node if raised is not None else None
    cure = FoundCure("jax.random.key", None, text)
    if raised is not None and isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
        if type(call.args[0].value) is int:
            code = f"jax.random.key({call.args[0].value})"
            cure = applied(FoundCure("jax.random.key", code, text), [edit_of(raised, over(call.args[0], code))])
    return Explained(None, title, "", (cure,))
