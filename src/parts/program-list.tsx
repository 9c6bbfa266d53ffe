/** A button with the name of the program in view; it opens the list of all programs. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { derivedBy } from '../model/transforms';
import { IJaxprModel } from '../tokens';
import { Icon } from './icons';
import {
  choicesOf,
  countPrograms,
  foldKey,
  Group,
  groupKey,
  IChoice,
  isFilterable
} from './program-list-entries';
import { shortArguments, shortened, whereAndWhen } from './summary';

/** The text of a program in the list: its short signature, and where it comes from. */
function ChoiceWords(props: {
  choice: IChoice;
  trans: TranslationBundle;
}): JSX.Element {
  const { run, program, folded, byGroup, all } = props.choice;
  const listedProgram = run.snapshot.programs[program];
  if (folded > 0) {
    return (
      <span className="jp-JaxprPanel-unfold">
        {all
          ? props.trans._n('Show %1 program', 'Show %1 programs', folded)
          : byGroup
            ? props.trans._n(
                'Show %1 more program',
                'Show %1 more programs',
                folded
              )
            : props.trans._n(
                'Show %1 more program of %2',
                'Show %1 more programs of %2',
                folded,
                shortened(listedProgram.name, 80)
              )}
      </span>
    );
  }
  const result =
    listedProgram.result === null
      ? ''
      : ` → ${shortened(listedProgram.result.summary, 80)}`;
  return (
    <>
      <b>{shortened(listedProgram.name, 80)}</b> {shortArguments(listedProgram)}
      {result}
      {listedProgram.how && ` · ${shortened(listedProgram.how, 80)}`}
    </>
  );
}

/**
 * The folded entries that are unfolded when the list opens: the entry for the programs with the same name as the
 * program in view, and the entry for the group of that program.
 */
function foldsInView(model: IJaxprModel): ReadonlySet<string> {
  const run = model.runs.find(
    candidate => candidate.snapshot === model.snapshot
  );
  const { program } = model;
  if (run?.snapshot.programs[program] === undefined) {
    return new Set();
  }
  const byName = new Set([foldKey(run, program)]);
  const isThere = choicesOf([run], byName).some(
    choice => choice.program === program && choice.fold === null
  );
  return isThere ? byName : byName.add(groupKey(run, program));
}

/**
 * The index of the next entry whose name begins with a text; after the last entry, the search goes on at the first. -1
 * if there is none.
 */
function startingWith(
  choices: readonly IChoice[],
  text: string,
  from: number
): number {
  for (let i = 0; i < choices.length; i++) {
    const index = (from + i) % choices.length;
    const { run, program } = choices[index];
    if (run.snapshot.programs[program].name.toLowerCase().startsWith(text)) {
      return index;
    }
  }
  return -1;
}

function groupWords(group: Group, trans: TranslationBundle): string {
  const words: Record<Group, string> = {
    jit: trans.__('ran under jit'),
    eager: trans.__('ran outside of jit'),
    traced: trans.__('traced, not run'),
    libraries: trans.__('jitted by libraries')
  };
  return words[group];
}

