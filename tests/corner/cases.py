"""Holds corner cases of calling JAX: cells as users write them.

The setup of a case runs in an unobserved cell before its cell.
"""

SETUP = """
import functools, warnings
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
warnings.simplefilter("ignore")
x = jnp.arange(8.0)
matrix = jnp.ones((4, 8))
mesh = Mesh(np.array(jax.devices()), ("d",))
"""

# name of the case -> (setup cell, observed cell)
CASES: dict[str, tuple[str, str]] = {
    "plain": ("", "jax.jit(lambda x: x + 1)(x)"),
    "static by keyword": ("", "jax.jit(lambda x, n: x * n, static_argnames='n')(x, n=3)"),
    "static by position": ("", "jax.jit(lambda n, x: x * n, static_argnums=0)(3, x)"),
    "keyword": ("", "jax.jit(lambda x, y: x - y)(x, y=2.0)"),
    "default not given": ("", "jax.jit(lambda x, y=2.0: x - y)(x)"),
    "Python scalar": ("", "jax.jit(lambda x, s: x * s)(x, 2.5)"),
    "NumPy argument": ("", "jax.jit(lambda x: x * 2)(np.ones(5, np.float32))"),
    "weakly typed": ("w = jnp.asarray(1.0)", "jax.jit(lambda x: x * 2)(w)"),
    "donated": ("gone = jnp.ones(8) + 0", "jax.jit(lambda a: a + 1, donate_argnums=0)(gone)"),
    "typed PRNG key": ("key = jax.random.key(0)", "jax.jit(lambda k: jax.random.normal(k, (3,)))(key)"),
    "raw PRNG key": ("key = jax.random.PRNGKey(0)", "jax.jit(lambda k: jax.random.normal(k, (3,)))(key)"),
    "pytree": ("p = {'a': x, 'n': None, 't': (x, [x])}", "jax.jit(lambda p: p['a'] * p['t'][1][0])(p)"),
    "own pytree node": (
        """
@jax.tree_util.register_pytree_node_class
class Point:
    def __init__(self, x, y): self.x, self.y = x, y
    def tree_flatten(self): return (self.x, self.y), None
    @classmethod
    def tree_unflatten(cls, aux, children): return cls(*children)
""",
        "jax.jit(lambda p: Point(p.y, p.x))(Point(x, 1.0)).x",
    ),
    "method": (
        """
class Model:
    scale = 2
    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, x): return x * self.scale
    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x): return x + self.scale
model = Model()
""",
        "model.step(x)",
    ),
    "callable object": ("model_2 = Model()", "model_2(x)"),
    "partial": ("", "jax.jit(functools.partial(lambda x, k: x * k, k=2.0))(x)"),
    "jit of grad": ("def loss(v): return (v ** 2).sum()", "jax.jit(jax.grad(loss))(x)"),
    "jit of vmap of grad": ("", "jax.jit(jax.vmap(jax.value_and_grad(loss)))(matrix)"),
    "grad around a jit": ("@jax.jit\ndef inner(v): return jnp.sin(v).sum()", "jax.grad(inner)(x)"),
    "vmap around a jit": ("", "jax.vmap(inner)(matrix)"),
    "jit in jit": ("", "jax.jit(lambda v: inner(v) + 1)(x)"),
    "jit in make_jaxpr": ("", "jaxpr = jax.make_jaxpr(lambda v: inner(v) + 1)(x)"),
    "ahead of time": ("", "compiled = jax.jit(lambda v: v - 1).lower(x).compile(); compiled(x)"),
    "custom_vjp": (
        """
@jax.custom_vjp
def clip(x): return x
clip.defvjp(lambda x: (x, None), lambda residual, g: (jnp.clip(g, -1, 1),))
""",
        "jax.jit(jax.grad(lambda v: clip(v).sum()))(x)",
    ),
    "remat": (
        "",
        "jax.jit(jax.grad(lambda v: jax.checkpoint(lambda u: jnp.sin(jnp.sin(u)))(v).sum()))(x)",
    ),
    "debug.print": (
        "def shout(x):\n    jax.debug.print('x is {x}', x=x[0])\n    return x * 2",
        "shouting = jax.jit(shout)\nshouting(x)\nshouting(x)",
    ),
    "pure_callback": (
        "",
        "spec = jax.ShapeDtypeStruct((8,), jnp.float32)\n"
        "jax.jit(lambda v: jax.pure_callback(lambda a: np.asarray(a) * 2, spec, v))(x)",
    ),
    "ordered io_callback": (
        "from jax.experimental import io_callback",
        "jax.jit(lambda v: io_callback(np.asarray, jax.ShapeDtypeStruct((8,), jnp.float32), v, ordered=True))(x)",
    ),
    "sharded": ("sharded = jax.device_put(x, NamedSharding(mesh, P('d')))", "jax.jit(lambda v: v.sum())(sharded)"),
    "in_shardings": ("", "jax.jit(lambda v: v * 2, in_shardings=NamedSharding(mesh, P('d')))(x)"),
    "shard_map": (
        "",
        "jax.jit(jax.shard_map(lambda v: lax.psum(v, 'd'), mesh=mesh, in_specs=P('d'), out_specs=P()))(sharded)",
    ),
    "pmap": ("", "jax.pmap(lambda v: v * 2)(jnp.ones((8, 3)))"),
    "x64": ("", "with jax.enable_x64(True):\n    y = jax.jit(lambda v: v * 2)(jnp.ones(3, jnp.float64))\ny"),
    "mesh": ("", "with jax.set_mesh(mesh):\n    y = jax.jit(lambda v: v * 2)(x)\ny"),
    "matmul precision": (
        "",
        "with jax.default_matmul_precision('float32'):\n    y = jax.jit(lambda m: m @ m.T)(matrix)\ny",
    ),
    "pallas interpreted": (
        """
from jax.experimental import pallas as pl
def add_one(i, o): o[...] = i[...] + 1
""",
        "jax.jit(lambda v: pl.pallas_call(add_one, out_shape=jax.typeof(v), interpret=True)(v))(x)",
    ),
    "scan with a jitted body": ("", "jax.jit(lambda xs: lax.scan(lambda c, x: (c + x, inner(xs)), 0.0, xs))(x)"),
    "JAX's own function": ("", "jax.jit(jax.nn.softmax)(x)"),
    "eager": ("", "jnp.cos(x) + 1"),
    "hit": ("hot = jax.jit(lambda v: v * 5); hot(x)", "for _ in range(3):\n    y = hot(x)\ny"),
    "two shapes": ("", "square = jax.jit(lambda v: v * v)\nsquare(x)\nsquare(x[:4])"),
    "equinox filter_jit": (
        """
import equinox as eqx
mlp = eqx.nn.MLP(4, 2, 8, 1, key=jax.random.key(0))
@eqx.filter_jit
def forward(model, x): return jax.vmap(model)(x)
batch = jnp.ones((3, 4))
""",
        "forward(mlp, batch)",
    ),
    "equinox partition": (
        "arrays, rest = eqx.partition(mlp, eqx.is_array)",
        "jax.jit(lambda p, v: eqx.combine(p, rest)(v))(arrays, batch[0])",
    ),
    "flax nnx": (
        "from flax import nnx\nlinear = nnx.Linear(4, 3, rngs=nnx.Rngs(0))",
        "nnx.jit(lambda m, v: m(v))(linear, batch)",
    ),
    "flax linen": (
        "import flax.linen as nn\ndense = nn.Dense(3)\nvariables = dense.init(jax.random.key(0), batch)",
        "jax.jit(dense.apply)(variables, batch)",
    ),
    "optax": (
        "import optax\noptimizer = optax.sgd(0.1)\nstate = optimizer.init(x)",
        "jax.jit(optimizer.update)(x, state)",
    ),
}
