/**
 * The shardings of a program over several devices, with a picture of the chosen array and the collectives, linked to
 * the program's lines. The view is one line until the user opens it.
 */
import { ReactWidget } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { shardingsOf } from '../../model/shardings';
import type {
  Collective,
  ProgramShardings,
  Snapshot,
  SpreadArray
} from '../../protocol/snapshot';
import type { IJaxprModel, Selection } from '../../tokens';
import { Failed } from '../../parts/progress-and-stop';
import { Picture } from '../../parts/picture';
import { dispatchKey } from '../../view-keys';
import { drawShards, shardsWords, unknownDevicesWords } from './device-drawing';
import {
  causesWords,
  groupWords,
  movedWords,
  roleWords,
  shardWords,
  summaryWords
} from './words';

interface IShardingsProps {
  model: IJaxprModel;
  snapshot: Snapshot;
  program: number;
  trans: TranslationBundle;
  /** Puts the keyboard focus back into the text. */
  leave: () => void;
}

export class ShardingsView extends ReactWidget {
  constructor(private _props: IShardingsProps) {
    super();
    this.addClass('jp-JaxprShardings');
    shardingsOf(_props.model).changed.connect(this._onChanged, this);
    _props.model.changed.connect(this._onChanged, this);
    this.node.addEventListener('keydown', event =>
      dispatchKey(event, 'shardings', { leave: _props.leave })
    );
  }

  /** Open the view, and put the keyboard focus there. */
  enter(): void {
    const head = this.node.querySelector('button');
    head?.focus();
    if (head?.getAttribute('aria-expanded') === 'false') {
      head.click();
    }
  }

  override dispose(): void {
    if (!this.isDisposed) {
      shardingsOf(this._props.model).changed.disconnect(this._onChanged, this);
      this._props.model.changed.disconnect(this._onChanged, this);
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    return <Section {...this._props} />;
  }

  private _onChanged(): void {
    this.update();
  }
}

function Section(props: IShardingsProps): JSX.Element | null {
  const { model, snapshot, program, trans } = props;
  const [isOpen, open] = React.useState(false);
  const id = React.useId();
  const shardingsOfModel = shardingsOf(model);
  const shardings = shardingsOfModel.of(snapshot, program);
  if (shardings === null) {
    return null;
  }
  return (
    <>
      <button
        className="jp-JaxprShardings-head"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => {
          open(!isOpen);
          if (!isOpen) {
            void shardingsOfModel.read(snapshot, program);
          }
        }}
      >
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>{' '}
        <b>{trans.__('Shardings')}</b>{' '}
        <span>{summaryWords(shardings, trans)}</span>
      </button>
      <div
        id={id}
        className="jp-JaxprShardings-body"
        role="group"
        aria-label={trans.__('Shardings')}
        hidden={!isOpen}
      >
        {isOpen && (
          <>
            <Arrays {...props} shardings={shardings} />
            <Collectives {...props} shardings={shardings} />
          </>
        )}
      </div>
    </>
  );
}

interface IPartProps extends IShardingsProps {
  shardings: ProgramShardings;
}

function Arrays(props: IPartProps): JSX.Element {
  const { model, shardings, trans } = props;
  const { arrays, layouts } = shardings;
  const [chosen, choose] = React.useState(0);
  const at = Math.min(chosen, arrays.length - 1);
  const array = arrays[at] as SpreadArray | undefined;
  const layout = array && layouts[array.layout];
  const draw = React.useCallback(
    (width: number) =>
      array && layout ? drawShards(array, layout, width, trans) : null,
    [array, layout, trans]
  );
  const leftOut = shardings.left_out ?? 0;
  return (
    <div className="jp-JaxprShardings-arrays">
      <div>
        <Listed
          label={trans.__('Arrays')}
          count={arrays.length}
          chosen={at}
          choose={index => {
            choose(index);
            const selection = equationOf(arrays[index]);
            if (selection !== null) {
              model.setSelection(selection);
            }
          }}
          hover={index =>
            model.setHover(index === null ? null : equationOf(arrays[index]))
          }
          row={index => {
            const array = arrays[index];
            return (
              <>
                <span className="jp-mod-role">
                  {roleWords(array.role, trans)}
                </span>{' '}
                <b>{array.name}</b>{' '}
                <code className="jp-mod-type">{array.type}</code>{' '}
                <code>{layouts[array.layout].spec}</code>{' '}
                <span className="jp-mod-quiet">{array.decided}</span>
              </>
            );
          }}
        />
        {leftOut > 0 && (
          <p className="jp-JaxprPanel-small">
            {trans._n(
              '%1 more array of the program is not listed.',
              '%1 more arrays of the program are not listed.',
              leftOut
            )}
          </p>
        )}
      </div>
      {array && layout && (
        <div className="jp-JaxprShardings-picture">
          <p>
            <code>{array.type}</code> <code>{layout.spec}</code>{' '}
            {shardWords(array, trans)}
            {layout.mesh.length > 0 && (
              <>
                {' · '}
                {trans.__(
                  'mesh %1',
                  layout.mesh
                    .map(([name, length]) => `${name}: ${length}`)
                    .join(', ')
                )}
              </>
            )}
          </p>
          {layout.holders.length === 0 && <p>{unknownDevicesWords(trans)}</p>}
          <Picture
            draw={draw}
            words={shardsWords(array, layout, trans)}
            file={`sharding-${array.name || array.role}`}
            trans={trans}
          />
        </div>
      )}
    </div>
  );
}

