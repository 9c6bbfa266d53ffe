import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import ts from 'typescript';

/**
 * A translator sees one text at a time, so a text is a whole sentence or a label, and code puts only names, numbers and
 * labels into a sentence. This finds translated texts that code glues to others: by `+` or in a template literal with
 * words of its own, in an array that is joined by a comma or a space, or as the argument of another text.
 *
 * Not glued: whole sentences after each other, labels with `·` between them, and what `listOf` lists.
 */
const ROOT = join(__dirname, '..');
/** Translated labels that may be inserted into a sentence in place of a number. */
const VALUES = ['unknown'];

const isText = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  ['__', '_n'].includes(node.expression.name.text);

const textOf = (call: ts.CallExpression): string =>
  call.arguments.find(ts.isStringLiteral)?.text ?? '';

const isSentence = (text: string): boolean => /[.?!…:]$/.test(text);

/**
 * Finds the largest expression whose value may be the text itself: for `text` in `isOld ? text : ''`, the conditional.
 */
function whole(node: ts.Node): ts.Node {
  const { parent } = node;
  const isBranch =
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    ts.isParenthesizedExpression(parent) ||
    (ts.isBinaryExpression(parent) &&
      ['??', '||', '&&'].includes(parent.operatorToken.getText()));
  return isBranch ? whole(parent) : node;
}

/**
 * Finds the array that has the text as an element: the array literal around the text, or `parts` in `parts.push(text)`.
 */
function arrayOf(node: ts.Node): ts.Node | null {
  const { parent } = node;
  if (ts.isArrayLiteralExpression(parent)) {
    const spread = whole(parent).parent;
    return ts.isSpreadElement(spread) ? arrayOf(spread) : parent;
  }
  return ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    ['push', 'unshift'].includes(parent.expression.name.text)
    ? parent.expression.expression
    : null;
}

/**
 * Finds the separator with which `join` joins an array, searched in the function around the array; null if nothing
 * joins the array.
 */
function separatorOf(array: ts.Node, source: ts.SourceFile): string | null {
  const named = ts.isIdentifier(array)
    ? array
    : ts.isVariableDeclaration(array.parent)
      ? array.parent.name
      : null;
  let scope: ts.Node = array;
  while (!ts.isFunctionLike(scope) && scope.parent !== undefined) {
    scope = scope.parent;
  }
  let separator: string | null = null;
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'join'
    ) {
      let joined: ts.Node = node.expression.expression;
      while (
        ts.isCallExpression(joined) &&
        ts.isPropertyAccessExpression(joined.expression)
      ) {
        joined = joined.expression.expression; // the array `parts` in `parts.filter(...).join(', ')`
      }
      const [by] = node.arguments;
      if (
        (joined === array ||
          (named !== null &&
            joined.getText(source) === named.getText(source))) &&
        by !== undefined &&
        ts.isStringLiteral(by)
      ) {
        separator = by.text;
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(scope);
  return separator;
}

/** Says in which way code glues a translated text to other texts; null for a text that stands alone. */
function gluedBy(
  call: ts.CallExpression,
  source: ts.SourceFile
): string | null {
  const text = textOf(call);
  const node = whole(call);
  const { parent } = node;
  if (isText(parent) && !VALUES.includes(text)) {
    return 'an argument of another text';
  }
  if (isSentence(text)) {
    return null;
  }
  if (
    ts.isBinaryExpression(parent) &&
    ['+', '+='].includes(parent.operatorToken.getText(source))
  ) {
    return '+';
  }
  if (ts.isTemplateSpan(parent)) {
    const { head, templateSpans } = parent.parent;
    const fixed =
      head.text + templateSpans.map(one => one.literal.text).join('');
    return templateSpans.length === 1 && /^[\s·]*$/.test(fixed)
      ? null
      : 'a template literal';
  }
  const array = arrayOf(node);
  const separator = array === null ? null : separatorOf(array, source);
  return separator === null || /[·\n\t]/.test(separator)
    ? null
    : `join('${separator}')`;
}

function gluedIn(source: ts.SourceFile): string[] {
  const glued: string[] = [];
  const visit = (node: ts.Node): void => {
    const by = isText(node) ? gluedBy(node, source) : null;
    if (by !== null) {
      glued.push(`${textOf(node as ts.CallExpression)} [${by}]`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return glued;
}

const parsed = (name: string, text: string): ts.SourceFile =>
  ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === '__tests__' ? [] : sources(path);
    }
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

it('joins no parts of a sentence in the panel', () => {
  const glued = sources(ROOT).flatMap(file =>
    gluedIn(parsed(file, readFileSync(file, 'utf8'))).map(
      text => `${file.slice(ROOT.length + 1)}: ${text}`
    )
  );
  expect(glued).toEqual([]);
});

it('knows parts of a sentence that are glued', () => {
  const source = parsed(
    'glued.ts',
    `
    const one = trans.__('used once') + ', live';
    const two = \`\${name}: \${trans.__('an input')}\`;
    const three = [trans.__('used once'), isLive ? trans.__('live') : ''].join(', ');
    function four() {
      const words = [];
      words.push(trans.__('never live'));
      return words.filter(Boolean).join(' ');
    }
    const five = trans.__('%1 of the program', trans._n('%1 line', '%1 lines', n));
    `
  );
  expect(gluedIn(source)).toEqual([
    'used once [+]',
    'an input [a template literal]',
    "used once [join(', ')]",
    "live [join(', ')]",
    "never live [join(' ')]",
    '%1 line [an argument of another text]'
  ]);
});

it('lets sentences and labels stand after each other', () => {
  const source = parsed(
    'whole.ts',
    `
    const one = \`\${first} \${trans.__('The axis of the values is logarithmic.')}\`;
    const two = [trans.__('saved copy'), date].join(' · ');
    const three = \` · \${trans.__('saved copy')}\`;
    const four = trans.__('%1 of the program', size ?? trans.__('unknown'));
    const five = listOf([trans.__('trace'), trans.__('lower')], trans);
    `
  );
  expect(gluedIn(source)).toEqual([]);
});
