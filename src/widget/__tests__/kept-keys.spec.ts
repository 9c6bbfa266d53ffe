import { keepKeys } from '../kept-keys';

it('keeps the keys that a notebook takes for commands, and lets the others pass', () => {
  const widget = document.body.appendChild(document.createElement('div'));
  const button = widget.appendChild(document.createElement('button'));
  keepKeys(widget);
  const heard: string[] = [];
  const hear = ({ key }: KeyboardEvent): void => void heard.push(key);
  document.addEventListener('keydown', hear);
  const press = (key: string, held: KeyboardEventInit = {}): void => {
    button.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, ...held })
    );
  };
  for (const key of ['d', 'B', 'Enter', 'ArrowDown', ' ', 'PageUp']) {
    press(key);
  }
  expect(heard).toEqual([]);
  press('s', { ctrlKey: true });
  press('Enter', { shiftKey: true });
  press('Escape');
  press('Tab');
  press('F11');
  expect(heard).toEqual(['s', 'Enter', 'Escape', 'Tab', 'F11']);
  document.removeEventListener('keydown', hear);
  widget.remove();
});
