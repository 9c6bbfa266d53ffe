/** Tests the glosses of StableHLO and HLO operations, each a line with a link. */
import { nullTranslator } from '@jupyterlab/translation';

import { operationGloss } from '../operation-glosses';

const trans = nullTranslator.load('jupyter_jaxpr');

describe('the gloss of an operation', () => {
  it('names its section in the specification of StableHLO', () => {
    expect(
      operationGloss('"stablehlo.all_reduce"', 'stablehlo', trans)
    ).toEqual({
      words: 'the sum or another reduction over devices, on each device',
      name: 'StableHLO: all_reduce',
      address: 'https://openxla.org/stablehlo/spec#all_reduce'
    });
  });

  it('is of HLO, whose names have other signs', () => {
    expect(operationGloss('get-tuple-element', 'hlo', trans)).toEqual({
      words: 'one element of a tuple; nothing is copied',
      name: 'XLA documentation: operations',
      address: 'https://openxla.org/xla/operation_semantics'
    });
  });

  it('is of CHLO, which the specification of StableHLO does not have', () => {
    expect(operationGloss('chlo.erf_inv', 'stablehlo', trans)).toEqual({
      words: 'inverse of the error function',
      name: 'StableHLO specification',
      address: 'https://openxla.org/stablehlo/spec'
    });
  });

  it('is not known of every name', () => {
    expect(operationGloss('sdy.mesh', 'stablehlo', trans)).toBeNull();
    expect(operationGloss('constructor', 'hlo', trans)).toBeNull();
  });
});
