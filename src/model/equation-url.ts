/**
 * Makes a URL fragment that names the chosen equation, and chooses the equation that a fragment names.
 *
 * The fragment has the cell, the program, and the number and primitive of the equation. As long as the cell is
 * unchanged, a later run has the same numbers; if it has changed, a sentence says so.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { IRow } from '../program-text/row';
import { ProgramRows } from '../program-text/rows';
import type { IJaxprModel } from '../tokens';
import { linksOf } from './links';
import { readingPlaceOf } from './reading-place';

/** The parts of a URL fragment that names an equation. */
export interface IEquationUrl {
  /** The id of the cell; empty for a run that no cell made. */
  cell: string;
  /** The index of the program in its run, and the name of the program. */
  program: number;
  name: string;
  /** The number of the equation, from 1, and its primitive. */
  equation: number;
  primitive: string;
}

const MARK = '#jaxpr?';

/** The URL fragment of the chosen equation; null if no equation is chosen. */
export function fragmentOf(model: IJaxprModel): string | null {
  const link = urlOf(model);
  return link === null
    ? null
    : MARK +
        new URLSearchParams({
          cell: link.cell,
          program: String(link.program),
          name: link.name,
          equation: String(link.equation),
          primitive: link.primitive
        }).toString();
}

function urlOf(model: IJaxprModel): IEquationUrl | null {
  const { snapshot, program, selection } = model;
  if (snapshot === null || program < 0 || selection === null) {
    return null;
  }
  const links = linksOf(snapshot, program);
  const rows = new ProgramRows(links.equations, links.spans);
  const [first] = [...links.resolve(selection).equations]
    .flatMap(id => rows.rowOfId(id) ?? [])
    .sort((a, b) => a.index - b.index);
  return first === undefined || first.number === 0
    ? null
    : {
        cell: snapshot.cell?.id ?? '',
        program,
        name: snapshot.programs[program].name,
        equation: first.number,
        primitive: primitiveOf(rows, first)
      };
}

function primitiveOf({ equations }: ProgramRows, row: IRow): string {
  return equations.part(row.scope, row.equation)?.primitive(row.equation) ?? '';
}

/** Reads the fragment of the page's URL; null if the fragment names no equation. */
export function readFragment(fragment: string): IEquationUrl | null {
  if (!fragment.startsWith(MARK)) {
    return null;
  }
  const parameters = new URLSearchParams(fragment.slice(MARK.length));
  const number = (name: string): number => Number(parameters.get(name) ?? '-1');
  const link = {
    cell: parameters.get('cell') ?? '',
    program: number('program'),
    name: parameters.get('name') ?? '',
    equation: number('equation'),
    primitive: parameters.get('primitive') ?? ''
  };
  return Number.isInteger(link.program) &&
    Number.isInteger(link.equation) &&
    link.equation > 0
    ? link
    : null;
}

/**
 * Chooses the equation that a fragment names, in the newest run of its cell.
 *
 * Returns false while the panel has no run of the cell. Otherwise returns a sentence on how the run differs from the
 * fragment; empty if it does not differ.
 */
export function followLink(
  model: IJaxprModel,
  link: IEquationUrl,
  trans: TranslationBundle
): false | string {
  const run = model.runs.find(
    ({ snapshot }) => (snapshot.cell?.id ?? '') === link.cell
  );
  if (run === undefined) {
    return false;
  }
  const { snapshot } = run;
  const { programs } = snapshot;
  const program =
    programs[link.program]?.name === link.name
      ? link.program
      : programs.findIndex(({ name }) => name === link.name);
  readingPlaceOf(model).leave();
  model.setRun(snapshot.id);
  if (program < 0) {
    return trans.__('The newest run of the cell has no program %1.', link.name);
  }
  model.setProgram(program);
  const links = linksOf(snapshot, program);
  const rows = new ProgramRows(links.equations, links.spans);
  const row = rows.rows.find(
    ({ kind, number }) => kind === 'equation' && number === link.equation
  );
  if (row === undefined) {
    return link.equation > programs[program].equations
      ? trans.__(
          'The program %1 no longer has an equation %2.',
          link.name,
          link.equation
        )
      : trans.__(
          'Equation %2 of %1 has not arrived in the panel. Scroll to the equation.',
          link.name,
          link.equation
        );
  }
  const { scope, equation } = row;
  model.setSelection({
    kind: 'equations',
    equations: [{ scope, equation }]
  });
  const primitive = primitiveOf(rows, row);
  return primitive === link.primitive
    ? ''
    : trans.__(
        'The link was made for the primitive %3, but equation %2 of %1 has the primitive %4 now.',
        link.name,
        link.equation,
        link.primitive,
        primitive
      );
}
