/**
 * Describes a variable or an equation of a program as an element of the page, for the tooltip and for the detail below
 * the code.
 */
import { element } from '../../parts/dom';
import { TranslationBundle } from '@jupyterlab/translation';

import type { Links } from '../../model/links';
import type { ScopePart } from '../../program-text/equations';
import type { RowPrinter } from '../../program-text/row-printer';
import type { IRow } from '../../program-text/row';
import type { ProgramRows } from '../../program-text/rows';
import type { AssignedNames } from '../../program-text/assigned-names';
import type { ISourceSpan } from '../../program-text/source-spans';
import type { Aval } from '../../protocol/snapshot';
import { documentationOf, gloss, glossOf } from './primitive-glosses';
import { frameLine } from '../listing/frame-line';
import type { IVariablePlace } from '../listing/listing';
import { ArgumentNames, resultName, weakTypeWords } from './row-tags';
import type { VariableUses } from '../listing/variable-uses';

/** The objects that descriptions are made from. */
export interface IDescribed {
  rows: ProgramRows;
  printer: RowPrinter;
  links: Links;
  names: ArgumentNames;
  results: AssignedNames;
  trans: TranslationBundle;
}

/** The largest number of listed uses; with more uses, a description ends with an ellipsis and states their number. */
const MOST_USES = 8;

/** Describes a variable: shape, dtype, weak type, sharding, and where it is bound and read. */
export function describeVariable(
  { rows, names, results, trans }: IDescribed,
  uses: VariableUses,
  place: IVariablePlace
): HTMLElement {
  const { scope, variable, name } = place;
  const node = element('div', 'jp-JaxprProgram-description');
  const aval = rows.equations.aval(scope, variable);
  const head = element('div', 'jp-JaxprProgram-types');
  head.append(element('b', '', name), ':', typeNode(aval));
  node.append(head);
  for (const words of typeWords(aval, trans)) {
    node.append(element('div', 'jp-JaxprProgram-fact', words));
  }
  const { boundBy, readBy, isResult } = uses.of(scope, variable);
  const path = names.of(scope, variable);
  node.append(
    element(
      'div',
      'jp-JaxprProgram-fact',
      boundBy > 0
        ? trans.__('defined by equation %1', boundBy)
        : variable < rows.equations.snapshot.scopes[scope].constants
          ? trans.__('a constant of this jaxpr')
          : path === null
            ? trans.__('an input of this jaxpr')
            : trans.__(
                'an input of this jaxpr: %1 in the Python function',
                path
              )
    )
  );
  const assigned = boundBy > 0 ? results.of(scope, variable) : [];
  if (assigned.length > 0) {
    node.append(
      element(
        'div',
        'jp-JaxprProgram-fact',
        trans.__('%1 in the Python function', assigned.join(', '))
      )
    );
  }
  const read = readBy.filter(number => number > 0);
  if (read.length > 0) {
    const listed = read.slice(0, MOST_USES).join(', ');
    node.append(
      element(
        'div',
        'jp-JaxprProgram-fact',
        read.length > MOST_USES
          ? trans.__('used by %1 equations: %2, …', read.length, listed)
          : trans._n(
              'used by equation %2',
              'used by equations %2',
              read.length,
              listed
            )
      )
    );
  } else if (!isResult) {
    node.append(
      element('div', 'jp-JaxprProgram-fact', trans.__('used by no equation'))
    );
  }
  if (isResult) {
    node.append(
      element('div', 'jp-JaxprProgram-fact', trans.__('a result of this jaxpr'))
    );
  }
  node.append(
    element('div', 'jp-JaxprProgram-fact', uses.range(place, trans).live)
  );
  return node;
}

function typeWords(aval: Aval | null, trans: TranslationBundle): string[] {
  if (!aval) {
    return [];
  }
  const words: string[] = [];
  if (aval.dtype !== '') {
    const shape = aval.shape.join(' × ');
    words.push(
      aval.shape.length === 0
        ? trans.__('a scalar, dtype %1', aval.dtype)
        : trans.__('shape %1, dtype %2', shape, aval.dtype)
    );
  }
  if (aval.weak) {
    words.push(weakTypeWords(trans));
  }
  if (aval.sharding !== null) {
    words.push(trans.__('sharding %1', aval.sharding));
  }
  return words;
}

/** Describes an equation: its primitive, its source, its types, on request all other facts, and its cost if given. */
export function describeEquation(
  described: IDescribed,
  row: IRow,
  full: boolean,
  cost: string | null = null
): HTMLElement {
  const { rows, links, trans } = described;
  const node = element('div', 'jp-JaxprProgram-description');
  const part = rows.equations.part(row.scope, row.equation);
  if (!part) {
    return node;
  }
  const primitive = part.primitive(row.equation);
  const origin = links.origin(row.scope, row.equation);
  const span = origin && links.cellSpan(origin);
  const head = element('div', 'jp-JaxprProgram-title');
  if (span) {
    head.append(
      element('span', 'jp-JaxprProgram-badge', badgeText(links, span))
    );
  }
  head.append(element('b', '', primitive));
  const words = gloss(primitive, trans);
  if (words !== null) {
    head.append(element('span', 'jp-JaxprProgram-gloss', words));
  }
  const text = span && links.spans.text(span);
  if (text) {
    head.append(element('code', '', text));
  }
  node.append(head);
  node.append(typesLine(described, part, row));
  if (cost !== null) {
    node.append(element('div', 'jp-JaxprProgram-fact jp-mod-cost', cost));
  }
  if (full) {
    node.append(...facts(described, part, row));
  }
  return node;
}

