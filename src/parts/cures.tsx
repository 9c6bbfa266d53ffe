/**
 * Lists the cures of an error or a miss: the function to use, how far the kernel has tested the cure, and the edit with
 * its place.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IEditPlace, editPlace } from '../model/places-of-edits';
import { Cure, Edit, Snapshot } from '../protocol/snapshot';
import { CureActs, ICureOf, editPlaceWords } from './cure-buttons';
import { CureDiff } from './cure-diff';
import { shortened } from './summary';

/** Lists the cures of one error or miss; the user can apply one of them. */
export function Cures(
  props: ICureOf & {
    cures: readonly Cure[];
    trans: TranslationBundle;
  }
): JSX.Element {
  const { cures, model, snapshot, trans } = props;
  return (
    <dl className="jp-JaxprCures" aria-label={trans.__('Cures')}>
      {cures.map(({ name, code, text, level, edits }) => {
        const place = appliedPlace(snapshot, level, edits);
        return (
          <div key={name} data-level={level ?? 'advice'}>
            <dt>
              {shortened(name, 80)}
              {levelWords(level, trans) !== '' && (
                <span className="jp-JaxprPanel-second">
                  {' '}
                  {levelWords(level, trans)}
                </span>
              )}
            </dt>
            <dd>
              {place !== null && (
                <p className="jp-JaxprPanel-second">
                  {editPlaceWords(place, trans)}
                </p>
              )}
              {place !== null && place.edit !== null ? (
                <CureDiff edit={place.edit} trans={trans} />
              ) : (
                code !== null && (
                  <pre tabIndex={0}>
                    <code>{shortened(code, 4000)}</code>
                  </pre>
                )
              )}
              <p className="jp-JaxprPanel-second">{shortened(text, 1000)}</p>
              {place !== null && (
                <CureActs
                  model={model}
                  snapshot={snapshot}
                  place={place}
                  level={level}
                  trans={trans}
                />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The place that a cure edits; null for advice, and for a proposal that did not pass its trial. */
export function appliedPlace(
  snapshot: Snapshot,
  level: Cure['level'],
  edits: readonly Edit[] | undefined
): IEditPlace | null {
  return (level ?? 'advice') === 'advice'
    ? null
    : editPlace(snapshot, edits ?? []);
}

/** A word for how certain a cure is; empty for advice. */
export function levelWords(
  level: Cure['level'],
  trans: TranslationBundle
): string {
  switch (level) {
    case 'applies':
      return trans.__('Applies without changes');
    case 'choice':
      return trans.__('Replace the names in capitals');
    default:
      return '';
  }
}
