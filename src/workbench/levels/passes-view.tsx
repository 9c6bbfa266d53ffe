/**
 * Lists the XLA passes that changed a program, and shows the change of the chosen pass.
 *
 * The user requests the passes by a button, because XLA compiles the program once more for them.
 */
import { ReactWidget } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { askingOf } from '../../model/request-state';
import type { ProgramPasses, Snapshot, XlaPass } from '../../protocol/snapshot';
import type { IJaxprModel } from '../../tokens';
import { useKeptFocus } from '../../parts/keep-focus';
import { Failed, Question, Working } from '../../parts/progress-and-stop';
import { duration, grouped } from '../../quantities';

/** The number of lines in a page of a diff. */
const PAGE = 1000;

interface IPassesProps {
  model: IJaxprModel;
  snapshot: Snapshot;
  program: number;
  trans: TranslationBundle;
}

export class PassesView extends ReactWidget {
  constructor(private _props: IPassesProps) {
    super();
    this.addClass('jp-JaxprPasses');
    askingOf(_props.model, 'passes').changed.connect(this._onChanged, this);
    _props.model.changed.connect(this._onChanged, this);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      askingOf(this._props.model, 'passes').changed.disconnect(
        this._onChanged,
        this
      );
      this._props.model.changed.disconnect(this._onChanged, this);
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    return <Passes {...this._props} />;
  }

  private _onChanged(): void {
    this.update();
  }
}

function Passes(props: IPassesProps): JSX.Element {
  const { model, snapshot, program, trans } = props;
  const work = askingOf(model, 'passes');
  const state = work.stateOf(snapshot, program);
  const programPasses =
    snapshot.passes?.find(candidate => candidate.program === program) ?? null;
  const { ref, onFocus, onBlur } = useKeptFocus(state.kind);
  return (
    <>
      <div
        className="jp-JaxprPasses-asking"
        ref={ref as React.RefObject<HTMLDivElement>}
        onFocus={onFocus}
        onBlur={onBlur}
      >
        {state.kind === 'working' && (
          <Working
            state={state}
            stopping={trans.__(
              'The kernel stops the request when XLA has compiled the program.'
            )}
            stop={() => work.stop(snapshot, program)}
            announced
            trans={trans}
          />
        )}
        {state.kind === 'confirm' && (
          <Question
            question={state.question}
            title={trans.__('See the XLA passes')}
            answers={{
              yes: trans.__('Compile the program again'),
              no: trans.__('Do not compile the program')
            }}
            yes={() => void work.confirm(snapshot, program)}
            no={() => work.dismiss(snapshot, program)}
          />
        )}
        {state.kind === 'failed' && <Failed reason={state.reason} />}
        {(state.kind === 'idle' || state.kind === 'failed') &&
          programPasses === null &&
          (model.requests === null ? (
            <p>
              {trans.__(
                'The kernel of this run is not available. Run the cell again to see the passes.'
              )}
            </p>
          ) : (
            <>
              <p>
                {trans.__(
                  'XLA can compile the program once more and list what each pass changed, from StableHLO to the optimised HLO.'
                )}
              </p>
              <button
                className="jp-JaxprPanel-button"
                onClick={() =>
                  void work.start(snapshot, program, {
                    snapshot: snapshot.id,
                    program
                  })
                }
              >
                {trans.__('See the XLA passes …')}
              </button>
            </>
          ))}
      </div>
      {programPasses !== null && (
        <Found {...props} programPasses={programPasses} />
      )}
    </>
  );
}

