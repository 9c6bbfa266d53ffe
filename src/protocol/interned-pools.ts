/** Checks the pools that a document and its pages share: strings, avals, literals, files, frames, stacks. */
import {
  checkEach,
  fields,
  flag,
  indices,
  integer,
  oneOf,
  orNull,
  row,
  text
} from './structure';
/** The lengths of the pools: lists of shared values, to which other parts refer by index. */
export interface IPools {
  strings: number;
  avals: number;
  literals: number;
  parameterLists: number;
  files: number;
  frames: number;
  stacks: number;
  scopes: number;
}

/** Checks the pools of a document or of a page, and returns their lengths; a pool that a page lacks counts as empty. */
export function checkPools(
  holder: Readonly<Record<string, unknown>>,
  scopes: number
): IPools {
  const strings = checkEach(holder.strings, 'strings', text).length;
  const avals =
    holder.avals === undefined
      ? 0
      : checkEach(holder.avals, 'avals', checkAval).length;
  const literals =
    holder.literals === undefined
      ? 0
      : checkEach(holder.literals, 'literals', value => {
          const literal = row(value, 'literals', 2);
          integer(literal[0], 'literals.text', 0, strings);
          integer(literal[1], 'literals.aval', 0, avals);
        }).length;
  const parameterLists =
    holder.parameter_lists === undefined
      ? 0
      : checkEach(holder.parameter_lists, 'parameter_lists', parameters =>
          checkEach(parameters, 'parameter_lists', value => {
            const parameter = row(value, 'parameter_lists', 2);
            integer(parameter[0], 'parameter_lists.name', 0, strings);
            integer(parameter[1], 'parameter_lists.value', -1, strings);
          })
        ).length;
  const files = checkEach(holder.files, 'files', checkFile).length;
  const frames = checkEach(holder.frames, 'frames', value => {
    const frame = row(value, 'frames', 6);
    integer(frame[0], 'frames.file', 0, files);
    integer(frame[1], 'frames.function', 0, strings);
    const line = integer(frame[2], 'frames.line', 0);
    integer(frame[3], 'frames.column', -1);
    integer(frame[4], 'frames.end_line', line);
    integer(frame[5], 'frames.end_column', -1);
  }).length;
  const stacks = checkEach(holder.stacks, 'stacks', value => {
    const stack = row(value, 'stacks', 2);
    indices(stack[0], 'stacks.frames', 0, frames);
    indices(stack[1], 'stacks.library', 0, frames);
  }).length;
  return {
    strings,
    avals,
    literals,
    parameterLists,
    files,
    frames,
    stacks,
    scopes
  };
}

function checkAval(value: unknown): void {
  const aval = fields(value, 'avals');
  text(aval.text, 'avals.text');
  checkEach(aval.shape, 'avals.shape', (size, field) =>
    typeof size === 'string' ? text(size, field) : integer(size, field, 0)
  );
  text(aval.dtype, 'avals.dtype');
  flag(aval.weak, 'avals.weak');
  orNull(aval.sharding, 'avals.sharding', text);
}

function checkFile(value: unknown): void {
  const file = fields(value, 'files');
  text(file.path, 'files.path');
  oneOf(file.kind, 'files.kind', ['cell', 'user', 'library'] as const);
  orNull(file.cell_id, 'files.cell_id', text);
  orNull(file.execution_count, 'files.execution_count', (count, field) =>
    integer(count, field, 0)
  );
  orNull(file.source, 'files.source', text);
}