/** Prints the types of an equation: `l:f32[16], j:f32[16,16] → o:f32[16] pre`. */
function typesLine(
  { rows, printer, results }: IDescribed,
  part: ScopePart,
  row: IRow
): HTMLElement {
  const line = element('div', 'jp-JaxprProgram-types');
  const { parts, text } = printer.print(row);
  const binders = parts.filter(({ kind }) => kind === 'binder');
  let first = true;
  const add = (name: string, type: string | null): void => {
    if (!first) {
      line.append(', ');
    }
    first = false;
    line.append(name);
    if (type !== null) {
      line.append(':', element('span', 'jp-JaxprProgram-type', type));
    }
  };
  for (const { kind, variable, from, to } of parts) {
    const name = text.slice(from, to);
    if (kind === 'operand') {
      add(name, rows.equations.aval(row.scope, variable)?.text ?? null);
    } else if (kind === 'literal') {
      add(name, null);
    }
  }
  if (binders.length > 0) {
    line.append(first ? '→ ' : ' → ');
    first = true;
    for (const { from, to, variable } of binders) {
      add(text.slice(from, to), part.aval(variable)?.text ?? null);
      const assigned = results.of(row.scope, variable);
      if (assigned.length > 0) {
        const tag = element(
          'span',
          'jp-JaxprProgram-tag jp-mod-name',
          resultName(assigned)
        );
        tag.title = assigned.join(', ');
        line.append(tag);
      }
    }
  }
  return line;
}

/** Lists the parameters, effects, name stack and frames of an equation. */
function facts(
  { links, trans }: IDescribed,
  part: ScopePart,
  row: IRow
): HTMLElement[] {
  const nodes: HTMLElement[] = [];
  const list = element('dl', 'jp-JaxprProgram-facts');
  const add = (term: string, value: string | HTMLElement): void => {
    const definition = element('dd', '');
    definition.append(value);
    list.append(element('dt', '', term), definition);
  };
  const primitive = part.primitive(row.equation);
  const operands = glossOf(primitive, trans)?.[2];
  if (operands) {
    add(trans.__('operands'), operands);
  }
  for (const [name, value] of part.parameters(row.equation)) {
    if (value !== null) {
      add(name, element('code', '', value));
    }
  }
  const effects = part.effects(row.equation);
  if (effects.length > 0) {
    add(trans.__('effects'), effects.join(', '));
  }
  const nameStack = part.nameStack(row.equation);
  if (nameStack !== '') {
    add(trans.__('name stack'), element('code', '', nameStack));
  }
  const { snapshot } = links.equations;
  const origin = links.origin(row.scope, row.equation);
  const own = links.spans.origin(part.pools, part.stack(row.equation));
  if (origin) {
    const frames = element('div', '');
    for (const frame of origin.frames) {
      const span = links.spans.span(frame);
      const words = trans.__(
        '%1, in %2',
        whereOf(links, span, trans),
        span.function
      );
      frames.append(frameLine(words, span, snapshot, true).node);
    }
    add(own ? trans.__('source line') : trans.__('called from line'), frames);
  }
  const library = links.spans.libraryFrames(
    part.pools,
    part.stack(row.equation)
  );
  if (library.length > 0) {
    const details = document.createElement('details');
    details.append(
      element(
        'summary',
        '',
        trans._n('%1 library frame', '%1 library frames', library.length)
      )
    );
    const lines = library.map(span => {
      const { function: name, file, line } = span;
      const words = trans.__('%1, %2:%3', name, file.path, line);
      return frameLine(words, span, snapshot, false);
    });
    details.append(...lines.map(({ node }) => node));
    // The texts of library files are requested when the user opens the list.
    details.addEventListener(
      'toggle',
      () => lines.forEach(line => line.read()),
      {
        once: true
      }
    );
    add(trans.__('library calls'), details);
  }
  const documentation = documentationOf(primitive, trans);
  if (documentation) {
    const link = element('a', 'jp-JaxprProgram-doc', documentation.name);
    link.href = documentation.address;
    link.target = '_blank';
    link.rel = 'noopener';
    add(trans.__('documentation'), link);
  }
  if (list.childElementCount > 0) {
    nodes.push(list);
  }
  return nodes;
}

/** The place of a source line that this package inferred, because XLA does not state the source. */
export const inferredPlace = (
  where: string,
  trans: TranslationBundle
): string => trans.__('%1 (inferred: XLA does not state the source)', where);

/** Prints a place: `line 6`, `cell [3], line 2`, `model.py, line 20`. */
export function whereOf(
  links: Links,
  span: ISourceSpan,
  trans: TranslationBundle
): string {
  if (links.inOwnCell(span)) {
    return trans.__('line %1', span.line);
  }
  if (span.file.kind === 'cell') {
    return span.file.execution_count === null
      ? trans.__('another cell, line %1', span.line)
      : trans.__('cell [%1], line %2', span.file.execution_count, span.line);
  }
  return trans.__(
    '%1, line %2',
    span.file.path.split(/[\\/]/).pop(),
    span.line
  );
}

/** The text of a badge: the line number, preceded by the cell's number if it is another cell. */
export function badgeText(links: Links, span: ISourceSpan): string {
  const { execution_count } = span.file;
  return links.inOwnCell(span) || execution_count === null
    ? String(span.line)
    : `[${execution_count}] ${span.line}`;
}

function typeNode(aval: Aval | null): HTMLElement {
  return element('span', 'jp-JaxprProgram-type', aval?.text ?? '?');
}
