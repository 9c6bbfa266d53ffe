/**
 * Lists StableHLO that was lowered for another platform.
 *
 * The model's links know one StableHLO, that of the program that ran. This listing has links of its own, and translates
 * a selection in its text to equations.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { ILinked, Links } from '../../model/links';
import type { Selection } from '../../tokens';
import type { JaxprListing } from './jaxpr-listing';
import { TextListing } from './text-listing';

export class PlatformListing extends TextListing {
  constructor(
    private _own: Links,
    private _jaxpr: JaxprListing,
    trans: TranslationBundle,
    platform: string
  ) {
    super(_own, 'stablehlo', trans, platform);
  }

  override selection(first: number): Selection | null {
    const equations = this._own
      .equationsOfLine('stablehlo', first)
      .map(id => this._jaxpr.rows.rowOfId(id))
      .filter(row => row !== null && row !== undefined)
      .map(({ scope, equation }) => ({ scope, equation }));
    return equations.length > 0 ? { kind: 'equations', equations } : null;
  }

  override linkedLines(linked: ILinked): readonly number[] {
    const equations = [...linked.equations]
      .map(id => this._jaxpr.rows.rowOfId(id))
      .filter(row => row !== null && row !== undefined)
      .map(({ scope, equation }) => ({ scope, equation }));
    return super.linkedLines(
      this._own.resolve({ kind: 'equations', equations })
    );
  }
}
