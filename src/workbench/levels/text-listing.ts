/** Lists StableHLO or HLO for the listing view, page by page. */
import { Text } from '@codemirror/state';
import { TranslationBundle } from '@jupyterlab/translation';
import { hlo } from '../languages/shortened-hlo-lines';
import { ILineChip, ILineLanguage, TokenKind } from '../languages/line';
import { stablehlo } from '../languages/shortened-stablehlo-lines';
import type { ILineFacts, ILinked, Links, TextLevel } from '../../model/links';
import type { SourcePools } from '../../program-text/source-spans';
import type { Selection } from '../../tokens';
import { HloStructure } from './hlo-structure';
import { describeTextLine, lineBadge } from './line-origin';
import type {
  IDescription,
  IListedFold,
  IListedLine,
  IListing,
  ISplice
} from '../listing/listing';
import { noiseOfLines } from '../reading/noise-rules';
import { namesOfStack } from '../reading/query';
import { SourceHeads } from '../listing/source-heads';
import { IEquationCount, ITextMarks, referenceOf, tagsOf } from './text-marks';
import { TextFolds } from './text-folds';

const LANGUAGES: Record<TextLevel, ILineLanguage> = { stablehlo, hlo };

const CLASSES: Record<TokenKind, string> = {
  comment: 'jp-JaxprProgram-keyword',
  keyword: 'jp-JaxprProgram-keyword',
  operation: 'jp-JaxprProgram-primitive',
  type: 'jp-JaxprProgram-type'
};

/** The lines of one text of a program. */
export class TextListing implements IListing {
  constructor(
    private _links: Links,
    readonly level: TextLevel,
    protected _trans: TranslationBundle,
    /** The platform for which the text was lowered, if the program ran on another platform; else null. */
    platform: string | null = null
  ) {
    this._language = LANGUAGES[level];
    this._folds = new TextFolds(level, _trans);
    const { name } = _links.equations.program;
    this.label =
      platform === null
        ? this._trans.__('%1 of %2', this._language.name, name)
        : this._trans.__(
            '%1 of %3 for the platform %2',
            this._language.name,
            platform,
            name
          );
  }

  readonly label: string;
  readonly heads = new SourceHeads(this._links, this._trans, index => {
    const origin = this._links.lineOrigin(this.level, index);
    const isInferred = this._links.isInferred(this.level, index);
    return origin && { origin, isInferred };
  });

  get digits(): number {
    return String(this._total).length;
  }

  /** The number of lines of the text, including lines that have not arrived. */
  get total(): number {
    return this._total;
  }

  /** The number of lines that have arrived; they are the first lines of the text. */
  get arrivedLines(): number {
    return this._lines.length;
  }

  get complete(): boolean {
    return this.arrivedLines >= this._total;
  }

  /** The computations in the lines that have arrived. */
  get structure(): HloStructure {
    return this._structure;
  }

  /** The line where reading starts: XLA prints the entry of a program last. Null for the first line. */
  get start(): number | null {
    return this._structure.entry?.first ?? null;
  }

  /** Appends lines of the text that have arrived from the kernel. */
  add(
    text: string,
    firstLine: number,
    lineStacks: readonly number[],
    pools: SourcePools,
    total: number,
    facts: ILineFacts = {}
  ): ISplice | null {
    if (firstLine !== this._lines.length) {
      return null; // the page was requested twice, and its lines were added when it arrived first
    }
    const lines = text.split('\n');
    this._links.addText(this.level, firstLine, lineStacks, pools, facts);
    const at = this._lines.length;
    for (let i = 0; i < lines.length; i++) {
      const line = lines[i].trimStart();
      this._indents.push(lines[i].length - line.length);
      this._lines.push(line);
      lines[i] = line;
    }
    this._total = Math.max(total, this._lines.length);
    if (this.level === 'hlo') {
      this._structure.add(at, lines);
      this._counts.clear();
    }
    this._folds.find(this._lines, this._total);
    const inserted = this.complete ? lines : [...lines, this._moreText()];
    return { at, removed: 1, lines: inserted };
  }

  document(): Text {
    return Text.of(
      this.complete ? this._lines : [...this._lines, this._moreText()]
    );
  }

  line(index: number): IListedLine {
    if (index >= this._lines.length) {
      return {
        kind: 'more',
        number: '',
        depth: 0,
        badge: null,
        parts: [],
        chips: [],
        button: this._moreText(),
        reference: null
      };
    }
    const text = this._lines[index];
    const { tokens, chips } = this._language.read(text);
    const operation = tokens.find(({ kind }) => kind === 'operation');
    const { _marks: marks } = this;
    return {
      kind: 'line',
      number: `${index + 1}`,
      depth: this._indents[index] >> 1,
      badge: lineBadge(this._links, this.level, index, this._trans),
      parts: tokens.map(({ from, to, kind }) => ({
        from,
        to,
        className: CLASSES[kind]
      })),
      chips,
      button: null,
      reference: this.level === 'hlo' ? referenceOf(text, marks) : null,
      tags: operation
        ? tagsOf(
            text,
            text.slice(operation.from, operation.to),
            tagPlace(chips, operation.to, text.length),
            marks
          )
        : []
    };
  }

