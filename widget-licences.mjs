/**
 * Collects the licences of the packages that a script holds: they ask for their texts to be given on with every copy.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|copying)(\.(md|txt))?$/i;
const PACKAGE = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** The text in which a package grants its licence; the packages of Lumino name the copyright in each file instead. */
function textOf(folder, { name, license }, bsd) {
  const file = readdirSync(folder).find(entry => LICENCE_FILE.test(entry));
  if (file !== undefined) {
    return readFileSync(path.join(folder, file), 'utf-8').trim();
  }
  const source = path.join(folder, 'src', 'index.ts');
  if (license === 'BSD-3-Clause' && existsSync(source)) {
    const holders = readFileSync(source, 'utf-8').match(/Copyright \(c\).*/g);
    if (holders !== null) {
      return [...new Set(holders), '', bsd].join('\n');
    }
  }
  throw new Error(`${name} has no text of its licence, ${license}.`);
}

/**
 * One text with the licence of each package.
 *
 * @param root The folder of the checkout, whose own licence has the conditions of the BSD licence.
 * @param modules The names of the modules that the script is made of.
 */
export function licences(root, modules) {
  const own = readFileSync(path.join(root, 'LICENSE'), 'utf-8').trim();
  const bsd = own.slice(own.indexOf('Redistribution and use'));
  const folders = new Set();
  for (const name of modules) {
    const found = PACKAGE.exec(name);
    if (found !== null) {
      folders.add(path.resolve(root, found[1]));
    }
  }
  return [...folders]
    .sort()
    .map(folder => {
      const about = JSON.parse(
        readFileSync(path.join(folder, 'package.json'), 'utf-8')
      );
      const head = `${about.name} ${about.version} (${about.license})`;
      return `${head}\n${'='.repeat(head.length)}\n\n${textOf(folder, about, bsd)}\n`;
    })
    .join('\n\n');
}
