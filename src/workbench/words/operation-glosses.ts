/** Finds the gloss of an operation of StableHLO or HLO, and its specification. */
import { TranslationBundle } from '@jupyterlab/translation';

import { OperationGloss, operationTable } from './operation-table';

/** The page of the specification; its sections have the names of the operations. */
const STABLEHLO = 'https://openxla.org/stablehlo/spec';
const HLO = 'https://openxla.org/xla/operation_semantics';

/** The words for the value of an operation, the name of the operation, and the page of its specification. */
export interface IOperationWords {
  words: string;
  name: string;
  address: string;
}

/**
 * The gloss of an operation; null for an operation that the table does not have.
 * @param printed - The operation as the text prints it: `stablehlo.add`, `"stablehlo.all_reduce"`, `get-tuple-element`.
 */
export function operationGloss(
  printed: string,
  level: 'stablehlo' | 'hlo',
  trans: TranslationBundle
): IOperationWords | null {
  let table = made.get(trans);
  if (!table) {
    table = new Map(Object.entries(operationTable(trans)));
    made.set(trans, table);
  }
  const name = printed
    .replace(/^"|"$/g, '')
    .replace(/^(?:stablehlo|chlo|func)\./, '')
    .replace(/-/g, '_');
  const row = table.get(name);
  if (!row) {
    return null;
  }
  const [words, isSpecified] = row;
  return level === 'stablehlo' && isSpecified
    ? {
        words,
        name: trans.__('StableHLO: %1', name),
        address: `${STABLEHLO}#${name}`
      }
    : level === 'hlo'
      ? { words, name: trans.__('Operations of XLA'), address: HLO }
      : {
          words,
          name: trans.__('Operations of StableHLO'),
          address: STABLEHLO
        };
}

const made = new WeakMap<
  TranslationBundle,
  ReadonlyMap<string, OperationGloss>
>();
