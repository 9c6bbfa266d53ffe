/**
 * Requests the exact links of a program, and says that the text below is the twin (a tagged copy of the program); the
 * bar stands above the text of a level.
 *
 * The kernel compiles a twin when the user requests exact links. The twin's text replaces the program's text until the
 * user goes back.
 */
import { ReactWidget } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { twinsOf } from '../../model/exact-links';
import type { TextLevel } from '../../model/links';
import type { ExactLinks, Snapshot } from '../../protocol/snapshot';
import type { IJaxprModel } from '../../tokens';
import { useKeptFocus } from '../../parts/keep-focus';
import { Failed, Question, Working } from '../../parts/progress-and-stop';
import { duration, grouped } from '../../quantities';

export interface IExactBarOptions {
  trans: TranslationBundle;
  model: IJaxprModel;
  snapshot: Snapshot;
  program: number;
  level: TextLevel;
}

/** The bar of exact links above the text of one level; hidden until the user requests exact links at this level. */
export class ExactBar extends ReactWidget {
  constructor(private _options: IExactBarOptions) {
    super();
    this.addClass('jp-JaxprExact');
    this.node.hidden = true;
    twinsOf(_options.model).changed.connect(this._onChanged, this);
    this._onChanged();
  }

  /** True if the level shows the text of the twin (the tagged copy) in place of the program's own text. */
  get isShown(): boolean {
    const { model, snapshot, program } = this._options;
    return twinsOf(model).isShown(snapshot, program);
  }

  /** Shows the twin, the tagged copy (requests it if there is none), or goes back to the text of the program. */
  toggle(): void {
    const { model, snapshot, program } = this._options;
    const twins = twinsOf(model);
    const state = twins.work.stateOf(snapshot, program).kind;
    if (twins.of(snapshot, program) !== null) {
      twins.show(snapshot, program, !this.isShown);
    } else if (state === 'confirm' || (state === 'failed' && this._isAsking)) {
      this._isAsking = false;
      twins.work.dismiss(snapshot, program);
    } else if (model.requests === null) {
      return; // no kernel can compile the tagged copy
    } else if (state !== 'working') {
      this._isAsking = true;
      void twins.ask(snapshot, program);
    } else {
      this._isAsking = true; // the user requested the tagged copy in another view
      this._onChanged();
    }
  }

  override dispose(): void {
    if (!this.isDisposed) {
      twinsOf(this._options.model).changed.disconnect(this._onChanged, this);
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    return <Exact {...this._options} isAsking={this._isAsking} />;
  }

  private _onChanged(): void {
    const { model, snapshot, program } = this._options;
    const state = twinsOf(model).work.stateOf(snapshot, program).kind;
    if (state === 'idle') {
      this._isAsking = false;
    }
    this.node.hidden = !this.isShown && !this._isAsking;
    this.update();
  }

  /**
   * True if the user requested the tagged copy with this bar; only this bar then shows the question that the kernel
   * asks.
   */
  private _isAsking = false;
}

function Exact(
  props: IExactBarOptions & { isAsking: boolean }
): JSX.Element | null {
  const { model, snapshot, program, isAsking, trans } = props;
  const twins = twinsOf(model);
  const state = twins.work.stateOf(snapshot, program);
  const links = twins.of(snapshot, program);
  const { ref, onFocus, onBlur } = useKeptFocus(state.kind);
  return (
    <div
      ref={ref as React.RefObject<HTMLDivElement>}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      {isAsking && state.kind === 'working' && (
        <Working
          state={state}
          stopping={trans.__(
            'Stopping. The request ends before XLA compiles or, if XLA has begun to compile, when XLA is done.'
          )}
          stop={() => twins.work.stop(snapshot, program)}
          announced
          trans={trans}
        />
      )}
      {isAsking && state.kind === 'confirm' && (
        <Question
          question={state.question}
          title={trans.__('Exact links')}
          answers={{
            yes: trans.__('Compile the tagged copy'),
            no: trans.__('Do not compile the copy')
          }}
          yes={() => void twins.work.confirm(snapshot, program)}
          no={() => twins.work.dismiss(snapshot, program)}
        />
      )}
      {isAsking && state.kind === 'failed' && <Failed reason={state.reason} />}
      {links !== null && twins.isShown(snapshot, program) && (
        <Head {...props} links={links} />
      )}
    </div>
  );
}

function Head(props: IExactBarOptions & { links: ExactLinks }): JSX.Element {
  const { model, snapshot, program, level, links, trans } = props;
  const here = links.levels.find(({ name }) => name === level);
  const id = React.useId();
  return (
    <div className="jp-JaxprExact-head" role="group" aria-labelledby={id}>
      <h3 id={id}>
        {trans.__('Exact links, in a tagged copy of the program')}
      </h3>
      {here && (
        <p className={here.same === false ? 'jp-mod-other' : undefined}>
          {here.words}{' '}
          {trans._n(
            '%3 of %2 instruction comes from equations of the program, %4 of them from exactly one equation. Lowering and compiling took %5.',
            '%3 of %2 instructions come from equations of the program, %4 of them from exactly one equation. Lowering and compiling took %5.',
            here.instructions,
            grouped(here.instructions),
            grouped(here.linked),
            grouped(here.single),
            duration(links.lower_seconds + links.compile_seconds)
          )}
          {here.inferred > 0 &&
            ` ${trans._n(
              'The link of %2 more instruction is inferred.',
              'The links of %2 more instructions are inferred.',
              here.inferred,
              grouped(here.inferred)
            )}`}
        </p>
      )}
      <button
        className="jp-JaxprPanel-button"
        onClick={() => twinsOf(model).show(snapshot, program, false)}
      >
        {trans.__('Back to the program')}
      </button>
    </div>
  );
}
