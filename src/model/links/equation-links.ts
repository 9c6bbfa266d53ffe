/** Finds everything that is linked to certain equations and to the places from which they come. */
import { IOrigin, SourceSpans, spanKey } from '../../program-text/source-spans';
import type { ISourceSpan } from '../../program-text/source-spans';
import type { PlaceIndex } from './place-index';
import { ILinked, ILinkedSpan, addAll } from './linked-to-selection';

/** Finds the places and lines that are linked to the origins of one program's equations. */
export class EquationLinks {
  constructor(
    readonly spans: SourceSpans,
    private _index: PlaceIndex,
    private _ownFile: string | null
  ) {}

  /** The innermost frame of an origin that is in a cell, as a span; null if there is none. */
  cellSpan(origin: IOrigin): ISourceSpan | null {
    for (const frame of origin.frames) {
      const span = this.spans.span(frame);
      if (span.file.kind === 'cell') {
        return span;
      }
    }
    return null;
  }

  /** True if a span is in the cell that ran. */
  inOwnCell(span: ISourceSpan): boolean {
    return span.file.path === this._ownFile;
  }

  /** Everything that is linked to some equations, and to their origins. */
  make(equations: ReadonlySet<number>, origins: readonly IOrigin[]): ILinked {
    const lines = { stablehlo: new Set<number>(), hlo: new Set<number>() };
    const spans = new Map<string, ILinkedSpan>();
    const fileSpans = new Map<string, ILinkedSpan>();
    const librarySpans = new Map<string, ILinkedSpan>();
    const exacts = new Set<number>();
    for (const origin of origins) {
      if (exacts.has(origin.exact)) {
        continue;
      }
      exacts.add(origin.exact);
      addAll(lines.stablehlo, this._index.texts.stablehlo.find(origin));
      addAll(lines.hlo, this._index.texts.hlo.find(origin));
      for (const id of origin.calls) {
        const call = this.spans.span(id);
        librarySpans.set(spanKey(call), { ...call, role: 'call' });
      }
      const inner = this.spans.span(origin.span);
      if (inner.file.kind !== 'cell') {
        fileSpans.set(spanKey(inner), { ...inner, role: 'own' });
      }
      const own = this.cellSpan(origin);
      if (!own) {
        continue;
      }
      spans.set(spanKey(own), { ...own, role: 'own' });
      if (!this.inOwnCell(own)) {
        const frame = origin.frames.find(id =>
          this.inOwnCell(this.spans.span(id))
        );
        if (frame !== undefined) {
          const call = this.spans.span(frame);
          spans.set(spanKey(call), { ...call, role: 'call' });
        }
      }
    }
    const all = [...spans.values(), ...fileSpans.values()];
    return {
      equations,
      spans: [...spans.values()],
      fileSpans: [...fileSpans.values()],
      librarySpans: [...librarySpans.values()],
      lines,
      precision:
        all.length === 0
          ? 'none'
          : all.some(({ column }) => column >= 0)
            ? 'span'
            : 'line'
    };
  }
}