function Found(
  props: IPassesProps & { programPasses: ProgramPasses }
): JSX.Element {
  const { programPasses, trans } = props;
  const { passes } = programPasses;
  const [chosen, setChosen] = React.useState(0);
  const id = React.useId();
  const list = React.useRef<HTMLUListElement>(null);
  const at = Math.min(chosen, passes.length - 1);
  React.useEffect(() => {
    list.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const steps: Record<string, number> = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    Home: 0,
    End: passes.length - 1
  };
  return (
    <>
      <p className="jp-JaxprPasses-count">
        {trans._n(
          '%1 pass changed the program. Compiling once more took %2.',
          '%1 passes changed the program. Compiling once more took %2.',
          passes.length,
          duration(programPasses.seconds)
        )}
        {programPasses.left_out > 0 &&
          ` ${trans._n(
            '%1 more pass was not read: the dumps of all passes are too large.',
            '%1 more passes were not read: the dumps of all passes are too large.',
            programPasses.left_out
          )}`}
      </p>
      <ul
        className="jp-JaxprPasses-list"
        role="listbox"
        aria-label={trans.__('Passes of XLA that changed the program')}
        aria-activedescendant={`${id}${at}`}
        tabIndex={0}
        ref={list}
        onKeyDown={event => {
          const to = steps[event.key];
          if (to !== undefined) {
            event.preventDefault();
            setChosen(Math.max(0, Math.min(to, passes.length - 1)));
          }
        }}
      >
        {passes.map((pass, index) => (
          <li
            key={index}
            id={`${id}${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => setChosen(index)}
          >
            <b>{pass.name}</b> <span>{pass.pipeline}</span>{' '}
            <span className="jp-JaxprPasses-numbers">
              {numbers(pass, trans)}
            </span>
          </li>
        ))}
      </ul>
      {passes[at] !== undefined && (
        <Changed
          {...props}
          key={`${at} ${programPasses.seconds}`}
          index={at}
          pass={passes[at]}
        />
      )}
    </>
  );
}

function numbers(pass: XlaPass, trans: TranslationBundle): string {
  return pass.before === pass.after
    ? trans._n(
        '%2 instruction, lines: +%3 −%4',
        '%2 instructions, lines: +%3 −%4',
        pass.after,
        grouped(pass.after),
        grouped(pass.added),
        grouped(pass.removed)
      )
    : trans._n(
        '%5 → %2 instruction, lines: +%3 −%4',
        '%5 → %2 instructions, lines: +%3 −%4',
        pass.after,
        grouped(pass.after),
        grouped(pass.added),
        grouped(pass.removed),
        grouped(pass.before)
      );
}

function Changed(
  props: IPassesProps & { index: number; pass: XlaPass }
): JSX.Element {
  const { model, snapshot, program, index, pass, trans } = props;
  const [lines, setLines] = React.useState<readonly string[]>([]);
  const [total, setTotal] = React.useState<number | null>(null);
  const [reason, setReason] = React.useState<string | null>(null);
  const { requests } = model;
  const isOpen = React.useRef(true);
  const more = async (): Promise<void> => {
    if (requests === null) {
      setReason(
        trans.__(
          'The kernel of this run is not available. Run the cell again to see what this pass changed.'
        )
      );
      return;
    }
    setReason(null);
    try {
      const page = await requests.ask('pass_diff', {
        snapshot: snapshot.id,
        program,
        index,
        first_line: lines.length,
        line_count: PAGE
      });
      if (isOpen.current) {
        setTotal(page.lines);
        setLines([...lines, ...page.text.split('\n')]);
      }
    } catch (error) {
      if (isOpen.current) {
        setReason((error as Error).message);
      }
    }
  };
  React.useEffect(() => {
    isOpen.current = true;
    void more();
    return () => {
      isOpen.current = false;
    };
    // The list of dependencies is empty because the component of a pass never gets another pass: each has its own key.
  }, []);
  return (
    <div
      className="jp-JaxprPasses-diff"
      role="group"
      aria-label={trans.__('Changes by the pass %1', pass.name)}
      aria-busy={total === null && reason === null}
      tabIndex={0}
    >
      {lines.map((line, number) => (
        <div key={number} className={classOf(line)}>
          {line}
        </div>
      ))}
      {reason !== null && <Failed reason={reason} />}
      {total !== null && lines.length < total && (
        <button className="jp-JaxprPanel-button" onClick={() => void more()}>
          {trans._n(
            'Show %2 more line',
            'Show %2 more lines',
            total - lines.length,
            grouped(total - lines.length)
          )}
        </button>
      )}
    </div>
  );
}

function classOf(line: string): string {
  switch (line[0]) {
    case '+':
      return 'jp-mod-added';
    case '-':
      return 'jp-mod-removed';
    case '@':
      return 'jp-mod-part';
    default:
      return '';
  }
}
