/** Makes each view of the panel. */
import { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import type { IJaxprModel } from '../../tokens';
import { NotesView } from '../notes/notes';
import type { IPanelActions } from './above-view';
import type { ViewName } from './view-names';

/** A widget that shows one view of the panel for a model; null while there is no model. */
export interface IView extends Widget {
  model: IJaxprModel | null;
}

/** The function that makes each view; a view with a large module loads the module when the function is called. */
export const MAKERS: Record<
  ViewName,
  (
    trans: TranslationBundle,
    choose: (view: ViewName) => void,
    actions: IPanelActions
  ) => Promise<IView>
> = {
  program: async (trans, choose, actions) => {
    const { ProgramView } = await import(
      /* webpackChunkName: "panel_program" */ '../program'
    );
    const { wide, transforms, hides } = actions;
    return new ProgramView({
      trans,
      wide,
      transforms,
      openFlow: () => choose('flow'),
      hidden: hides?.()
    });
  },
  flow: async (trans, choose) => {
    const { FlowView } = await import(
      /* webpackChunkName: "panel_flow" */ '../flow'
    );
    return new FlowView(trans, () => choose('program'));
  },
  cache: async trans => {
    const { CacheView } = await import(
      /* webpackChunkName: "panel_cache" */ '../cache'
    );
    return new CacheView(trans);
  },
  time: async (trans, _, actions) => {
    const { TimeView } = await import(
      /* webpackChunkName: "panel_time" */ '../time'
    );
    return new TimeView(trans, actions.rendermime ?? null);
  },
  cost: async (trans, choose) => {
    const { CostView } = await import(
      /* webpackChunkName: "panel_cost" */ '../cost'
    );
    return new CostView(trans, () => choose('program'));
  },
  diff: async (trans, _, actions) => {
    const { DiffView } = await import(
      /* webpackChunkName: "panel_diff" */ '../diff'
    );
    return new DiffView(trans, actions.diff ?? null);
  },
  compare: async (trans, choose, actions) => {
    const { CompareView } = await import(
      /* webpackChunkName: "panel_compare" */ '../compare'
    );
    return new CompareView(
      trans,
      () => choose('program'),
      actions.beside ?? null
    );
  },
  notes: async (trans, _, actions) => new NotesView(trans, actions.insert)
};
