/** The types of the marks in a cell; places refer to the text of the cell that ran. */
import type { ILineCount } from './cell-signs';

/** A place in a cell: lines from 1, columns from 0 in UTF-16 code units, -1 for an unknown number. */
export interface IMarkedSpan {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  /** own: the equations come from code in the span. call: they come from code that the span calls. */
  role: 'own' | 'call';
}

/** A line's share of the program's cost. */
export interface ILineHeat {
  line: number;
  /** The line's share of the program's cost, from 0 to 1. */
  share: number;
  title: string;
}

/** The types that the names of a line had while JAX traced. */
export interface ILineTypes {
  line: number;
  /** The types of all names, for the end of the line. */
  text: string;
  title: string;
  /** The type of each name, and the column after the name; the column -1 means the end of the line. */
  names: readonly { column: number; text: string; title: string }[];
}

/** The marks of the step that the stepper shows. */
export interface IStepMarks {
  spans: readonly IMarkedSpan[];
  /** For the ends of lines: the values before the step, and the values after the step. */
  values: readonly { line: number; text: string; title: string }[];
}

/** All marks of a cell. */
export interface ICellMarks {
  spans: readonly IMarkedSpan[];
  /** Lines that the trace did not reach. */
  untraced: readonly number[];
  /** The counts of calls of jitted functions on each line. */
  counts: readonly { line: number; parts: readonly ILineCount[] }[];
  /** The types that the names of a line had while JAX traced. */
  types: readonly ILineTypes[];
  /** The notes about lines. */
  notes: readonly { line: number; text: string }[];
  /** The marks of the step in view; null without a step in view. */
  step: IStepMarks | null;
  /** The costs of lines, drawn in the gutter. */
  heat: readonly ILineHeat[];
  /** True to show types directly after their names, false to show them at the end of the line. */
  typesAfterNames: boolean;
  /** The tooltip of an untraced line. */
  untracedTitle: string;
  /** The tooltip of a mark on text that was edited since the cell ran. */
  changedTitle: string;
}

export const NO_CELL_MARKS: ICellMarks = {
  spans: [],
  untraced: [],
  counts: [],
  types: [],
  notes: [],
  step: null,
  heat: [],
  typesAfterNames: false,
  untracedTitle: '',
  changedTitle: ''
};
