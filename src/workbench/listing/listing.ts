/**
 * The contract between what is listed (a program's rows, lines of StableHLO or HLO) and the view that shows it.
 *
 * A listing has as many lines as the editor's document. It is asked only about lines on screen.
 */
import type { Text } from '@codemirror/state';

import type { IHeat } from '../../model/heat';
import type { ILineChip } from '../languages/line';
import type { ILinked } from '../../model/links';
import type { LevelName, Selection } from '../../tokens';
import type { ILineFacts } from '../reading/query';
import type { IBinder } from './binder-chips';
import type { SourceHeads } from './source-heads';

/** The line of the user's cell that a line comes from, at the right edge. */
export interface IBadge {
  text: string;
  title: string;
  /** inferred: JAX does not say so; it follows from where it stands. */
  kind: 'own' | 'other' | 'inferred';
}

/** A part of a line with a look of its own. */
export interface IListedPart {
  from: number;
  to: number;
  /** Empty where it looks like the text around it. */
  className: string;
  /** The same for every place that means the same variable. */
  variable?: string;
}

/** A line as it is shown. */
export interface IListedLine {
  kind: string;
  /** At the left edge; may be empty. */
  number: string;
  /** How deep it is indented; the document's text is without that space. */
  depth: number;
  badge: IBadge | null;
  parts: readonly IListedPart[];
  chips: readonly ILineChip[];
  /** Of the first line of a program: its variables, folded where the width asks for that. */
  binders?: readonly IBinder[];
  /** The whole line is a button. */
  button: string | null;
  /** After the line: leads to another line. */
  reference: { text: string; title: string; line: number } | null;
  /** Words beside a part of the line that are no part of its text. */
  tags?: readonly ITag[];
}

/** Something to know of a line, in a word or two. */
export interface ITag {
  /** Where in the line it stands. */
  at: number;
  text: string;
  /** A sentence. */
  title: string;
  /**
   * name: what the user's code calls a value. raised: an operand of the call that ended the trace. fact: all else that
   * is so. The others: of a derived program.
   */
  kind:
    | 'name'
    | 'raised'
    | 'fact'
    | 'forward'
    | 'backward'
    | 'again'
    | 'tangent'
    | 'both'
    | 'other'
    | 'kept';
}

/** A place in a line that means a variable. */
export interface IVariablePlace {
  /** The same for every place that means the same variable. */
  key: string;
  scope: number;
  variable: number;
  name: string;
  line: number;
  from: number;
  to: number;
}

/** Where a variable is bound and read, as lines; null lines have not arrived. */
export interface IVariableRange {
  /** The line that binds it. */
  first: number;
  /** The last line that reads it. */
  last: number;
  /** Every line that reads it, ascending. */
  uses: readonly number[];
  /** Where it is defined, how often it is used and where it is live, in sentences. */
  words: string;
  /** Where it is live, in a sentence: the last one of `words`. */
  live: string;
}

/** Lines that can be shown as one. */
export interface IListedFold {
  readonly first: number;
  readonly last: number;
  /** All of the first line is hidden too, behind what `placeholder` gives. */
  readonly whole: boolean;
  /** Whether it starts closed. */
  readonly closed: boolean;
  /** What it is, for a screen reader. */
  readonly label: string;
  placeholder(): HTMLElement;
  /** Of a group of lines under one name: the group inside it that begins on the same line. Other folds have none. */
  readonly inner?: IListedFold | null;
}

/** Lines that came in place of others. */
export interface ISplice {
  at: number;
  removed: number;
  lines: readonly string[];
}

/** What a tooltip or the detail below the code is made of. */
export interface IDescription {
  from: number;
  to: number;
  node: HTMLElement;
}

/** What is listed. */
export interface IListing extends ILineFacts {
  readonly level: LevelName;
  /** For a screen reader. */
  readonly label: string;
  /** How many digits the longest number at the left edge has. */
  readonly digits: number;
  /** The document, one line a line. */
  document(): Text;
  line(index: number): IListedLine;
  /** What lines cost that are shown as one, where that is to be seen and known. */
  heat(first: number, last: number): IHeat | null;
  folds(index: number): readonly IListedFold[];
  allFolds(): Iterable<IListedFold>;
  /** Lines under one name, outer before inner; where there are names. */
  nameFolds?(): readonly IListedFold[];
  /** The lines that belong to what is pointed at, ascending. */
  linkedLines(linked: ILinked): readonly number[];
  /** Variables that what is pointed at binds. */
  variables(linked: ILinked): ReadonlySet<string>;
  /** What it means to point at these lines (several where they are folded to one); null for nothing. */
  selection(first: number, last: number): Selection | null;
  /** What is known of the place under the mouse; `column` is -1 for the line. */
  describe(line: number, column: number): IDescription | null;
  /** The space before a line; a copy of several lines has it. */
  indentation(index: number): string;
  /** How much of it is here, and how much there is: equations of a jaxpr, lines of a text. */
  arrived(): { held: number; total: number };
  /** Of each line: the bits of noise.ts. */
  noise(): Uint8Array;
  /** The line of source that each line comes from. */
  readonly heads: Pick<SourceHeads, 'of' | 'changed'>;
  /** The variables that are named in a line, from left to right. */
  variablesIn?(index: number): readonly IVariablePlace[];
  variableRange?(place: IVariablePlace): IVariableRange;
  /** More than the document: what copying all of it gives; null where it is the document itself. */
  wholeText(): string | null;
}

/** What an editor of a listing tells. */
export interface IListingEvents {
  /** The mouse is over a line, or over none. */
  hovered(selection: Selection | null): void;
  /** A line was chosen, by mouse or keyboard. */
  selected(selection: Selection | null): void;
  /** Go to the cell. */
  entered(): void;
  /** The button of a line that stands for more was seen or pressed. */
  moreWanted(line: number): void;
  /** All of the text is needed, for a search. */
  allWanted(): void;
}
