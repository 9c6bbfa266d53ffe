/**
 * The contract between a listing (a program's rows, lines of StableHLO or HLO) and the view that shows it.
 *
 * A listing has as many lines as the editor's document. The view asks a listing only about lines on screen.
 */
import type { Text } from '@codemirror/state';

import type { IHeat } from '../../model/cost-shares';
import type { ILineChip } from '../languages/line';
import type { ILinked } from '../../model/links';
import type { LevelName, Selection } from '../../tokens';
import type { ILineFacts } from '../reading/query';
import type { IList } from '../../program-text/row-printer';
import type { IBinder } from './binder-chips';
import type { SourceHeads } from './source-heads';

/** The badge at the right edge of a line: the line of the user's cell from which the line comes. */
export interface IBadge {
  text: string;
  title: string;
  /** inferred: JAX does not state the line; it follows from the neighbours in the text. */
  kind: 'own' | 'other' | 'inferred';
}

/** A part of a line with a style of its own. */
export interface IListedPart {
  from: number;
  to: number;
  /** The CSS class; empty for a part that looks like the rest of the line. */
  className: string;
  /** The key of a variable: all places of the same variable have the same key. */
  variable?: string;
}

/** A line in the form in which the view shows it. */
export interface IListedLine {
  kind: string;
  /** The number at the left edge; may be empty. */
  number: string;
  /** The depth of the indentation; the document's text has no indentation. */
  depth: number;
  badge: IBadge | null;
  parts: readonly IListedPart[];
  chips: readonly ILineChip[];
  /** The long lists of an equation: narrow lines shorten the lists further. */
  lists?: readonly IList[];
  /** The long decimals of an equation: narrow lines shorten them. */
  decimals?: readonly ILineChip[];
  /** On the first line of a program, the program's variables, folded if the width requires it. */
  binders?: readonly IBinder[];
  /** The label of the button, if the whole line is a button; else null. */
  button: string | null;
  /** The link after the line's text, which leads to another line; null if there is none. */
  reference: { text: string; title: string; line: number } | null;
  /** A text beside a part of the line, which does not belong to the line's text. */
  tags?: readonly ITag[];
}

/** A fact about a line, in a word or two. */
export interface ITag {
  /** The position of the tag in the line. */
  at: number;
  text: string;
  /** The fact in a sentence. */
  title: string;
  /**
   * name: the name of a value in the user's code. raised: an operand of the call that ended the trace. fact: any other
   * fact. The remaining kinds belong to derived programs.
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

/** An occurrence of a variable in a line. */
export interface IVariablePlace {
  /** The key of the variable: all places of the same variable have the same key. */
  key: string;
  scope: number;
  variable: number;
  name: string;
  line: number;
  from: number;
  to: number;
}

/** The lines that bind and read a variable, as far as these lines have arrived. */
export interface IVariableRange {
  /** The line that binds the variable. */
  first: number;
  /** The last line that reads the variable. */
  last: number;
  /** All lines that read the variable, ascending. */
  uses: readonly number[];
  /** Sentences about the variable: its definition, the number of its uses, and the lines in which it is alive. */
  words: string;
  /** The sentence that says where the variable is alive; the last sentence of `words`. */
  live: string;
}

/** Lines that can be folded to one line. */
export interface IListedFold {
  readonly first: number;
  readonly last: number;
  /** True if the whole first line is hidden too, behind the element that `placeholder` returns. */
  readonly whole: boolean;
  /** True if the fold starts closed. */
  readonly closed: boolean;
  /** The name of the fold for a screen reader. */
  readonly label: string;
  placeholder(): HTMLElement;
  /** For a group of lines under one name, the inner group that starts on the same line; undefined for other folds. */
  readonly inner?: IListedFold | null;
}

/** A change of a listing: lines that replaced other lines, such as a page that has arrived. */
export interface ISplice {
  at: number;
  removed: number;
  lines: readonly string[];
}

/** The content of a tooltip, or of the detail below the code. */
export interface IDescription {
  from: number;
  to: number;
  node: HTMLElement;
}

/** The lines that a view shows, and what it can ask about them. */
export interface IListing extends ILineFacts {
  readonly level: LevelName;
  /** The name of the listing for a screen reader. */
  readonly label: string;
  /** The number of digits of the longest number at the left edge. */
  readonly digits: number;
  /** The text of the listing, one line of the listing in each line. */
  document(): Text;
  line(index: number): IListedLine;
  /** The cost of lines that are shown as one line; null unless heat is on and the cost is known. */
  heat(first: number, last: number): IHeat | null;
  folds(index: number): readonly IListedFold[];
  allFolds(): Iterable<IListedFold>;
  /** The groups of lines under one name, outer groups before inner groups; left out in a listing without names. */
  nameFolds?(): readonly IListedFold[];
  /** The lines that belong to the selection, ascending. */
  linkedLines(linked: ILinked): readonly number[];
  /** The variables that the equations of the selection bind. */
  variables(linked: ILinked): ReadonlySet<string>;
  /**
   * The selection that the user makes by pointing at these lines (several if they are folded to one line); null for
   * none.
   */
  selection(first: number, last: number): Selection | null;
  /** A description of the place under the mouse; `column` is -1 for the whole line. */
  describe(line: number, column: number): IDescription | null;
  /** The indentation of a line; a copy of several lines includes it. */
  indentation(index: number): string;
  /** The number of equations (of a jaxpr) or lines (of a text) that have arrived, and the number of all of them. */
  arrived(): { arrivedCount: number; total: number };
  /** The noise bits of each line, as noise-rules.ts defines them. */
  noise(): Uint8Array;
  /** The line of source that each line comes from. */
  readonly heads: Pick<SourceHeads, 'of' | 'changed'>;
  /** The variables that a line names, from left to right. */
  variablesIn?(index: number): readonly IVariablePlace[];
  variableRange?(place: IVariablePlace): IVariableRange;
  /** The control-flow construct of a line whose steps can be recorded; null for any other line. */
  construct?(index: number): IConstruct | null;
  /** The text that is copied when everything is selected; null if it equals the document. */
  wholeText(): string | null;
}

/** A control-flow construct whose steps can be recorded. */
export interface IConstruct {
  /** The index of the construct in the document's `control_flow`. */
  control: number;
  /** The function that the user called, with the name of the body: `scan step`. */
  name: string;
}

/** The functions that an editor with a listing calls when the user acts. */
export interface IListingEvents {
  /** Takes the place of the line onto which the mouse moved; null when the mouse leaves the lines. */
  hovered(selection: Selection | null): void;
  /** Takes the place of the line that the user chose, by mouse or keyboard. */
  selected(selection: Selection | null): void;
  /** Moves the keyboard focus to the notebook's cell. */
  entered(): void;
  /**
   * Requests lines that the kernel still has: the user has scrolled to the line that stands for them, or pressed its
   * button.
   */
  moreWanted(line: number): void;
  /** Requests all missing lines, because a search needs the whole text. */
  allWanted(): void;
  /** Shows the steps of a construct; left out if the host has no place for the steps. */
  stepsWanted?(construct: IConstruct): void;
}
