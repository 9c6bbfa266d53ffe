/** Which cells of a notebook may run again because they load the extension. */
import { isOnly } from '../run-as-cell';

const LOAD = '%load_ext jupyter_jaxpr';

describe('a cell that loads the extension', () => {
  it.each([
    LOAD,
    `${LOAD}\nimport jax, jax.numpy as jnp\nfrom jax import lax`,
    `# load it\n\n${LOAD}\n%matplotlib inline\nimport numpy as np`
  ])('may hold imports: %j', source => {
    expect(isOnly(LOAD, source)).toBe(true);
  });

  it.each([
    `${LOAD}\nparams = train()`,
    `%%jaxpr\n${LOAD}\nf(x)`,
    `${LOAD}\nimport jax; jax.config.update('jax_enable_x64', True)`,
    'import jax',
    `print("${LOAD}")`
  ])('holds nothing that would run twice: %j', source => {
    expect(isOnly(LOAD, source)).toBe(false);
  });
});