export function ProgramList(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
  /** The properties that make the button a part of the header's row for arrow keys. */
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

/** The index of the entry of the program in view; -1 if the list does not have the program. */
function placeInView(choices: readonly IChoice[], model: IJaxprModel): number {
  return choices.findIndex(
    ({ run, program, folded }) =>
      run.snapshot === model.snapshot &&
      program === model.program &&
      folded === 0
  );
}

function List(props: {
  id: string;
  model: IJaxprModel;
  trans: TranslationBundle;
  close: (focus: boolean) => void;
}): JSX.Element {
  const { id, model, trans, close } = props;
  const [unfolded, setUnfolded] = React.useState(() => foldsInView(model));
  const [filter, setFilter] = React.useState('');
  const all = choicesOf(model.runs, unfolded, filter);
  const inView = placeInView(all, model);
  const [active, setActive] = React.useState(Math.max(inView, 0));
  const list = React.useRef<HTMLDivElement>(null);
  const field = React.useRef<HTMLInputElement>(null);
  const typed = React.useRef({ text: '', at: 0 });

  React.useEffect(() => list.current?.focus(), []);
  React.useEffect(() => {
    list.current
      ?.querySelector('.jp-JaxprPanel-option.jp-mod-active')
      ?.scrollIntoView({ block: 'nearest' });
  }, [active, filter]);

  const choose = (index: number): void => {
    const choice = all[index];
    if (choice !== undefined && choice.fold !== null) {
      setUnfolded(new Set([...unfolded, choice.fold]));
      setActive(index);
      return;
    }
    if (choice !== undefined) {
      model.setRun(choice.run.snapshot.id);
      model.setProgram(choice.program);
    }
    close(true);
  };
  /** Handles a key that moves through the list or chooses an entry; returns false for any other key. */
  const moves = (key: string): boolean => {
    const last = Math.max(all.length - 1, 0);
    switch (key) {
      case 'ArrowDown':
        setActive(Math.min(active + 1, last));
        return true;
      case 'ArrowUp':
        setActive(Math.max(active - 1, 0));
        return true;
      case 'Enter':
        if (all.length > 0 || filter === '') {
          choose(active);
        }
        return true;
      default:
        return false;
    }
  };
  const show = (words: string): void => {
    const shown = choicesOf(model.runs, unfolded, words);
    setFilter(words);
    setActive(Math.max(words === '' ? placeInView(shown, model) : 0, 0));
  };
  const onFieldKeyDown = (event: React.KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === 'Escape') {
      if (filter === '') {
        close(true);
      } else {
        show('');
      }
    } else if (event.key === 'Tab') {
      if (event.shiftKey) {
        close(true);
      } else {
        list.current?.focus();
      }
    } else if (!moves(event.key)) {
      return;
    }
    event.preventDefault();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    event.stopPropagation();
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
      case 'Enter':
        moves(event.key);
        break;
      case 'Home':
        setActive(0);
        break;
      case 'End':
        setActive(Math.max(all.length - 1, 0));
        break;
      case ' ':
        moves('Enter');
        break;
      case 'Escape':
        close(true);
        break;
      case 'Tab':
        if (event.shiftKey && field.current !== null) {
          field.current.focus();
        } else {
          close(true);
        }
        break;
      case '/':
        field.current?.focus();
        break;
      default:
        if (event.key.length !== 1 || event.ctrlKey || event.metaKey) {
          return;
        }
        find(event.key);
    }
    event.preventDefault();
  };
  /** Goes to the next program whose name begins with the letters that the user has typed within one second. */
  const find = (key: string): void => {
    const now = Date.now();
    const text = (
      now - typed.current.at < 1000 ? typed.current.text + key : key
    ).toLowerCase();
    typed.current = { text, at: now };
    const from = text.length > 1 ? active : active + 1;
    const match = startingWith(all, text, from);
    if (match >= 0) {
      setActive(match);
      return;
    }
    if (filter !== '') {
      return;
    }
    // All groups are unfolded first, because the matching program may be in a folded group.
    const groups = model.runs.flatMap(run =>
      run.snapshot.programs.map((_, program) => groupKey(run, program))
    );
    const open = new Set([...unfolded, ...groups]);
    const hidden = startingWith(choicesOf(model.runs, open), text, 0);
    if (hidden >= 0) {
      setUnfolded(open);
      setActive(hidden);
    }
  };

  const described = all.length > 0 ? `${id}-${active}` : undefined;
  const total = countPrograms(model.runs);
  return (
    <div
      className="jp-JaxprPanel-list"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) {
          close(false);
        }
      }}
    >
      {isFilterable(model.runs) && (
        <div className="jp-JaxprPanel-filter">
          <input
            ref={field}
            type="text"
            role="combobox"
            aria-label={trans.__('Filter the programs')}
            aria-autocomplete="list"
            aria-expanded={true}
            aria-controls={id}
            aria-activedescendant={described}
            placeholder={trans.__('Filter (press /)')}
            value={filter}
            onChange={({ target }) => show(target.value)}
            onKeyDown={onFieldKeyDown}
          />
          <span role="status">
            {filter === ''
              ? trans._n('%1 program', '%1 programs', total)
              : trans._n(
                  '%2 of %1 program',
                  '%2 of %1 programs',
                  total,
                  all.length
                )}
          </span>
        </div>
      )}
      <div
        ref={list}
        id={id}
        className="jp-JaxprPanel-options"
        role="listbox"
        tabIndex={0}
        aria-label={trans.__('Programs')}
        aria-activedescendant={described}
        onKeyDown={onKeyDown}
      >
        {all.length === 0 && (
          <div
            id={`${id}-0`}
            className="jp-JaxprPanel-group"
            role="option"
            aria-selected={false}
            aria-disabled={true}
          >
            {filter === ''
              ? trans.__('No program yet')
              : trans.__('No program matches the filter')}
          </div>
        )}
        {model.runs.map((run, number) => {
          const members = all
            .map((choice, index) => ({ ...choice, index }))
            .filter(choice => choice.run === run);
          const head = `${id}-run-${number}`;
          return members.length === 0 ? null : (
            <div key={run.snapshot.id}>
              <div id={head} className="jp-JaxprPanel-group">
                {run.snapshot.title !== null &&
                  `${shortened(run.snapshot.title, 80)} · `}
                {whereAndWhen(run.snapshot, trans)}
                {run.isWritten &&
                  ` · ${trans.__('traced as written, not run')}`}
                {run.fromSaved && ` · ${trans.__('saved copy')}`}
              </div>
              {[...new Set(members.map(({ group }) => group))].map(group => (
                <div
                  key={group}
                  role="group"
                  aria-labelledby={
                    group === null ? head : `${head} ${head}-${group}`
                  }
                >
                  {group !== null && (
                    <div
                      id={`${head}-${group}`}
                      className="jp-JaxprPanel-group jp-mod-programs"
                    >
                      {groupWords(group, trans)}
                    </div>
                  )}
                  {members
                    .filter(choice => choice.group === group)
                    .map(({ index, ...choice }) => (
                      <div
                        key={choice.program}
                        id={`${id}-${index}`}
                        role="option"
                        className={`jp-JaxprPanel-option${
                          index === active ? ' jp-mod-active' : ''
                        }${
                          derivedBy(run.snapshot, choice.program) === null
                            ? ''
                            : ' jp-mod-derived'
                        }`}
                        aria-selected={index === inView}
                        // The button acts on mousedown, before the list loses the focus and closes.
                        onMouseDown={event => {
                          event.preventDefault();
                          choose(index);
                        }}
                      >
                        <ChoiceWords choice={choice} trans={trans} />
                      </div>
                    ))}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
