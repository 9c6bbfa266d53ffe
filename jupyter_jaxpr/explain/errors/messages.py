"""An error whose message says it all in, its title and its way out, from a table of JAX's messages."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from ...observe.observation import FoundCure
from ...plain_text import message_of
from .edits import applied, edit_of, over
from .explanation import Explained
from .raised import RaisedAt


@dataclass(frozen=True)
class Message:
    """One message of JAX.

    Attributes:
        pattern: From the beginning of the message. Its groups stand for {1}, {2} ... in the texts.
        title: What happened.
        text: More of it.
        cure: Name and sentence of the way out.
    """

    pattern: str
    title: str
    text: str
    cure: tuple[str, str]


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
        r"Sharding .*? is only valid for values of rank at least (\d+), but was applied to a value of rank (\d+)",
        "A sharding for {1} axes cannot split an array of {2}",
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
        r"Received incompatible devices for jitted computation\. Got (?:argument )?(.*?) with .*? and (?:argument )?(.*?) with",
        "{1} and {2} are on different devices",
        "All arguments of a jitted function must be on the same devices.",
        ("jax.device_put", "Move the arguments to the same devices with jax.device_put before the call."),
    ),
    Message(
        r"Python integer (-?\d+) out of bounds for (\w+)",
        "The number {1} does not fit into {2}",
        "The array decides the type of a number of Python beside it.",
        ("a larger type", "Convert the array to a larger type first, such as with .astype(jnp.int32)."),
    ),
    Message(
        r"Python int(?:eger)? too large to convert to C (\w+)",
        "An integer does not fit into the integers of JAX",
        "JAX gives an integer of Python the type int32, which ends at 2,147,483,647.",
        ("a float", "Use a float, or turn jax_enable_x64 on before any other use of JAX."),
    ),
    Message(
        r"Found an unbound axis name: (\w+)",
        "No axis is named {1} here",
        "vmap with axis_name, or shard_map, names an axis for the function that it calls.",
        ("axis_name", 'Call the function under jax.vmap with axis_name="{1}", or under jax.shard_map.'),
    ),
    Message(
        r"unhashable type: '\w*Tracer'|Error interpreting .*unhashable type: '\w*Tracer'",
        "A traced array cannot be a key of a dict or an element of a set",
        "While JAX traces, an array has no value to hash.",
        ("a list", "Use a list, or a key that is no array, such as a text or an index."),
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


def message_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """An error whose message the table has."""
    text = message_of(error).strip()
    if isinstance(error, TypeError) and _KEY.search(text):
        return _key(raised)
    for row in MESSAGES:
        found = re.match(row.pattern, text, re.DOTALL)
        if found is None:
            continue
        groups = [found[0], *(group or "" for group in found.groups())]

        def filled(template: str, groups: list[str] = groups) -> str:
            return re.sub(r"\{(\d)\}", lambda match: " ".join(groups[int(match[1])].split()), template)

        name, words = row.cure
        return Explained(None, filled(row.title), filled(row.text), (FoundCure(name, None, filled(words)),))
    return None


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