  /** A text shows no heat: costs belong to equations. */
  heat(): null {
    return null;
  }

  folds(index: number): readonly IListedFold[] {
    return this._folds.at(index);
  }

  allFolds(): Iterable<IListedFold> {
    return this._folds.all();
  }

  linkedLines(linked: ILinked): readonly number[] {
    if (linked !== this._linked?.linked) {
      this._linked = {
        linked,
        lines: [...linked.lines[this.level]].sort((a, b) => a - b)
      };
    }
    return this._linked.lines;
  }

  variables(): ReadonlySet<string> {
    return new Set();
  }

  selection(first: number, _last?: number): Selection | null {
    return first < this._lines.length && this._lines[first].trim() !== ''
      ? { kind: 'text', level: this.level, line: first, stack: -1 }
      : null;
  }

  describe(index: number, column: number): IDescription | null {
    if (index >= this._lines.length) {
      return null;
    }
    const operation = this._language
      .read(this._lines[index])
      .tokens.find(
        ({ kind, from, to }) =>
          kind === 'operation' && from <= column && column <= to
      );
    const node = operation && this.describeLine(index);
    return node ? { from: operation.from, to: operation.to, node } : null;
  }

  /** The gloss of a line's operation and the origin of the line; null if both are unknown. */
  describeLine(index: number): HTMLElement | null {
    const operation = this._language
      .read(this._lines[index])
      .tokens.find(({ kind }) => kind === 'operation');
    return describeTextLine(
      this._links,
      this.level,
      index,
      operation && this._lines[index].slice(operation.from, operation.to),
      this._trans
    );
  }

  sourceLine(index: number): number {
    const origin = this._links.lineOrigin(this.level, index);
    const span = origin && this._links.cellSpan(origin);
    return span && this._links.inOwnCell(span) ? span.line : -1;
  }

  /** The scopes in the metadata on the line itself; a reference to a location on another line is not followed. */
  scopes(index: number): readonly string[] {
    const [, stack] =
      /\b(?:op_name=|loc\()"([^"]*)"/.exec(this._lines[index] ?? '') ?? [];
    if (stack === undefined) {
      return NO_SCOPES;
    }
    let names = this._scopes.get(stack);
    if (!names) {
      names = namesOfStack(stack);
      this._scopes.set(stack, names);
    }
    return names;
  }

  arrived(): { arrivedCount: number; total: number } {
    return { arrivedCount: this.arrivedLines, total: this._total };
  }

  noise(): Uint8Array {
    return noiseOfLines(this._lines);
  }

  indentation(index: number): string {
    return ' '.repeat(this._indents[index] ?? 0);
  }

  wholeText(): string | null {
    return this._lines
      .map((line, index) => this.indentation(index) + line)
      .join('\n');
  }

  private get _marks(): ITextMarks {
    return {
      structure: this._structure,
      equations: (first, last) => this._equationsBetween(first, last),
      trans: this._trans
    };
  }

  /** The number of equations that the lines of a computation come from. */
  private _equationsBetween(first: number, last: number): IEquationCount {
    let equationCount = this._counts.get(first);
    if (equationCount === undefined) {
      const { ids, isExact } = this._links.equationsOfLines(
        this.level,
        first,
        last
      );
      equationCount = { count: ids.size, isExact };
      this._counts.set(first, equationCount);
    }
    return equationCount;
  }

  private _moreText(): string {
    const missing = this._total - this._lines.length;
    return this._trans._n(
      '… %1 more line',
      '… %1 more lines',
      missing,
      missing.toLocaleString('en')
    );
  }

  private _language: ILineLanguage;
  private _structure = new HloStructure();
  /**
   * The equation counts of computations, by the first line of each. Only the numbers are kept, as a place may have
   * thousands of equations.
   */
  private _counts = new Map<number, IEquationCount>();
  /** The lines without indentation, and the indentation of each line. */
  private _lines: string[] = [];
  private _indents: number[] = [];
  private _total = 0;
  private _scopes = new Map<string, readonly string[]>();
  private _folds: TextFolds;
  private _linked: { linked: ILinked; lines: number[] } | null = null;
}

const NO_SCOPES: readonly string[] = [];

/** The position of tags in a line: after the operands, before folded parts. */
function tagPlace(
  chips: readonly ILineChip[],
  operation: number,
  end: number
): number {
  const last = chips[chips.length - 1];
  return last && last.to === end && last.from >= operation ? last.from : end;
}
