/** Makes the widget that shows the diff of two programs in the main area. */
import { MainAreaWidget, ReactWidget } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IDiffChoice } from '../../model/diffs';
import { IJaxprModel } from '../../tokens';
import { jaxprIcon } from '../../parts/panel-icon';
import { Answer, useDiffs } from './diff-view';

let made = 0;

/** The widget of a diff; the caller adds the widget to the shell and owns it. */
export function diffWidget(
  model: IJaxprModel,
  choice: IDiffChoice,
  trans: TranslationBundle
): MainAreaWidget {
  const content = ReactWidget.create(
    <Beside model={model} choice={choice} trans={trans} />
  );
  content.addClass('jp-JaxprDiff');
  const widget = new MainAreaWidget({ content });
  made += 1;
  widget.id = `jupyter-jaxpr-diff-${made}`;
  widget.addClass('jp-JaxprPanel');
  const run = model.runs.find(
    ({ snapshot }) => snapshot.id === choice.after.snapshot
  );
  const name = run?.snapshot.programs[choice.after.program]?.name ?? '';
  widget.title.label = trans.__('Diff of %1', name);
  widget.title.caption = widget.title.label;
  widget.title.icon = jaxprIcon;
  widget.title.closable = true;
  return widget;
}

function Beside(props: {
  model: IJaxprModel;
  choice: IDiffChoice;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, choice, trans } = props;
  const diffs = useDiffs(model);
  // The panel may drop the two runs; this widget keeps the diff and continues to show it.
  const [earlierState, hold] = React.useState(() => diffs.stateOf(choice));
  const state = diffs.stateOf(choice);
  const diff = state.kind === 'done' ? state.diff : null;
  React.useEffect(() => {
    if (diff !== null) {
      hold({ kind: 'done', diff });
    }
  }, [diff]);
  return (
    <Answer
      model={model}
      diffs={diffs}
      choice={choice}
      earlierState={
        state.kind === 'idle' && earlierState.kind === 'done'
          ? earlierState
          : undefined
      }
      open={null}
      trans={trans}
    />
  );
}
