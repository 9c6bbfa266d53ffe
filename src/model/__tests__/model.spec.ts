import { nullTranslator } from '@jupyterlab/translation';

import { program, progress } from '../../protocol/__tests__/documents';
import { ModelChange } from '../../tokens';
import { costsOf } from '../costs';
import { heatChoice } from '../heat-choice';
import { JaxprModel } from '../model';
import { RUNS_KEPT } from '../runs';

import { connected, opened, run } from './opened-model';

const trans = nullTranslator.load('jupyter_jaxpr');

/** Lists the ids of the runs that the user can choose; the run in view is in brackets. */
function listed(model: JaxprModel): string {
  return model.runs
    .map(({ snapshot: { id } }) => (id === model.snapshot?.id ? `[${id}]` : id))
    .join(' ');
}

describe('runs that come', () => {
  it('take the view, the program in focus first', () => {
    const { model, kernel } = connected();
    const two = run('run-1', { programs: [program(), program()], focus: 1 });
    kernel.sends(two);
    expect(model.snapshot).toBe(two);
    expect(model.program).toBe(1);
    kernel.sends(run('run-2'));
    expect(listed(model)).toBe('[run-2] run-1');
  });

  it('show the program that the user chose in the last run of the cell, until the focus is another program', () => {
    const { model, kernel } = connected();
    const [f, g, h] = ['f', 'g', 'h'].map(name => program({ name }));
    kernel.sends(run('run-1', { programs: [f, g, h], focus: 2 }));
    model.setProgram(0);
    kernel.sends(run('run-2', { programs: [g, f, h], focus: 2 }));
    expect(model.program).toBe(1);
    kernel.sends(run('run-3', { programs: [f, g, h], focus: 1 })); // --focus g
    expect(model.program).toBe(1);
    const cell = { ...run('run-4').cell!, id: 'another cell' };
    model.setProgram(0);
    kernel.sends(run('run-4', { programs: [f, g], focus: 1, cell }));
    expect(model.program).toBe(1);
  });

  it('show the program that Live traced', () => {
    const { model, kernel } = connected();
    const [f, g] = ['f', 'g'].map(name => program({ name }));
    kernel.sends(run('run-1', { programs: [f, g], focus: 1 }));
    model.showWritten(run('run-2', { id: 'live', programs: [f], focus: 0 }));
    kernel.sends(run('run-3', { programs: [f, g], focus: 1 }));
    expect([model.snapshot?.id, model.program]).toEqual(['run-3', 0]);
  });

  it('can be chosen again, and are let go one by one', () => {
    const { model, kernel } = connected();
    for (let i = 1; i <= RUNS_KEPT + 1; i++) {
      kernel.sends(run(`run-${i}`));
      if (i === 3) {
        model.setPinned(true);
      }
    }
    expect(listed(model)).toBe(
      'run-9 run-8 run-7 run-6 run-5 run-4 [run-3] run-2'
    );
    model.setRun('run-8');
    expect(model.snapshot?.id).toBe('run-8');
  });

  it('of before the page was opened do not replace a chosen run; a run of now does', () => {
    const { model, kernel } = connected();
    const now = Date.now() / 1000;
    kernel.sends(run('run-1', { created: now - 20 }));
    model.setRun('run-1'); // `ReadingPlace` makes this call after a reload
    kernel.sends(run('run-2', { created: now - 10 }));
    expect(listed(model)).toBe('run-2 [run-1]');
    kernel.sends(run('run-3', { created: now + 10 }));
    expect(listed(model)).toBe('[run-3] run-2 run-1');
  });

  it('wait while updates are paused', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    model.setPaused(true);
    kernel.sends(run('run-2'));
    kernel.sends(run('run-3'));
    expect([listed(model), model.waiting]).toEqual(['[run-1]', 2]);
    model.setPaused(false);
    expect([listed(model), model.waiting]).toEqual(['[run-3] run-2 run-1', 0]);
  });

  it('stand behind a pinned one, and take the view when they are pinned themselves', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    model.setPinned(true);
    kernel.sends(run('run-2'));
    expect(listed(model)).toBe('run-2 [run-1]');
    kernel.sends(run('run-3', { pinned: true }));
    expect(listed(model)).toBe('[run-3] run-2 run-1');
    model.setPinned(false);
    kernel.sends(run('run-4'));
    expect(listed(model)).toBe('[run-4] run-3 run-2 run-1');
  });

  it('move nothing when they are sent again, as to a second tab', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.sends(run('run-2'));
    model.setRun('run-1');
    kernel.sends(run('run-1'));
    kernel.sends(run('run-2'));
    expect(listed(model)).toBe('run-2 [run-1]');
  });

  it('leave the latest in view, in whatever order they are sent again', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-2'));
    kernel.sends(run('run-3'));
    kernel.sends(run('run-1'));
    expect(listed(model)).toBe('[run-3] run-2 run-1');
  });

  it('are left out where they belong to another notebook of the same kernel', () => {
    const { model, kernel } = opened(cellId => cellId !== 'theirs');
    kernel.greets();
    const cell = { id: 'theirs', execution_count: 1, file: 'f', source: '' };
    kernel.sends(run('run-1', { cell }));
    kernel.received.emit(progress({ cell_id: 'theirs' }));
    expect(model.status.kind).toBe('ready');
    expect(model.snapshot).toBeNull();
  });

  it('that were completed on request keep the program that was chosen', () => {
    const { model, kernel } = connected();
    const programs = [program(), program({ name: 'g' })];
    kernel.sends(run('run-1', { programs }));
    model.setProgram(1);
    const made = run('run-1', { programs });
    model.show(made, false);
    expect(model.snapshot).toBe(made);
    expect(model.program).toBe(1);
  });

  it('that were traced on request show the trace, once', () => {
    const { model, kernel } = connected();
    const retrace = { call: 'f(x)', frame: -1, question: '', undoable: true };
    const programs = [program({ origin: 'recorded' })];
    kernel.sends(run('run-1', { programs, retrace }));
    expect(model.program).toBe(0);

    const both = [...programs, program({ origin: 'traced' })];
    kernel.sends(run('run-1', { programs: both, focus: 1 }));
    expect(model.program).toBe(1);
    model.setProgram(0);
    kernel.sends(run('run-1', { programs: both, focus: 1 }));
    expect(model.program).toBe(0);
  });

  it('that were traced on request stay behind what was chosen since', () => {
    const { model, kernel } = connected();
    const retrace = { call: 'f(x)', frame: -1, question: '', undoable: true };
    kernel.sends(run('run-1', { retrace }));
    kernel.sends(run('run-2'));
    kernel.sends(run('run-1', { programs: [program(), program()], focus: 1 }));
    expect(model.snapshot?.id).toBe('run-2');
  });
});

