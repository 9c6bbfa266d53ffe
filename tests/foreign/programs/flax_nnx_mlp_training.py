"""Trains and evaluates a Flax NNX model with dropout and batch norm, with an nnx.Optimizer and a metric."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, din, dmid, dout, rngs: nnx.Rngs):
        self.linear = nnx.Linear(din, dmid, rngs=rngs)
        self.bn = nnx.BatchNorm(dmid, rngs=rngs)
        self.dropout = nnx.Dropout(0.2, rngs=rngs)
        self.linear_out = nnx.Linear(dmid, dout, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.dropout(self.bn(self.linear(x))))
        return self.linear_out(x)


@nnx.jit
def train_step(model, optimizer, metrics, x, y):
    def loss_fn(model):
        return ((model(x) - y) ** 2).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    metrics.update(values=loss)
    return loss


@nnx.jit
def eval_step(model, x, y):
    return ((model(x) - y) ** 2).mean()


model = Model(2, 16, 3, rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
metrics = nnx.metrics.Average()
x = jax.random.normal(jax.random.key(1), (32, 2))
y = jnp.concatenate([x, x.sum(-1, keepdims=True)], axis=-1)
model.train()
for epoch in range(6):
    loss = train_step(model, optimizer, metrics, x, y)
    print(f"epoch {epoch}: {loss:.4f}")
model.eval()
print("mean", metrics.compute())
eval_step(model, x, y)
