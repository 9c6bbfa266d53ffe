/**
 * The runs of a notebook come in; a button with the name of the program in view, and a list to choose another from.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { derivedBy, transformsOf } from '../model/transforms';
import type { Snapshot } from '../protocol/snapshot';
import { IJaxprModel, IRun } from '../tokens';
import { Icon } from './icons';
import { shortArguments, shortened, whereAndWhen } from './summary';

/** A program that can be chosen. */
interface IChoice {
  run: IRun;
  program: number;
}

/** Honest notebooks have fewer. */
const MOST = 500;

function choices(model: IJaxprModel): IChoice[] {
  return model.runs
    .flatMap(run => ordered(run.snapshot).map(program => ({ run, program })))
    .slice(0, MOST);
}

/** The programs of a run, each followed by what was derived from it. */
function ordered(snapshot: Snapshot): number[] {
  const after = (program: number): number[] => [
    program,
    ...transformsOf(snapshot, program).flatMap(({ parts }) =>
      parts.flatMap(part => after(part.program))
    )
  ];
  return snapshot.programs.flatMap((_, program) =>
    derivedBy(snapshot, program) === null ? after(program) : []
  );
}

/** The words of a program in the list: its signature in few letters, and how the program came about. */
function ChoiceWords({ run, program }: IChoice): JSX.Element {
  const one = run.snapshot.programs[program];
  const result =
    one.result === null ? '' : ` → ${shortened(one.result.summary, 80)}`;
  return (
    <>
      <b>{shortened(one.name, 80)}</b> {shortArguments(one)}
      {result}
      {one.how && ` · ${shortened(one.how, 80)}`}
    </>
  );
}

export function ProgramList(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
  /** Props that make the button a stop of the header's row. */
  stop: object;
}): JSX.Element {
  const { model, trans } = props;
  const id = React.useId();
  const button = React.useRef<HTMLButtonElement>(null);
  const [open, setOpen] = React.useState(false);
  const snapshot = model.snapshot;
  const name =
    snapshot?.programs[model.program]?.name ??
    snapshot?.title ??
    trans.__('No program');

  const close = (focus: boolean): void => {
    setOpen(false);
    if (focus) {
      button.current?.focus();
    }
  };
  return (
    <div className="jp-JaxprPanel-choose">
      <button
        {...props.stop}
        ref={button}
        className="jp-JaxprPanel-function"
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        title={trans.__('Choose a program')}
        onClick={() => setOpen(!open)}
        onKeyDown={event => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setOpen(true);
          }
        }}
      >
        <span className="jp-JaxprPanel-name">{shortened(name, 120)}</span>
        <Icon name="caret" />
      </button>
      {open && <List id={id} model={model} trans={trans} close={close} />}
    </div>
  );
}

function List(props: {
  id: string;
  model: IJaxprModel;
  trans: TranslationBundle;
  close: (focus: boolean) => void;
}): JSX.Element {
  const { id, model, trans, close } = props;
  const all = choices(model);
  const inView = all.findIndex(
    ({ run, program }) =>
      run.snapshot === model.snapshot && program === model.program
  );
  const [active, setActive] = React.useState(Math.max(inView, 0));
  const list = React.useRef<HTMLDivElement>(null);
  const typed = React.useRef({ text: '', at: 0 });

  React.useEffect(() => list.current?.focus(), []);
  React.useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({
      block: 'nearest'
    });
  }, [active]);

  const choose = (index: number): void => {
    const choice = all[index];
    if (choice !== undefined) {
      model.setRun(choice.run.snapshot.id);
      model.setProgram(choice.program);
    }
    close(true);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    event.stopPropagation();
    const last = all.length - 1;
    switch (event.key) {
      case 'ArrowDown':
        setActive(Math.min(active + 1, last));
        break;
      case 'ArrowUp':
        setActive(Math.max(active - 1, 0));
        break;
      case 'Home':
        setActive(0);
        break;
      case 'End':
        setActive(last);
        break;
      case 'Enter':
      case ' ':
        choose(active);
        break;
      case 'Escape':
      case 'Tab':
        close(true);
        break;
      default:
        if (event.key.length !== 1 || event.ctrlKey || event.metaKey) {
          return;
        }
        find(event.key);
    }
    event.preventDefault();
  };
  /** Go to the next program whose name starts with what was typed within a second. */
  const find = (key: string): void => {
    const now = Date.now();
    const text = (
      now - typed.current.at < 1000 ? typed.current.text + key : key
    ).toLowerCase();
    typed.current = { text, at: now };
    const from = text.length > 1 ? active : active + 1;
    for (let i = 0; i < all.length; i++) {
      const index = (from + i) % all.length;
      const { run, program } = all[index];
      if (run.snapshot.programs[program].name.toLowerCase().startsWith(text)) {
        setActive(index);
        return;
      }
    }
  };

  return (
    <div
      ref={list}
      id={id}
      className="jp-JaxprPanel-list"
      role="listbox"
      tabIndex={-1}
      aria-label={trans.__('Programs')}
      aria-activedescendant={all.length > 0 ? `${id}-${active}` : undefined}
      onKeyDown={onKeyDown}
      onBlur={() => close(false)}
    >
      {all.length === 0 && (
        <div
          id={`${id}-0`}
          className="jp-JaxprPanel-group"
          role="option"
          aria-selected={false}
          aria-disabled={true}
        >
          {trans.__('No program yet')}
        </div>
      )}
      {model.runs.map((run, group) => {
        const members = all
          .map((choice, index) => ({ ...choice, index }))
          .filter(choice => choice.run === run);
        return members.length === 0 ? null : (
          <div
            key={run.snapshot.id}
            role="group"
            aria-labelledby={`${id}-group-${group}`}
          >
            <div id={`${id}-group-${group}`} className="jp-JaxprPanel-group">
              {run.snapshot.title !== null &&
                `${shortened(run.snapshot.title, 80)} · `}
              {whereAndWhen(run.snapshot, trans)}
              {run.fromSaved && ` · ${trans.__('saved copy')}`}
            </div>
            {members.map(({ index, program }) => (
              <div
                key={program}
                id={`${id}-${index}`}
                role="option"
                className={`jp-JaxprPanel-option${
                  index === active ? ' jp-mod-active' : ''
                }${
                  derivedBy(run.snapshot, program) === null
                    ? ''
                    : ' jp-mod-derived'
                }`}
                aria-selected={index === inView}
                // Before the list loses the focus and closes.
                onMouseDown={event => {
                  event.preventDefault();
                  choose(index);
                }}
              >
                <ChoiceWords run={run} program={program} />
              </div>
            ))}
          </div>
        );
      })}
    </div>
  );
}