function Collectives(props: IPartProps): JSX.Element {
  const { model, snapshot, program, shardings, trans } = props;
  const reading = shardingsOf(model).readingOf(snapshot, program);
  const collectives = shardings.collectives ?? null;
  if (collectives === null) {
    if (reading.kind === 'failed') {
      return <Failed reason={reading.reason} />;
    }
    return (
      <p role="status">
        {model.requests === null
          ? trans.__(
              'The kernel of this run is not available. Run the cell again to see the collectives.'
            )
          : trans.__('Reading the collectives of the HLO …')}
      </p>
    );
  }
  if (collectives.length === 0) {
    return <p>{shardings.exchanged}</p>;
  }
  const leftOut = shardings.collectives_left_out ?? 0;
  const select = (index: number): Selection => ({
    kind: 'text',
    level: 'hlo',
    line: collectives[index].line,
    stack: -1
  });
  return (
    <div className="jp-JaxprShardings-collectives">
      <p>{shardings.exchanged}</p>
      <Listed
        label={trans.__('Collectives')}
        count={collectives.length}
        chosen={collectives.findIndex(collective =>
          isChosen(collective, model.selection)
        )}
        choose={index => model.setSelection(select(index))}
        hover={index => model.setHover(index === null ? null : select(index))}
        row={index => <Exchange {...props} collective={collectives[index]} />}
      />
      {leftOut > 0 && (
        <p className="jp-JaxprPanel-small">
          {trans._n(
            '%1 more collective of the program is not listed. The sum of the bytes includes all collectives.',
            '%1 more collectives of the program are not listed. The sum of the bytes includes all collectives.',
            leftOut
          )}
        </p>
      )}
    </div>
  );
}

function Exchange(props: IPartProps & { collective: Collective }): JSX.Element {
  const { collective, snapshot, trans } = props;
  const names = [
    ...new Set(collective.causes.map(cause => cause.op_name))
  ].join('\n');
  return (
    <>
      <span className="jp-mod-line">
        {trans.__('HLO line %1', collective.line + 1)}
      </span>
      <b>{collective.kind}</b> {movedWords(collective, trans)}
      <div title={names}>{causesWords(collective.causes, snapshot, trans)}</div>
      <div className="jp-mod-quiet" title={collective.groups_text}>
        {groupWords(collective, trans)}
      </div>
    </>
  );
}

/** A list in which the user chooses one entry by mouse or by keyboard; the entry under the mouse is previewed. */
function Listed(props: {
  label: string;
  count: number;
  /** The index of the chosen entry; -1 for none. */
  chosen: number;
  choose: (index: number) => void;
  hover: (index: number | null) => void;
  row: (index: number) => JSX.Element;
}): JSX.Element {
  const { label, count, chosen, choose, hover, row } = props;
  const id = React.useId();
  const list = React.useRef<HTMLUListElement>(null);
  React.useEffect(() => {
    list.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  // When React removes the list, the preview of an entry ends.
  const end = React.useRef(hover);
  end.current = hover;
  React.useEffect(() => () => end.current(null), []);
  const steps: Record<string, number> = {
    ArrowUp: chosen - 1,
    ArrowDown: chosen + 1,
    Home: 0,
    End: count - 1
  };
  return (
    <ul
      className="jp-JaxprShardings-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={chosen < 0 ? undefined : `${id}${chosen}`}
      tabIndex={0}
      ref={list}
      onMouseLeave={() => hover(null)}
      onKeyDown={event => {
        const to = steps[event.key];
        if (to !== undefined) {
          event.preventDefault();
          event.stopPropagation();
          choose(Math.max(0, Math.min(to, count - 1)));
        }
      }}
    >
      {Array.from({ length: count }, (_, index) => (
        <li
          key={index}
          id={`${id}${index}`}
          role="option"
          aria-selected={index === chosen}
          onMouseEnter={() => hover(index)}
          onClick={() => {
            hover(null); // the text scrolls to the lines of a selection only while no preview replaces the selection
            choose(index);
          }}
        >
          {row(index)}
        </li>
      ))}
    </ul>
  );
}

/** The equation that states the sharding of an array; null if no equation does. */
function equationOf(array: SpreadArray): Selection | null {
  const { scope = -1, equation = -1 } = array;
  return scope < 0
    ? null
    : { kind: 'equations', equations: [{ scope, equation }] };
}

function isChosen(
  collective: Collective,
  selection: Selection | null
): boolean {
  return (
    selection?.kind === 'text' &&
    selection.level === 'hlo' &&
    selection.line === collective.line
  );
}
