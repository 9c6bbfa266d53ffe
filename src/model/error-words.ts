/** Makes the sentences for errors of messages and documents, with what the user can do. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Loss, Unanswered } from '../kernel/channel-interface';
import { Unreadable } from '../protocol/document';
import { PROTOCOL, VERSION } from '../protocol/messages';

/** The sentence for a kernel and a page with incompatible versions of this extension. */
export function versionsDiffer(
  kernel: { version: string; protocol: number },
  trans: TranslationBundle
): string {
  if (kernel.protocol > PROTOCOL) {
    return trans.__(
      'The kernel has jupyter_jaxpr %1 and JupyterLab has %2. These versions do not work together. Run "pip install jupyter_jaxpr==%1" where JupyterLab is installed, restart JupyterLab and reload this page.',
      kernel.version,
      VERSION
    );
  }
  return trans.__(
    'The kernel has jupyter_jaxpr %1 and JupyterLab has %2. These versions do not work together. Run "%pip install jupyter_jaxpr==%2" in this notebook and restart its kernel.',
    kernel.version,
    VERSION
  );
}

/** The sentence for a kernel and a page with different but compatible versions; null if the versions are equal. */
export function versionsApart(
  kernel: string,
  trans: TranslationBundle
): string | null {
  if (plainVersion(kernel) === plainVersion(VERSION)) {
    return null;
  }
  return trans.__(
    'The kernel has jupyter_jaxpr %1 and JupyterLab has %2. These versions work together. To have all features, install the same version in the environments of the kernel and of JupyterLab.',
    kernel,
    VERSION
  );
}

/** Converts a version to one form: npm writes 1.0.0-rc.1 for Python's 1.0.0rc1. */
function plainVersion(version: string): string {
  return version
    .replace(/-?alpha\.?/, 'a')
    .replace(/-?beta\.?/, 'b')
    .replace(/-?rc\.?/, 'rc');
}

/** The first line in place of an output whose document cannot be shown. */
export const unreadableTitle = (trans: TranslationBundle): string =>
  trans.__('This output cannot be shown.');

/**
 * The sentence that says why a document or a message cannot be shown.
 *
 * @param origin Where the document comes from: a cell, which can run again, or a file.
 */
export function whyUnreadable(
  reason: Unreadable,
  trans: TranslationBundle,
  origin: 'cell' | 'file' = 'cell'
): string {
  if (reason.unreadable === 'newer') {
    return trans.__(
      'A newer version of jupyter_jaxpr made the document (format %1; this panel reads format %2). Update jupyter_jaxpr where JupyterLab is installed and reload this page.',
      reason.version,
      reason.newest
    );
  }
  if (origin === 'file') {
    return trans.__(
      'The document is damaged at the field %1 (expected: %2). Write the file again with snapshot.save(), or with Save a Copy in the menu of the Jaxpr panel.',
      reason.field,
      reason.expected
    );
  }
  return trans.__(
    'The document is damaged at the field %1 (expected: %2). Run the cell again.',
    reason.field,
    reason.expected
  );
}

/** The sentence that says why a request to the kernel has no answer. */
export function whyUnanswered(
  error: unknown,
  trans: TranslationBundle
): string {
  if (!(error instanceof Unanswered)) {
    return trans.__(
      'The panel could not send the request to the kernel. Reload the page and try again.'
    );
  }
  if (error.why === 'closed') {
    return trans.__(
      'The connection to the kernel closed before the kernel answered. Run the cell again.'
    );
  }
  if (error.why === 'timeout') {
    return trans.__(
      'The kernel has not answered yet. If a cell is running, wait until the cell ends and try again.'
    );
  }
  if (error.why === 'stopped') {
    return trans.__(
      'The request was stopped before the kernel began to answer. Start the request again.'
    );
  }
  if (error.why === 'not-its-own') {
    return trans.__(
      'This run comes from a saved copy or from an earlier kernel. Run the cell again.'
    );
  }
  if ('kernel' in error.why) {
    return error.why.kernel;
  }
  return whyUnreadable(error.why, trans);
}

/** A few words on what happened to the kernel, such as that it restarted. */
export function whatWasLost(
  loss: Loss | 'changed' | 'ended',
  trans: TranslationBundle
): string {
  switch (loss) {
    case 'restarting':
      return trans.__('Kernel restarted');
    case 'dead':
      return trans.__('Kernel died');
    case 'disconnected':
    case 'cut-off':
      return trans.__('Connection lost');
    case 'changed':
      return trans.__('Kernel changed');
    case 'ended':
      return trans.__('Kernel shut down');
  }
}
