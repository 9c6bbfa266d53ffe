/**
 * Draws the facts that a run has about an expression, and writes their sentences. Text from the run is inserted as
 * text, never as markup.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { IExpressionFacts, IOperations } from '../model/expressions';
import { amountWords, percent } from '../model/cost-shares';
import { linksOf } from '../model/links';
import { noNamesSentence, typeSentence } from '../model/named-types';
import { usersPrograms } from '../model/users-programs';
import { element } from '../parts/dom';
import { shortened } from '../parts/summary';
import type { ProgramEquations } from '../program-text/equations';
import { operandText, variableName } from '../program-text/full-text';
import {
  IProgramNames,
  nameProgram
} from '../program-text/printed-variable-names';
import type { Snapshot } from '../protocol/snapshot';
import type { IEquationRef } from '../tokens';

/** The largest number of equations that are listed; further equations are counted. */
const MOST_EQUATIONS = 6;
const LONGEST_LINE = 300;

/** The facts about an expression, as an element and as text for a screen reader. */
export interface IExpressionCard {
  node: HTMLElement;
  words: string;
}

/** Makes the card with the facts about an expression. */
export function expressionCard(
  facts: IExpressionFacts,
  trans: TranslationBundle
): IExpressionCard {
  const node = element('div', 'jp-JaxprCell-expression');
  const sentences: string[] = [];
  const add = (className: string, text: string): void => {
    node.append(element('div', className, text));
    sentences.push(text);
  };
  add('jp-JaxprCell-expressionCode', shortened(facts.text, LONGEST_LINE));
  for (const sentence of typeSentences(facts, trans)) {
    add('jp-JaxprCell-expressionFact', sentence);
  }
  for (const sentence of countSentences(facts, trans)) {
    add('jp-JaxprCell-expressionFact', sentence);
  }
  const lines = equationLines(facts);
  if (lines.length > 0) {
    const list = element('ul', 'jp-JaxprCell-expressionEquations');
    list.append(...lines.map(line => element('li', '', line)));
    node.append(list);
    sentences.push(...lines);
  }
  const left = facts.outermost.length - lines.length;
  if (left > 0) {
    add(
      'jp-JaxprCell-expressionFact',
      trans._n(
        '%1 more equation of the expression is not listed.',
        '%1 more equations of the expression are not listed.',
        left
      )
    );
  }
  for (const sentence of programSentences(facts, trans)) {
    add('jp-JaxprCell-expressionFact', sentence);
  }
  return { node, words: sentences.join('\n') };
}

/** Makes the card with the types of a line, for a place of the line without an expression. */
export function typesCard(sentences: string): IExpressionCard {
  return cardOf(sentences.split('\n'));
}

/** The sentence for a place without an equation and without a type in the run. */
export function unknownCard(
  snapshot: Snapshot,
  trans: TranslationBundle
): IExpressionCard {
  const sentences = [
    trans.__('The run has no type and no equation for this place in the code.'),
    ...noNames(snapshot, trans)
  ];
  return cardOf(sentences);
}

function cardOf(sentences: readonly string[]): IExpressionCard {
  const node = element('div', 'jp-JaxprCell-expression');
  for (const sentence of sentences) {
    node.append(element('div', 'jp-JaxprCell-expressionFact', sentence));
  }
  return { node, words: sentences.join('\n') };
}

function noNames(snapshot: Snapshot, trans: TranslationBundle): string[] {
  const sentence = noNamesSentence(snapshot, trans);
  return sentence === null ? [] : [sentence];
}

function typeSentences(
  { snapshot, name, results }: IExpressionFacts,
  trans: TranslationBundle
): string[] {
  if (name !== null) {
    return [typeSentence(name, trans)];
  }
  return results.length === 0
    ? noNames(snapshot, trans)
    : [
        trans._n(
          'While JAX traced, the result of the expression had the type %2.',
          'While JAX traced, the results of the expression had %1 types: %2.',
          results.length,
          shortened(results.join(', '), LONGEST_LINE)
        )
      ];
}

