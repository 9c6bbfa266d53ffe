/** Copies each lesson into a folder of its own; earlier copies of the reader are kept. */
import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { ILesson } from './lesson-files';

/** The folder of the copies, the same as in `python -m jupyter_jaxpr.lessons`. */
export const LESSONS_FOLDER = 'jaxpr-lessons';

/** The functions of JupyterLab's contents manager that copying uses. */
export type Files = Pick<
  JupyterFrontEnd['serviceManager']['contents'],
  'get' | 'save'
>;

/**
 * Copy the lessons that the folder of the copies does not have yet.
 *
 * @param folder - The folder in which the folder of the copies is or will be made; empty for the server's root folder.
 * @returns The path of the first lesson.
 */
export async function copyLessons(
  folder: string,
  lessons: readonly ILesson[],
  files: Files
): Promise<string> {
  // After the name of a drive, such as `RTC:`, the path continues without a slash.
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
