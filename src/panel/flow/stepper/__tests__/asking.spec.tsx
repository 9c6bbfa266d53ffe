import {
  answered,
  confirm,
  working as progressed
} from '../../../../model/__tests__/fake-channel';
import { Control } from '../../../../protocol/snapshot';
import { recording } from '../../../../protocol/__tests__/documents';
import { act, byRole, click, words } from '../../../../parts/__tests__/render';
import { heading, live, shown, slider } from './drawn-stepper';
import { WHILE, card, newton } from './recordings';

afterEach(() => {
  jest.useRealTimers();
  document.body.replaceChildren();
});

describe('the button', () => {
  const working = (node: HTMLElement): string =>
    words(node.querySelector('.jp-JaxprLongWork-working'));
  const run = (node: HTMLElement): string =>
    words(node.querySelector('.jp-JaxprStepper-said'));
  const button = (node: HTMLElement): HTMLElement =>
    node.querySelector('.jp-JaxprStepper-start button') as HTMLElement;

  it('says what it does, then how far it is, and shows what came', async () => {
    jest.useFakeTimers();
    const { node, kernel, answers } = live();
    expect(words(node)).toBe(
      'Record the stepsThe kernel runs rnn again with the values of the last call whose values are known. The panel then shows each step.'
    );
    click(button(node));
    expect(working(node)).toBe('Waiting for the kernel.0 sStop');
    expect(run(node)).toBe('Running the steps.');
    act(() => {
      jest.advanceTimersByTime(3000);
      kernel.works(
        progressed({ text: 'step 400', done: 400, total: 1000, elapsed: 3 })
      );
    });
    expect(working(node)).toBe('step 4003 sStop');
    const progress = node.querySelector('progress');
    expect([progress?.value, progress?.max]).toEqual([400, 1000]);
    await answers(answered(recording()));
    expect(heading(node)).toBe('Step 1 of 5');
    expect(words(button(node))).toBe('Record the steps again');
    expect(run(node)).toBe('The steps are ready.');
  });

  it('leaves the keyboard where one can go on: on Stop, then on the slider', async () => {
    const { node, answers } = live();
    button(node).focus();
    click(button(node));
    expect(words(document.activeElement)).toBe('Stop');
    await answers(answered(recording()));
    expect(document.activeElement).toBe(slider(node));
  });

  it('is stopped, and what was recorded is kept', async () => {
    const { node, kernel, answers } = live(WHILE);
    click(button(node));
    click(byRole(node, 'button', 'Stop')[0]);
    click(byRole(node, 'button', 'Stop')[0]);
    expect(kernel.stops).toBe(1);
    expect(run(node)).toBe('Stopping. The steps recorded so far are kept.');
    await answers(answered(newton({ stopped: 'Stopped by you.' })));
    expect(heading(node)).toBe('Step 1 of 3');
    expect(words(node)).toContain('Stopped by you.');
  });

  it('asks before effects are repeated', async () => {
    const { node, kernel, answers } = live();
    click(button(node));
    await answers(confirm('step prints. Running it again prints again.'));
    const question = byRole(
      node,
      'alertdialog',
      'Repeat the effects of the function?'
    )[0];
    expect(words(question)).toBe(
      'step prints. Running it again prints again.Do not run the functionRun the function and repeat the effects'
    );
    expect(words(document.activeElement)).toBe('Do not run the function');
    click(document.activeElement);
    expect(words(button(node))).toBe('Record the steps');
    click(button(node));
    await answers(confirm('step prints.'));
    click(byRole(node, 'button', 'Run the function and repeat the effects')[0]);
    await answers(answered(recording()));
    expect(heading(node)).toBe('Step 1 of 5');
    expect(
      kernel.asked.map(request =>
        request.type === 'steps' ? request.confirmed : null
      )
    ).toEqual([false, false, true]);
  });

  it('says why it failed, and can be pressed again', async () => {
    const { node, answers } = live();
    click(button(node));
    await answers(answered(recording({ control: 3 })));
    expect(words(byRole(node, 'alert')[0])).toBe(
      'The panel could not send the request to the kernel. Reload the page and try again.'
    );
    click(button(node));
    await answers(answered(recording()));
    expect(byRole(node, 'alert')).toEqual([]);
  });

  it('says what to do after the kernel restarted; the recording stays', async () => {
    const { node, kernel, answers } = live();
    click(button(node));
    await answers(answered(recording()));
    act(() => kernel.turns({ kind: 'lost', loss: 'restarting' }));
    act(() => kernel.turns({ kind: 'not-loaded' }));
    expect(heading(node)).toBe('Step 1 of 5');
    expect(button(node).getAttribute('aria-disabled')).toBe('true');
    expect(words(node.querySelector('.jp-JaxprStepper-start p'))).toBe(
      'Kernel restarted. Run %load_ext jupyter_jaxpr, then run cell [7] again to refresh the panel.'
    );
    click(button(node));
    expect(kernel.asked).toHaveLength(1);
  });

  it.each<[string, Control, string]>([
    [
      'of a card that cannot be run',
      card({
        steppable: 'Its values were donated. Run the cell with --steps.'
      }),
      'Its values were donated. Run the cell with --steps.'
    ],
    [
      'of a saved run',
      card(),
      'This run comes from a saved copy. Run the cell to step through the construct.'
    ]
  ])('%s says why', (_, construct, reason) => {
    const { node } = shown(construct, null);
    expect(button(node).getAttribute('aria-disabled')).toBe('true');
    expect(words(node.querySelector('.jp-JaxprStepper-start p'))).toBe(reason);
  });
});
