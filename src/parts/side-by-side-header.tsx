/** The header of the wide view: the state of the kernel, the program, its signature, and the state of Live. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { panelContent } from './panel-content';
import { LiveLine } from './live-line';
import { Header, IHeaderActions } from './program-header';
import { ModelWidget } from './model-widget';
import { Banner, Waiting } from './states/banner';
import { RunningAbove } from './states/running';

export class WideHead extends ModelWidget {
  constructor(
    private _trans: TranslationBundle,
    private _actions: IHeaderActions
  ) {
    super(['status', 'snapshots', 'program', 'paused']);
    this.addClass('jp-JaxprWide-head');
  }

  protected render(): JSX.Element {
    const { model, _trans: trans } = this;
    if (model === null || model.snapshot === null) {
      return (
        <p className="jp-JaxprWide-empty">
          {trans.__('No program yet. Run a cell that starts with %%jaxpr.')}
        </p>
      );
    }
    const none = model.program < 0 && panelContent(model) === 'message';
    return (
      <>
        <Banner model={model} trans={trans} />
        <div className="jp-JaxprPanel-fades">
          <Header
            model={model}
            trans={trans}
            actions={this._actions}
            above={
              model.program >= 0 &&
              model.status.kind === 'running' && (
                <RunningAbove progress={model.status.progress} trans={trans} />
              )
            }
          />
          <Waiting model={model} trans={trans} />
        </div>
        <LiveLine model={model} trans={trans} />
        {none && (
          <p className="jp-JaxprWide-empty">
            {model.snapshot.message ??
              model.snapshot.cut ??
              trans.__(
                'This run has no program to show. Choose another program above.'
              )}
          </p>
        )}
      </>
    );
  }
}