function countSentences(
  { outermost, isCall, ways, operations }: IExpressionFacts,
  trans: TranslationBundle
): string[] {
  const sentences: string[] = [];
  const count = outermost.length;
  if (count > 0) {
    sentences.push(
      isCall
        ? trans._n(
            '%1 equation comes from the function that the expression calls.',
            '%1 equations come from the function that the expression calls.',
            count
          )
        : trans._n(
            '%1 equation comes from the expression.',
            '%1 equations come from the expression.',
            count
          )
    );
  }
  if (!isCall && ways > 1) {
    sentences.push(
      trans.__('JAX traced the expression in %1 different calls.', ways)
    );
  }
  if (operations !== null) {
    sentences.push(operationsSentence(operations, trans));
  }
  return sentences;
}

function operationsSentence(
  { amounts, share, kind }: IOperations,
  trans: TranslationBundle
): string {
  const amount = amountWords(amounts, 'work', trans);
  if (kind === 'per iteration') {
    return trans.__(
      'The cost of the equations is %1. The cost counts one step of each loop with an unknown number of steps.',
      amount
    );
  }
  if (kind === 'at most') {
    return share === null
      ? trans.__('The cost of the equations is at most %1.', amount)
      : trans.__(
          'The cost of the equations is at most %1, %2 of the total cost of the program.',
          amount,
          percent(share)
        );
  }
  return share === null
    ? trans.__('The cost of the equations is %1.', amount)
    : trans.__(
        'The cost of the equations is %1, %2 of the total cost of the program.',
        amount,
        percent(share)
      );
}

/** The sentence that names the program that the card describes; empty if the run has only one program. */
function programSentences(
  { snapshot, program, programs }: IExpressionFacts,
  trans: TranslationBundle
): string[] {
  if (usersPrograms(snapshot).length < 2) {
    return [];
  }
  const name = shortened(snapshot.programs[program].name, LONGEST_LINE);
  return [
    programs > 1
      ? trans.__(
          'This card describes program number %1, named %2. %3 programs of the run contain the expression.',
          program + 1,
          name,
          programs
        )
      : trans.__(
          'This card describes program number %1, named %2. No other program of the run contains the expression.',
          program + 1,
          name
        )
  ];
}

/** The first equations of the expression, as the program prints them, without parameters. */
function equationLines({
  snapshot,
  program,
  outermost
}: IExpressionFacts): string[] {
  if (outermost.length === 0) {
    return [];
  }
  const { equations } = linksOf(snapshot, program);
  const names = namesOf(equations);
  return outermost
    .slice(0, MOST_EQUATIONS)
    .map(ref => equationLine(equations, names, ref))
    .filter(line => line !== null);
}

function equationLine(
  equations: ProgramEquations,
  names: IProgramNames,
  { scope, equation }: IEquationRef
): string | null {
  const part = equations.part(scope, equation);
  if (part === null) {
    return null;
  }
  const results: string[] = [];
  const end = part.outputEnd(equation);
  for (let at = part.outputStart(equation); at < end; at++) {
    const type = part.aval(at)?.text ?? '…';
    results.push(`${variableName(names, scope, at)}:${type}`);
  }
  const words = [
    ...results,
    ...(results.length > 0 ? ['='] : []),
    part.primitive(equation),
    ...Array.from(part.operands(equation), operand =>
      operandText(names, part, scope, operand)
    )
  ];
  return shortened(words.join(' '), LONGEST_LINE);
}

/** The names of a program's variables, kept because finding them takes long in a large program. */
function namesOf(equations: ProgramEquations): IProgramNames {
  const cached = NAMES.get(equations);
  if (cached?.pages === equations.pages) {
    return cached.names;
  }
  const names = nameProgram(equations);
  NAMES.set(equations, { pages: equations.pages, names });
  return names;
}

const NAMES = new WeakMap<
  ProgramEquations,
  { pages: number; names: IProgramNames }
>();
