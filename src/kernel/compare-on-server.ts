/** Asks the Jupyter server to compare documents for which no kernel runs. */
import { ServerConnection } from '@jupyterlab/services';
import { TranslationBundle } from '@jupyterlab/translation';

import { checkProgramDiff } from '../protocol/diff';
import { isUnreadable, readable } from '../protocol/document';
import { ProgramDiff, Snapshot } from '../protocol/snapshot';

interface ISide {
  document: Snapshot;
  program: number;
}

/** The address of the server, and the settings of requests to it. */
export type ServerSettings = ServerConnection.ISettings;

/**
 * Asks the server to compare two programs.
 *
 * @throws Error The server did not compare them; the message is a sentence.
 */
export async function compareOnServer(
  settings: ServerSettings,
  before: ISide,
  after: ISide,
  level: string,
  trans: TranslationBundle
): Promise<ProgramDiff> {
  const unanswered = new Error(
    trans.__(
      'The server did not compare the documents. Install jupyter_jaxpr where JupyterLab is installed, restart JupyterLab and try again. JupyterLite has no server that compares documents.'
    )
  );
  let answer: { diff?: unknown; reason?: unknown };
  try {
    const response = await ServerConnection.makeRequest(
      `${settings.baseUrl}jupyter-jaxpr/diff`,
      {
        method: 'POST',
        body: JSON.stringify({
          before: before.document,
          before_program: before.program,
          after: after.document,
          after_program: after.program,
          level
        })
      },
      settings
    );
    if (!response.ok) {
      throw unanswered;
    }
    answer = (await response.json()) as typeof answer;
  } catch {
    throw unanswered;
  }
  if (typeof answer.reason === 'string') {
    throw new Error(answer.reason);
  }
  const diff = readable(() => checkProgramDiff(answer.diff));
  if (isUnreadable(diff)) {
    throw unanswered;
  }
  return diff;
}
