/** The Compare view: functions compared side by side, and a form to compare programs. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { openWords } from '../../host';
import type { ScreenState } from '../../model/screen-state';

import { askingOf } from '../../model/request-state';
import { usersPrograms } from '../../model/users-programs';
import { VariantComparison } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { VisibilityReportingWidget } from '../../parts/visibility-reporting-widget';
import { Chooser } from './chooser';
import { Side } from './table';

/** Opens a comparison in the main area; null if the application has no place for a comparison there. */
export type OpenBeside = ((comparison: VariantComparison) => void) | null;

/** Draws the Compare view, and draws it again when the runs or the kernel's status change. */
export class CompareView extends VisibilityReportingWidget {
  /**
   * @param _openProgram Shows the Program view.
   * @param _openBeside Opens a comparison in the main area.
   */
  constructor(
    private _trans: TranslationBundle,
    private _openProgram: () => void,
    private _openBeside: OpenBeside
  ) {
    super(['snapshots', 'status']);
    this.addClass('jp-JaxprCompare');
  }

  protected render(): JSX.Element | null {
    const { model } = this;
    return model === null ? null : (
      <Compare
        model={model}
        openProgram={this._openProgram}
        openBeside={this._openBeside}
        trans={this._trans}
      />
    );
  }

  protected reportVisibility(screenState: ScreenState, isSeen: boolean): void {
    screenState.see(this, isSeen);
  }
}

export function Compare(props: {
  model: IJaxprModel;
  openProgram: () => void;
  openBeside: OpenBeside;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, openProgram, openBeside, trans } = props;
  const { snapshot } = model;
  const comparing = askingOf(model, 'compare');
  const [, redraw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    comparing.changed.connect(redraw);
    return () => {
      comparing.changed.disconnect(redraw);
    };
  }, [comparing]);
  if (snapshot === null) {
    return null;
  }
  const comparison = snapshot.comparison ?? null;
  const choosable = usersPrograms(snapshot).length > 1;
  return (
    <>
      {comparison !== null && (
        <>
          {openBeside !== null && (
            <div className="jp-JaxprCompare-tools">
              <button
                className="jp-JaxprPanel-button"
                onClick={() => openBeside(comparison)}
              >
                {openWords(trans)}
              </button>
            </div>
          )}
          <Side
            comparison={comparison}
            open={program => {
              model.setProgram(program);
              openProgram();
            }}
            trans={trans}
          />
        </>
      )}
      {choosable && (
        <Again folded={comparison !== null} trans={trans}>
          <Chooser
            key={snapshot.id}
            model={model}
            snapshot={snapshot}
            comparing={comparing}
            trans={trans}
          />
        </Again>
      )}
    </>
  );
}

/** Wraps the form for a comparison; the form is folded if the panel shows a comparison already. */
function Again(props: {
  folded: boolean;
  trans: TranslationBundle;
  children: React.ReactNode;
}): JSX.Element {
  return props.folded ? (
    <details className="jp-JaxprCompare-again">
      <summary>{props.trans.__('Compare programs of this run')}</summary>
      {props.children}
    </details>
  ) : (
    <>{props.children}</>
  );
}
