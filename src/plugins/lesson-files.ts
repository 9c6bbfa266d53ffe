/** Lists the lessons of this extension in order, with their addresses on the server. */

/** A lesson of the course. */
export interface ILesson {
  name: string;
  /** Loads the text of the lesson, as a notebook. */
  load(): Promise<unknown>;
}

/**
 * The lessons are files of the Python package: the build copies each beside the code of this page. The build needs
 * each path as a literal; a test compares the list with the folder.
 */
const FILES: readonly (readonly [string, URL])[] = [
  [
    '01-what-jit-does.ipynb',
    new URL(
      '../../jupyter_jaxpr/lessons/en/01-what-jit-does.ipynb',
      import.meta.url
    )
  ],
  [
    '02-the-cache.ipynb',
    new URL(
      '../../jupyter_jaxpr/lessons/en/02-the-cache.ipynb',
      import.meta.url
    )
  ],
  [
    '03-branches.ipynb',
    new URL('../../jupyter_jaxpr/lessons/en/03-branches.ipynb', import.meta.url)
  ],
  [
    '04-loops.ipynb',
    new URL('../../jupyter_jaxpr/lessons/en/04-loops.ipynb', import.meta.url)
  ],
  [
    '05-scan.ipynb',
    new URL('../../jupyter_jaxpr/lessons/en/05-scan.ipynb', import.meta.url)
  ],
  [
    '06-time-and-cost.ipynb',
    new URL(
      '../../jupyter_jaxpr/lessons/en/06-time-and-cost.ipynb',
      import.meta.url
    )
  ]
];

export const LESSONS: readonly ILesson[] = FILES.map(([name, address]) => ({
  name,
  load: async () => {
    const answer = await fetch(address);
    if (!answer.ok) {
      throw new Error(`${answer.status} ${answer.statusText}`);
    }
    return answer.json() as Promise<unknown>;
  }
}));
