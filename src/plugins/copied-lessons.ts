/** Copies each lesson into a folder of its own; earlier copies of the reader are kept. */
import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { ILesson } from './lesson-files';

/** The folder of the copies, the same as in `python -m jupyter_jaxpr.lessons`. */
export const LESSONS_FOLDER = 'jaxpr-lessons';

/** The functions of the server's files that are needed. */
export type Files = Pick<
  JupyterFrontEnd['serviceManager']['contents'],
  'get' | 'save'
>;

/**
 * Copy the lessons that are not there yet.
 *
 * @param folder - The folder in which the folder of the lessons stands or is made; empty for the server's first
 * folder.
 * @returns The path of the first lesson.
 */
export async function copyLessons(
  folder: string,
  lessons: readonly ILesson[],
  files: Files
): Promise<string> {
  // A drive stands before its first folder as `RTC:`.
  const parent = folder === '' || folder.endsWith(':') ? folder : `${folder}/`;
  const path = `${parent}${LESSONS_FOLDER}`;
  await files.save(path, { type: 'directory' });
  const { content } = await files.get(path, { content: true });
  const there = new Set(
    (content as { name: string }[]).map(({ name }) => name)
  );
  for (const { name, load } of lessons) {
    if (!there.has(name)) {
      await files.save(`${path}/${name}`, {
        type: 'notebook',
        format: 'json',
        content: await load()
      });
    }
  }
  return `${path}/${lessons[0].name}`;
}
