/** Describes from which source line a line of StableHLO or HLO comes. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Links, TextLevel } from '../../model/links';
import { element } from '../../parts/dom';
import type { IBadge } from '../listing/listing';
import { badgeText, inferredPlace, whereOf } from '../words/describe';
import { operationGloss } from '../words/operation-glosses';

/** The badge of a line: the number of the cell's line from which it comes; null if unknown. */
export function lineBadge(
  links: Links,
  level: TextLevel,
  index: number,
  trans: TranslationBundle
): IBadge | null {
  const origin = links.lineOrigin(level, index);
  const span = origin && links.cellSpan(origin);
  if (!span) {
    return null;
  }
  const where = whereOf(links, span, trans);
  if (links.isInferred(level, index)) {
    return {
      text: badgeText(links, span),
      title: inferredPlace(where, trans),
      kind: 'inferred'
    };
  }
  return {
    text: badgeText(links, span),
    title: where,
    kind: links.inOwnCell(span) ? 'own' : 'other'
  };
}

/**
 * The gloss of a line's operation and the origin of the line; null if both are unknown.
 *
 * @param name The name of the operation.
 */
export function describeTextLine(
  links: Links,
  level: TextLevel,
  index: number,
  name: string | undefined,
  trans: TranslationBundle
): HTMLElement | null {
  const origin = links.lineOrigin(level, index);
  const gloss = name === undefined ? null : operationGloss(name, level, trans);
  if (!origin && !gloss) {
    return null;
  }
  const node = element('div', 'jp-JaxprProgram-description');
  const title = element('div', 'jp-JaxprProgram-title');
  const span = origin && links.cellSpan(origin);
  if (span) {
    title.append(
      element('span', 'jp-JaxprProgram-badge', badgeText(links, span))
    );
  }
  if (name !== undefined) {
    title.append(element('b', '', name));
  }
  if (gloss) {
    title.append(element('span', 'jp-JaxprProgram-gloss', gloss.words));
  }
  const text = span && links.spans.text(span);
  if (text) {
    title.append(element('code', '', text));
  }
  node.append(title);
  if (links.isInferred(level, index)) {
    node.append(
      element(
        'div',
        'jp-JaxprProgram-fact',
        trans.__(
          'Inferred: XLA does not state the source of this line. An instruction that contains or uses this line comes from this place in the source.'
        )
      )
    );
  }
  if (links.isNamed(level, index)) {
    node.append(
      element(
        'div',
        'jp-JaxprProgram-fact',
        trans.__(
          'Inferred: several equations come from this source line. Only this equation has the name and the type of the instruction. XLA does not state the equation.'
        )
      )
    );
  }
  for (const frame of origin?.frames ?? []) {
    const where = links.spans.span(frame);
    node.append(
      element(
        'div',
        'jp-JaxprProgram-fact',
        `${where.function}, ${whereOf(links, where, trans)}`
      )
    );
  }
  if (gloss) {
    const link = element('a', 'jp-JaxprProgram-doc', gloss.name);
    link.href = gloss.address;
    link.target = '_blank';
    link.rel = 'noopener';
    const fact = element('div', 'jp-JaxprProgram-fact');
    fact.append(link);
    node.append(fact);
  }
  return node;
}