describe('a saved run', () => {
  it('is shown without a kernel', () => {
    const model = new JaxprModel(trans);
    model.show(run('run-1'), true);
    expect(model.status.kind).toBe('no-kernel');
    expect(model.fromSaved).toBe(true);
    expect(model.requests).toBeNull();
    expect(listed(model)).toBe('[run-1]');
  });

  it('gives way to the copy that the kernel still holds', () => {
    const { model, kernel } = connected();
    const whole = run('run-1');
    kernel.sends(whole);
    kernel.sends(run('run-2'));
    model.show(run('run-1', { cut: 'Texts were left out.' }), true);
    expect(model.snapshot).toBe(whole);
    expect(model.fromSaved).toBe(false);
  });
});

describe('a run that cannot be read', () => {
  it('leaves what is in view, and says why', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.unreadable.emit({ unreadable: 'newer', version: 2, newest: 1 });
    expect(listed(model)).toBe('[run-1]');
    expect(model.failure).toEqual({
      text: 'The program of the last run cannot be shown.',
      cure: 'A newer version of jupyter_jaxpr made the document (format 2; this panel reads format 1). Update jupyter_jaxpr where JupyterLab is installed and reload this page.',
      detail: null
    });
    model.dismissFailure();
    expect(model.failure).toBeNull();
  });
});

describe('pointing', () => {
  it('is told once, and forgotten with the program', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1', { programs: [program(), program()] }));
    const changes: ModelChange[] = [];
    model.changed.connect((_, change) => {
      changes.push(change);
    });
    const place = { kind: 'caret', cellId: 'c', line: 3, column: 0 } as const;
    model.setSelection({ ...place });
    model.setSelection({ ...place });
    model.setHover({
      kind: 'equations',
      equations: [{ scope: 0, equation: 1 }]
    });
    model.setProgram(1);
    expect(changes).toEqual([
      'selection',
      'hover',
      'hover',
      'selection',
      'program'
    ]);
    expect(model.selection).toBeNull();
  });
});

describe('a closed notebook', () => {
  it('is let go of by what lives as long as the page', () => {
    const accepts = jest.fn(() => true);
    const { model } = opened(accepts);
    const costs = costsOf(model);
    const heard = jest.fn();
    costs.changed.connect(heard);
    heatChoice.shown = true;
    expect(heard).toHaveBeenCalledTimes(1);
    model.dispose();
    heatChoice.shown = false;
    expect(heard).toHaveBeenCalledTimes(1);
    expect(costsOf(model)).toBe(costs);
    expect((model as unknown as { _accepts: unknown })._accepts).not.toBe(
      accepts
    );
  });
});
