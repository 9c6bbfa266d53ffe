/** Tests that the lessons are copied into the user's files, and that no file of the user is overwritten. */
import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';

import { Files, copyLessons } from '../copied-lessons';

const COURSE = join(__dirname, '../../../jupyter_jaxpr/lessons/en');

/** A server that stores its files in an object: path -> content; the content of a folder is null. */
class Server {
  files: Record<string, unknown> = {};

  get = async (path: string): Promise<unknown> => ({
    content: Object.keys(this.files)
      .filter(file => file.startsWith(`${path}/`))
      .map(file => ({ name: file.slice(path.length + 1) }))
  });

  save = async (path: string, model: object): Promise<unknown> => {
    this.files[path] = 'content' in model ? model.content : null;
    return model;
  };
}

const lessons = ['01-one.ipynb', '02-two.ipynb'].map(name => ({
  name,
  load: async () => `the text of ${name}`
}));

it.each([
  ['', 'jaxpr-lessons'],
  ['work/jax', 'work/jax/jaxpr-lessons'],
  ['RTC:', 'RTC:jaxpr-lessons'],
  ['RTC:work', 'RTC:work/jaxpr-lessons']
])('are copied into a folder of %j', async (folder, path) => {
  const server = new Server();
  const first = await copyLessons(folder, lessons, server as unknown as Files);
  expect(first).toBe(`${path}/01-one.ipynb`);
  expect(server.files).toEqual({
    [path]: null,
    [`${path}/01-one.ipynb`]: 'the text of 01-one.ipynb',
    [`${path}/02-two.ipynb`]: 'the text of 02-two.ipynb'
  });
});

it('are left alone where a person has a copy', async () => {
  const server = new Server();
  server.files['jaxpr-lessons/01-one.ipynb'] = 'my notes';
  await copyLessons('', lessons, server as unknown as Files);
  expect(server.files['jaxpr-lessons/01-one.ipynb']).toBe('my notes');
  expect(server.files['jaxpr-lessons/02-two.ipynb']).toBe(
    'the text of 02-two.ipynb'
  );
});

it('are all of the package’s', () => {
  // The test reads the list as a text: it cannot be imported, because only the bundler can resolve `new URL` of a file.
  const list = readFileSync(join(__dirname, '../lesson-files.ts'), 'utf8');
  const named = [
    ...list.matchAll(/\[\s*'(\S+\.ipynb)',\s*new URL\(\s*'(\S+)'/g)
  ];
  const files = readdirSync(COURSE).filter(file => file.endsWith('.ipynb'));
  expect(named.map(([, name]) => name)).toEqual(files.sort());
  expect(named.map(([, , path]) => path)).toEqual(
    files.map(file => `../../jupyter_jaxpr/lessons/en/${file}`)
  );
});
