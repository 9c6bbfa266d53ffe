/** A row of a program, and the folds that start at the row. */
import type { IPrintedProgram } from './equations';
import type { IProgramNames } from './printed-variable-names';

/**
 * - open: the lambda line of a program
 * - equation
 * - close: the results of a program
 * - more: stands for equations that are still in the kernel
 */
export type RowKind = 'open' | 'equation' | 'close' | 'more';

/** A row of a program's text: a line that the panel shows, before the line is printed. */
export interface IRow {
  kind: RowKind;
  /** The index of the row, from 0; it changes when a page arrives. */
  index: number;
  /** The depth of the indentation. */
  depth: number;
  scope: number;
  /** The index of the equation in the scope; in a row of kind `more`, of the first missing equation; else -1. */
  equation: number;
  /**
   * The number of the equation in the program, from 1; in a row of kind `more`, of the first missing equation; 0 in
   * combiners, which are not counted, and in other rows.
   */
  number: number;
  names: IProgramNames;
  /**
   * In a row of kind `open`, the parameter that holds the program, such as `branches[0]=`; empty if there is only one.
   */
  label: string;
  /** The programs of this equation that are printed in full at another row, with that row. */
  elsewhere: { program: IPrintedProgram; row: IRow }[] | null;
  /** The folds that start at this row, the outer fold first. */
  folds: IFold[] | null;
}

/** Rows that can be folded to one row. */
export interface IFold {
  /**
   * scope: hides the rows after the end of the first row. call: hides all rows behind a line of its own. names: as
   * call, for equations under one name.
   */
  kind: 'scope' | 'call' | 'names';
  first: IRow;
  last: IRow;
  /** The numbers of the first and the last hidden equation; 0 for none. */
  from: number;
  to: number;
  /** For a call, the code of the call in the cell; for a group by names, the names. */
  name: string;
  /** True if the fold starts closed. */
  closed: boolean;
}
