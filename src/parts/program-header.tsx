/** The header of the panel: the program in view with its signature and its cell, and buttons such as Pin and Copy. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { screenStateOf } from '../model/screen-state';
import { liveWords } from '../model/live-words';
import { IJaxprModel } from '../tokens';
import { EditedSince } from './edited-since';
import { useLiveChoice } from './following-live';
import { Icon, IconName } from './icons';
import { placeOf } from './program-list-entries';
import { ProgramList } from './program-list';
import { useRoving } from './arrow-key-focus';
import { Signature } from './signature';
import { activityWords, originWords, shortened, whereAndWhen } from './summary';

/** The actions of the header's buttons that go beyond the model, and facts about the application for the header. */
export interface IHeaderActions {
  copy(): void;
  /** Opens the menu of further actions, at a position of the window in pixels. */
  more(x: number, y: number): void;
  /** Starts and ends the presentation of the panel; absent if the application cannot present. */
  presenter?: { isPresenting(): boolean; toggle(): void };
  /** Turns Live on or off; absent if there are no cells. */
  live?: () => void;
  /** False if later runs never replace the shown run; then pinning and pausing make no sense. */
  follows?: boolean;
}

export function Header(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
  actions: IHeaderActions;
  /** An element that temporarily covers the signature and the run, and takes no space itself. */
  above?: React.ReactNode;
}): JSX.Element | null {
  const { model, trans, actions, above } = props;
  const { presenter } = actions;
  const { row, stop } = useRoving();
  const live = useLiveChoice();
  // `nextStop` numbers the shown controls in their order, for the arrow keys.
  let places = 0;
  const nextStop = (): ReturnType<typeof stop> => stop(places++);
  const snapshot = model.snapshot;
  if (snapshot === null) {
    return null;
  }
  const program = snapshot.programs[model.program] ?? null;
  const place = placeOf(snapshot, model.program);
  return (
    <div className="jp-JaxprPanel-header">
      <div
        className="jp-JaxprPanel-row"
        role="toolbar"
        aria-label={trans.__('Program')}
        {...row}
      >
        <div className="jp-JaxprPanel-which">
          <ProgramList model={model} trans={trans} stop={nextStop()} />
          {place.of > 1 && (
            <span className="jp-JaxprPanel-of">
              {trans.__('%1 of %2', place.at, place.of)}
            </span>
          )}
        </div>
        <div className="jp-JaxprPanel-actions">
          {actions.live !== undefined && (
            <Action
              icon="live"
              stop={nextStop()}
              isSwitch={true}
              pressed={live.isOn}
              label={trans.__('Live')}
              title={liveWords(live.lastLevel, trans)}
              onClick={actions.live}
            />
          )}
          {model.status.kind !== 'file' && actions.follows !== false && (
            <>
              <Action
                icon="pin"
                stop={nextStop()}
                pressed={model.pinned}
                label={trans.__('Pin this program')}
                onClick={() => model.setPinned(!model.pinned)}
              />
              <Action
                icon={model.paused ? 'resume' : 'pause'}
                stop={nextStop()}
                label={
                  model.paused
                    ? trans.__('Resume updates')
                    : trans.__('Pause updates')
                }
                onClick={() => model.setPaused(!model.paused)}
              />
            </>
          )}
          <Action
            icon="copy"
            stop={nextStop()}
            label={trans.__('Copy the program')}
            disabled={program === null}
            onClick={() => actions.copy()}
          />
          {presenter && (
            <Action
              icon={presenter.isPresenting() ? 'close' : 'present'}
              isPresenter={true}
              stop={nextStop()}
              label={
                presenter.isPresenting()
                  ? trans.__('End the presentation (Escape)')
                  : trans.__('Start the presentation')
              }
              onClick={() => presenter.toggle()}
            />
          )}
          <Action
            icon="more"
            stop={nextStop()}
            label={trans.__('More actions')}
            menu={true}
            onClick={event => {
              const box = event.currentTarget.getBoundingClientRect();
              actions.more(box.left, box.bottom);
            }}
          />
        </div>
      </div>
      {program !== null && (
        // With this key, an unfolded signature is folded again when another program is shown.
        <Signature
          key={`${snapshot.id} ${model.program}`}
          program={program}
          snapshot={snapshot}
          trans={trans}
        />
      )}
      <div className="jp-JaxprPanel-run">
        {runWords(model, trans)}
        <EditedSince model={model} trans={trans} />
      </div>
      {above}
    </div>
  );
}

/** A text on a run: `Cell [7] · 02:34 · 4 calls, 1 compile`. */
export function runWords(model: IJaxprModel, trans: TranslationBundle): string {
  const snapshot = model.snapshot;
  if (snapshot === null) {
    return '';
  }
  const program = snapshot.programs[model.program] ?? null;
  const parts = [whereAndWhen(snapshot, trans)];
  if (snapshot.title !== null && program !== null) {
    parts.unshift(shortened(snapshot.title, 120));
  }
  if (program !== null) {
    const activity = screenStateOf(model).outcomesHidden
      ? null
      : activityWords(program);
    parts.push(
      ...[activity, originWords(program)].filter(words => words !== null)
    );
  }
  if (model.isWritten) {
    parts.push(trans.__('traced as written, not run'));
  }
  if (model.fromSaved) {
    parts.push(trans.__('saved copy'));
  }
  return parts.join(' · ');
}

function Action(props: {
  icon: IconName;
  label: string;
  stop: object;
  pressed?: boolean;
  disabled?: boolean;
  menu?: boolean;
  /** True if the button is shown in a presentation, too. */
  isPresenter?: boolean;
  /** True if the button is a switch that is on or off. */
  isSwitch?: boolean;
  /** The tooltip of the button, if its label does not say what it does. */
  title?: string;
  onClick: (event: React.MouseEvent<HTMLButtonElement>) => void;
}): JSX.Element {
  return (
    <button
      {...props.stop}
      className={
        props.isPresenter
          ? 'jp-JaxprPanel-action jp-mod-presenter'
          : 'jp-JaxprPanel-action'
      }
      title={props.title ?? props.label}
      aria-label={props.label}
      role={props.isSwitch ? 'switch' : undefined}
      aria-checked={props.isSwitch ? props.pressed : undefined}
      aria-pressed={props.isSwitch ? undefined : props.pressed}
      aria-haspopup={props.menu ? 'menu' : undefined}
      aria-disabled={props.disabled}
      onClick={event => {
        if (!props.disabled) {
          props.onClick(event);
        }
      }}
    >
      <Icon name={props.icon} />
    </button>
  );
}
