/** The name of a primitive comes in, a few words that say what it does go out. */
import { TranslationBundle } from '@jupyterlab/translation';

/** What a primitive does, where its name does not say it; null for the others. */
export function gloss(
  primitive: string,
  trans: TranslationBundle
): string | null {
  switch (primitive) {
    case 'broadcast_in_dim':
      return trans.__('repeat along new axes');
    case 'closed_call':
    case 'core_call':
      return trans.__('call');
    case 'cond':
      return trans.__('one of several branches, chosen when it runs');
    case 'conv_general_dilated':
      return trans.__('convolution');
    case 'convert_element_type':
      return trans.__('change of dtype');
    case 'copy':
    case 'copy_p':
      return trans.__('copy');
    case 'cumsum':
      return trans.__('running sum');
    case 'custom_jvp_call':
      return trans.__('function with its own derivative');
    case 'custom_vjp_call':
    case 'custom_vjp_call_jaxpr':
      return trans.__('function with its own gradient');
    case 'dot_general':
      return trans.__('matrix product');
    case 'dynamic_slice':
      return trans.__('part of an array, its start known when it runs');
    case 'dynamic_update_slice':
      return trans.__('array with a part replaced');
    case 'gather':
      return trans.__('indexing');
    case 'integer_pow':
      return trans.__('integer power');
    case 'iota':
      return trans.__('0, 1, 2, …');
    case 'jit':
    case 'pjit':
      return trans.__('call of a jitted function');
    case 'logistic':
      return trans.__('sigmoid');
    case 'random_bits':
    case 'threefry2x32':
      return trans.__('random bits');
    case 'remat2':
    case 'checkpoint':
      return trans.__('computed again for the gradient');
    case 'reshape':
      return trans.__('same values, other shape');
    case 'scan':
      return trans.__('loop of a fixed length');
    case 'scatter':
      return trans.__('array with indexed places set');
    case 'scatter-add':
    case 'scatter_add':
      return trans.__('array with values added at indexed places');
    case 'select_n':
      return trans.__('choice element by element');
    case 'shard_map':
      return trans.__('the same function on every device');
    case 'squeeze':
      return trans.__('without axes of size 1');
    case 'stop_gradient':
      return trans.__('no gradient from here');
    case 'while':
      return trans.__('loop until a condition');
    default:
      return null;
  }
}
