/** Loads the text of a level, or says why the text is missing and what the user can do. */
import type { TextLevel } from '../../model/links';
import type { Level } from '../../protocol/snapshot';
import { element } from '../../parts/dom';
import { levelTitle } from '../reading/toolbar';
import type { ILevelPaneOptions } from './level-pane-options';
import type { ProgramListings } from './program-listings';

/** The reason why a level has no text, and what the user can do. */
interface IAbsence {
  text: string;
  action: { label: string; run: () => void } | null;
}

/**
 * Load the text of a level from the document or from the kernel; some texts the kernel makes only on request. Returns
 * the reason if the text will not arrive by itself; null if the text is loaded or requested.
 */
export function fetchText(
  name: TextLevel,
  listings: ProgramListings,
  options: ILevelPaneOptions
): IAbsence | null {
  const { trans, model } = options;
  const { program, pages, requested } = listings;
  if (listings.isTwin) {
    if (model.requests) {
      void pages.twin(name, model.requests);
      return null;
    }
    return {
      text: trans.__(
        'Only the kernel holds the text of the tagged copy of the program, and the kernel is not available. Go back to the program, or run the cell again.'
      ),
      action: null
    };
  }
  const level = program.levels.find(level => level.name === name);
  if (!level) {
    return {
      text: trans.__(
        'This document holds no %1 text of the program.',
        levelTitle(name, trans)
      ),
      action: null
    };
  }
  switch (level.state) {
    case 'held':
      pages.takeText(name, level);
      return null;
    case 'not_made':
      return notMade(name, level, listings, options);
    case 'absent':
      return { text: level.reason ?? '', action: null };
    case 'on_request':
      break;
  }
  const { requests } = model;
  if (!requests) {
    return {
      text: trans.__(
        'Only the kernel holds the text of this level, and the kernel is not available. Run the cell again to see the text.'
      ),
      action: null
    };
  }
  if (listings.notice(name) !== null && !requested.has(name)) {
    const run = (): void => void pages.text(name, requests);
    return {
      text: '',
      action: { label: trans.__('Load the text again'), run }
    };
  }
  void pages.text(name, requests);
  return null;
}

/** The reason for a text that the kernel has not made yet; a button requests the text, because making it takes time. */
function notMade(
  name: TextLevel,
  level: Level,
  listings: ProgramListings,
  options: ILevelPaneOptions
): IAbsence {
  const { trans, model } = options;
  if (!model.requests) {
    return { text: level.reason ?? '', action: null };
  }
  return {
    text: level.reason ?? '',
    action: {
      label:
        name === 'stablehlo'
          ? trans.__('Lower the program')
          : trans.__('Compile the program'),
      run: () => void listings.pages.make(name, model)
    }
  };
}

/** The element that shows why the text is missing and what the user can do. */
export function absenceNode({ text, action }: IAbsence): HTMLElement {
  const node = element('div', 'jp-JaxprProgram-absent');
  if (text) {
    node.append(element('p', '', text));
  }
  if (action) {
    const button = element('button', 'jp-JaxprProgram-make', action.label);
    button.addEventListener('click', action.run);
    node.append(button);
  }
  return node;
}
