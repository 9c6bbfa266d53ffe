import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import ts from 'typescript';

/**
 * The names that `jupyterlab-translate` takes for a translation bundle, and the arguments of its functions that are
 * texts: from the constants of jupyterlab_translate 1.4. A text under another name is in no language pack.
 */
const BUNDLES = ['trans', 'this._trans', 'this.props.trans', 'props.trans'];
const TEXTS: ReadonlyMap<string, readonly number[]> = new Map([
  ['__', [0]],
  ['gettext', [0]],
  ['_n', [0, 1]],
  ['ngettext', [0, 1]],
  ['_p', [1]],
  ['pgettext', [1]],
  ['_np', [1, 2]],
  ['npgettext', [1, 2]]
]);

const ROOT = join(__dirname, '..');

/**
 * Finds the calls of a translation bundle in our source: the number of extracted texts, and the place of each missed
 * text.
 */
function calls(): { extracted: number; missed: string[] } {
  let extracted = 0;
  const missed: string[] = [];
  for (const file of sources(ROOT)) {
    const source = ts.createSourceFile(
      file,
      readFileSync(file, 'utf8'),
      ts.ScriptTarget.Latest,
      true
    );
    const visit = (node: ts.Node): void => {
      if (
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        TEXTS.has(node.expression.name.text)
      ) {
        const { expression, name } = node.expression;
        const texts = (TEXTS.get(name.text) ?? []).map(
          index => node.arguments[index]
        );
        if (
          BUNDLES.includes(expression.getText(source)) &&
          texts.every(text => text !== undefined && ts.isStringLiteral(text))
        ) {
          extracted++;
        } else {
          const { line } = source.getLineAndCharacterOfPosition(
            node.getStart(source)
          );
          missed.push(`${file.slice(ROOT.length + 1)}:${line + 1}`);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { extracted, missed };
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === '__tests__' ? [] : sources(path);
    }
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

it('finds every text of the panel for the language packs', () => {
  const { extracted, missed } = calls();
  expect(missed).toEqual([]);
  expect(extracted).toBeGreaterThan(1000);
});
