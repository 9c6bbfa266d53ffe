/** Holds the lengths of a document's lists, with which the checks of answers compare indices. */

/** The lengths of the document's lists that indices point into. */
export interface IDocumentSizes {
  programs: number;
  /** The number of the constructs of control flow. */
  controls: number;
  frames: number;
  /** The number of equations of each scope. */
  scopes: readonly number[];
}

/** The sizes for a request that is about no document. */
export const NO_DOCUMENT: IDocumentSizes = {
  programs: 0,
  controls: 0,
  frames: 0,
  scopes: []
};
