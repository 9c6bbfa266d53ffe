/** Stands in for the editing of a notebook that has one cell and no document. */
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { Signal } from '@lumino/signaling';

import { movedText } from '../../parts/moved-text';
import {
  ICellEditing,
  ICellEditor,
  ICellEditorOptions,
  ICellNow
} from '../applied-cures';

export class FakeEditing implements ICellEditing {
  constructor(
    private _id: string,
    public source: string,
    readonly isEditable = true
  ) {}

  /** The edits that the model has requested, as texts, in order. */
  readonly acts: string[] = [];
  readonly changed = new Signal<this, void>(this);

  find(id: string): ICellNow | null {
    return id === this._id
      ? { source: this.source, isEditable: this.isEditable }
      : null;
  }

  open(
    id: string,
    { host, extensions }: ICellEditorOptions
  ): ICellEditor | null {
    if (id !== this._id || !this.isEditable) {
      return null;
    }
    const view = new EditorView({
      parent: host,
      state: EditorState.create({
        doc: this.source,
        extensions: [movedText, extensions]
      })
    });
    const acts = this.acts;
    let isDisposed = false;
    return {
      view,
      get isDisposed() {
        return isDisposed;
      },
      dispose: () => {
        isDisposed = true;
        view.destroy();
      },
      undo: () => void acts.push('undo'),
      redo: () => void acts.push('redo')
    };
  }

  run(id: string): void {
    this.acts.push(`run ${id}`);
  }

  change(): void {
    this.acts.push('change');
  }

  insertBelow(): void {
    this.acts.push('insert');
  }
}
