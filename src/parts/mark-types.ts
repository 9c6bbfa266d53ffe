/** The types of the marks in a cell, by places of the text that ran. */
import type { ILineCount } from './cell-signs';

/** A place in a cell: lines from 1, columns from 0 in UTF-16 code units, -1 for an unknown number. */
export interface IMarkedSpan {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  /**
   * own: the equations were written in the span. call: the equations were written elsewhere, in code that the span
   * calls.
   */
  role: 'own' | 'call';
}

/** A line's share of the program's cost. */
export interface ILineHeat {
  line: number;
  /** A number from 0 to 1. */
  share: number;
  title: string;
}

/** The types that the names of a line had while JAX traced. */
export interface ILineTypes {
  line: number;
  /** The types of all names, for the end of the line. */
  text: string;
  title: string;
  /** The type of each name, with the column after the name; -1 for the end of the line. */
  names: readonly { column: number; text: string; title: string }[];
}

/** The marks of the step that the stepper shows. */
export interface IStepMarks {
  spans: readonly IMarkedSpan[];
  /** The values that go into the step and come out of the step, for the ends of lines. */
  values: readonly { line: number; text: string; title: string }[];
}

/** All marks of a cell. */
export interface ICellMarks {
  spans: readonly IMarkedSpan[];
  /** Lines that the trace did not reach. */
  untraced: readonly number[];
  /** The counts of the calls of jitted functions at a line, in parts. */
  counts: readonly { line: number; parts: readonly ILineCount[] }[];
  /** The types that the names of a line had while JAX traced. */
  types: readonly ILineTypes[];
  /** The notes about lines. */
  notes: readonly { line: number; text: string }[];
  /** The marks of the step in view; null without a step in view. */
  step: IStepMarks | null;
  /** The costs of lines, drawn beside them. */
  heat: readonly ILineHeat[];
  /** True if types stand after their names, false if they stand at the end of the line. */
  typesAfterNames: boolean;
  /** The tooltip of an untraced line. */
  untracedTitle: string;
  /** The tooltip of text that was edited since the cell ran. */
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
