import { program } from '../../protocol/__tests__/documents';
import type { JaxprModel } from '../model';
import { readingPlaceOf } from '../reading-place';

import { connected, run } from './opened-model';

/** A program of a function that was called with one array. */
const called = (name: string, type: string): ReturnType<typeof program> =>
  program({
    name,
    arguments: [
      { name: 'x', type, summary: type, static: false, donated: false }
    ]
  });

/** Stores a line as the reading position in the jaxpr of a program, as if the user had scrolled to the line. */
function readAt(model: JaxprModel, program: number, line: number): void {
  const place = { line, above: 0, lines: 90, closed: [[3, 5] as const] };
  const { id } = model.snapshot!;
  readingPlaceOf(model).keepText(id, program, 'jaxpr', place);
}

/**
 * Lists, for each program of the run in view, the line at which its jaxpr is read; null for a program without a stored
 * position.
 */
function lines(model: JaxprModel): (number | null)[] {
  const { id, programs } = model.snapshot!;
  return programs.map(
    (_, index) =>
      readingPlaceOf(model).textPlace(id, index, 'jaxpr')?.line ?? null
  );
}

describe('the positions in the programs of a cell', () => {
  const cell = run('run-1').cell!;
  const two = [called('f', 'f32[8]'), called('f', 'f32[9]')];

  it('are those of the last run after the cell runs again, program by program', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1', { programs: two }));
    readAt(model, 0, 40);
    readAt(model, 1, 50);
    kernel.sends(run('run-2', { programs: [two[1], two[0]] }));
    expect(lines(model)).toEqual([50, 40]);
    expect(readingPlaceOf(model).textPlace('run-2', 0, 'jaxpr')).toEqual({
      line: 50,
      above: 0,
      lines: 90,
      closed: [[3, 5]]
    });
  });

  it('go with a function whose argument types changed, not to another function', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1', { programs: [two[0]] }));
    readAt(model, 0, 40);
    const [other, same] = [called('g', 'f32[8]'), called('f', 'f32[16]')];
    kernel.sends(run('run-2', { programs: [other, same] }));
    expect(lines(model)).toEqual([null, 40]);
  });

  it('are not those of another cell', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1', { programs: [two[0]] }));
    readAt(model, 0, 40);
    const another = { ...cell, id: 'another cell' };
    kernel.sends(run('run-2', { programs: [two[0]], cell: another }));
    expect(lines(model)).toEqual([null]);
  });

  it('of a run that is chosen again are its own', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1', { programs: [two[0]] }));
    readAt(model, 0, 40);
    kernel.sends(run('run-2', { programs: [two[0]] }));
    readAt(model, 0, 60);
    model.setRun('run-1');
    expect(lines(model)).toEqual([40]);
    model.setRun('run-2');
    expect(lines(model)).toEqual([60]);
  });

  it('stay when Live traces the cell and when the cell runs then', () => {
    const { model, kernel } = connected();
    const written = (minute: number): ReturnType<typeof run> =>
      run(`run-${minute}`, { id: 'live cell', programs: [two[0]] });
    kernel.sends(run('run-1', { programs: [two[0]] }));
    readAt(model, 0, 40);
    model.showWritten(written(2));
    expect(lines(model)).toEqual([40]);
    readAt(model, 0, 20);
    model.showWritten(written(3));
    expect(lines(model)).toEqual([20]);
    kernel.sends(run('run-4', { programs: [two[0]] }));
    expect(lines(model)).toEqual([20]);
    readAt(model, 0, 0);
    model.showWritten(written(5)); // read at line 0, as the run is; the earlier Live text was read at line 20
    expect(lines(model)).toEqual([0]);
  });
});
