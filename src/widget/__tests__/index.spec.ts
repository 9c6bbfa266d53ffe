import { showHelp } from '../../workbench/reading/help-overlay';
import { english } from '../words';
import '../index';

// jsdom opens no windows.
HTMLDialogElement.prototype.showModal = () => undefined;

/** The keys that the help lists below each heading. */
function listed(): string[] {
  return [...document.querySelectorAll('h3, dt')].map(
    ({ tagName, children, textContent }) =>
      tagName === 'H3'
        ? `# ${textContent}`
        : [...children].map(key => key.textContent).join(' ')
  );
}

describe('the keys that a widget lists', () => {
  afterEach(() => {
    document.body.replaceChildren();
  });

  it('are its own: it presents nothing, and no cell can be edited', () => {
    showHelp(english, document.body);
    expect(listed()).toEqual([
      '# Anywhere in the view',
      'Ctrl+F',
      'Enter Shift+Enter',
      'Escape',
      '?',
      'Space Play',
      '# With the keyboard focus in a text',
      '↑ ↓ Page Up Page Down Home End Ctrl+Home Ctrl+End',
      '→ ←',
      'n p',
      'Alt+→ Alt+←',
      'Ctrl+→ Ctrl+←',
      'F12 Alt+click',
      'Shift+F12',
      'c b w u',
      'g',
      's',
      'o f',
      'a',
      'r steps',
      'x',
      'd',
      'Escape',
      'F3 Shift+F3',
      'Ctrl+A',
      'Enter',
      'Escape',
      '# With several levels side by side',
      '← → Home End'
    ]);
    expect(document.body.textContent).not.toContain('present');
    expect(document.body.textContent).not.toContain('In the cell');
  });
});
