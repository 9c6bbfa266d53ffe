/** What a pane of a level gets from its host, and the events that it reports to the host. */
import type { EditorView } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import type { ILinked } from '../../model/links';
import type { ITextPlace } from '../../model/reading-place';
import type { Snapshot } from '../../protocol/snapshot';
import type { IJaxprModel, LevelName, Selection } from '../../tokens';
import type { ReadingTools } from '../reading/reading-tools';
import type { IConstruct } from '../listing/listing';
import type { LevelPane } from './level-pane';

/** The functions that a pane calls when its text or the user's position changes. */
export interface ILevelPaneHost {
  /**
   * Takes note that the text of the pane has arrived or become longer, or that the pane's `notice` or `count` has
   * changed.
   */
  changed(pane: LevelPane): void;
  /** Moves the keyboard focus from the text to the notebook's cell. */
  entered(pane: LevelPane): void;
  /** Moves the keyboard focus to the next (1) or the previous (-1) level. */
  left(pane: LevelPane, by: 1 | -1): void;
  /** Takes the linked place to which the user moved with the keyboard, counted from 1; null for none. */
  stepped?(place: { at: number; of: number } | null): void;
  /** Shows the recorded steps of a loop or branch; left out where nothing can show steps, as in an exported page. */
  stepsWanted?(construct: IConstruct): void;
}

/** What a closed pane leaves on the page for the pane that replaces it. */
export interface IHandedOver {
  node: HTMLElement;
  editor: EditorView | null;
}

export interface ILevelPaneOptions {
  trans: TranslationBundle;
  model: IJaxprModel;
  snapshot: Snapshot;
  /** The index into the snapshot's programs. */
  program: number;
  level: LevelName;
  host: ILevelPaneHost;
  /** The place and the editor of a pane of the same level that this pane replaces, from `LevelPane.handOver`. */
  before?: IHandedOver | null;
  /** The search and the filters that all panes of a view share; if left out, the pane has its own. */
  tools?: ReadingTools;
  /** Loads and saves the user's reading position in the text; if left out, the text starts at its first line. */
  place?: { load(): ITextPlace | null; keep(place: ITextPlace): void };
  /** Finds the equations and lines that are linked to a selection; if left out, the pane uses the program's links. */
  resolve?: (selection: Selection | null) => ILinked;
}

/** The number of a level's equations or lines that are linked to the selection, and the number of all of them. */
export interface ILevelCount {
  linked: number;
  total: number;
}
