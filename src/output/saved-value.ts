/** Shows a value that was saved with a notebook, as text and never as markup. */
import { TranslationBundle } from '@jupyterlab/translation';

import { unreadableTitle, whyUnreadable } from '../model/error-words';
import { usersPrograms } from '../model/users-programs';
import {
  activityWords,
  firstCall,
  fullSignature,
  originWords,
  shortArguments,
  shortened,
  shownFirst,
  sizeWords,
  withoutProgram
} from '../parts/summary';
import { isUnreadable, readSnapshot } from '../protocol/document';
import { Program, Snapshot } from '../protocol/snapshot';
import { Open } from './mime-renderer';

/**
 * The two lines of a snapshot, or why it cannot be shown.
 *
 * @param open Opens the panel; null if the application has no panel, so that the lines are no buttons.
 */
export function savedOutput(
  value: unknown,
  trans: TranslationBundle,
  open: Open | null
): HTMLElement {
  const read = readSnapshot(value);
  if (isUnreadable(read)) {
    return element('div', 'unreadable', [
      element('b', 'line', [unreadableTitle(trans)]),
      element('span', 'second', [whyUnreadable(read, trans)])
    ]);
  }
  const lines = element(open === null ? 'div' : 'button', 'lines');
  if (open !== null) {
    lines.title = trans.__('Open in the Jaxpr panel');
    lines.addEventListener('click', () => open(read));
  }
  const program = shownFirst(read);
  if (program === null) {
    lines.append(
      element('span', 'line', [shortened(withoutProgram(read, trans), 1000)])
    );
  } else {
    lines.append(signatureLine(program), countsLine(read, program, trans));
  }
  return lines;
}

/** The line of the signature: `rnn ({b, w}, f32[8]) → f32[4]`. */
function signatureLine(program: Program): HTMLElement {
  const line = element('span', 'line', [
    element('b', 'name', [shortened(program.name, 120)]),
    ' ',
    element('span', 'second', [shortArguments(program)])
  ]);
  line.title = shortened(fullSignature(program), 2000);
  if (program.result !== null) {
    line.append(
      element('span', 'second', [' →']),
      ` ${shortened(program.result.summary)}`
    );
  }
  return line;
}

/** The line of the counts: `17 equations · 1 scan ×100 · 4 calls, 1 compile · first call 142 ms`. */
function countsLine(
  snapshot: Snapshot,
  program: Program,
  trans: TranslationBundle
): HTMLElement {
  const size = sizeWords(program, trans);
  const line = element('span', 'line', [element('span', 'second', [size])]);
  const activity = activityWords(program);
  if (activity !== null) {
    line.append(outcome(element('span', 'second', [` · ${activity}`])));
  }
  const parts: string[] = [];
  const origin = originWords(program);
  if (origin !== null) {
    parts.push(origin);
  }
  const otherCount = usersPrograms(snapshot).length - 1;
  if (otherCount > 0) {
    parts.push(
      trans._n(
        '%1 more program of the run',
        '%1 more programs of the run',
        otherCount
      )
    );
  }
  line.append(
    element(
      'span',
      'second',
      parts.map(part => ` · ${part}`)
    )
  );
  const first = firstCall(program);
  if (first !== null) {
    line.append(
      outcome(
        element('span', 'second', [` · ${trans.__('first call')} `]),
        first
      )
    );
  }
  return line;
}

/**
 * Makes the part of a line that shows hits, compiles or the first call's time; it is hidden while the user guesses
 * them.
 */
function outcome(...children: (Node | string)[]): HTMLElement {
  return element('span', 'outcome', children);
}

/** An element of this output; its children are elements or text, never markup. */
function element(
  name: 'b' | 'button' | 'div' | 'span',
  className: string,
  children: (Node | string)[] = []
): HTMLElement {
  const made = document.createElement(name);
  made.className = `jp-JaxprOutput-${className}`;
  made.append(...children);
  return made;
}
