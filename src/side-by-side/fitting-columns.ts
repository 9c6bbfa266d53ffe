/** Chooses the columns that are in view until the user has chosen columns: as many as there is room for. */
import { COLUMNS, ColumnName } from './column-arrangement';

/**
 * The pixels that columns need side by side: four columns (the first number) or three. A window of 1440 pixels has room
 * for four columns beside JupyterLab's file browser.
 */
const ROOM_FOR_FOUR = 1100;
const ROOM_FOR_THREE = 1000;

/** The columns for which there is room. @param width The width of all columns together in pixels; 0 if unknown. */
export function fitting(width: number): readonly ColumnName[] {
  if (width === 0 || width >= ROOM_FOR_FOUR) {
    return COLUMNS;
  }
  return width >= ROOM_FOR_THREE
    ? ['source', 'jaxpr', 'hlo']
    : ['jaxpr', 'hlo'];
}
