/** Declares the options of the wide view: texts, actions, storage, and the colours of Python. */
import type { Extension } from '@codemirror/state';
import { TranslationBundle } from '@jupyterlab/translation';

import type { IHeaderActions } from '../parts/program-header';
import type { IArrangement } from './column-arrangement';

/** The storage of the arrangement. */
export interface IMemory {
  /** The stored arrangement; undefined if nothing was stored. */
  load(): Promise<unknown>;
  keep(arrangement: IArrangement): void;
}

export interface IWideViewOptions {
  trans: TranslationBundle;
  actions: IHeaderActions;
  memory: IMemory;
  /**
   * Loads the editor extension that colours Python; resolves to an empty extension if the language is not available.
   */
  python: () => Promise<Extension>;
}
