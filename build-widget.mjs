/**
 * Makes the script of the widget (jupyter_jaxpr/widgets/views.js) from what `tsc` wrote to lib/: the panel's views, with
 * lib/widget/host.js in the place of lib/host.js, and all style sheets. One file, which asks the network for nothing.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { rspack } from '@rspack/core';
import postcss from 'postcss';

import { licences } from './widget-licences.mjs';

const ROOT = path.dirname(fileURLToPath(import.meta.url));
const FOLDER = path.join(ROOT, 'jupyter_jaxpr', 'widgets');
const NAME = 'views.js';
/** The licences of the packages that the script holds; the minimizer takes the comments with them out. */
const LICENCES = 'third-party-licenses.txt';
/** The most that the script may have, in bytes, as the kernel sends it. */
const MOST = 400_000;

/** The style sheets for parts of JupyterLab's page around the panel. */
const OF_THE_PAGE = new Set(['output.css', 'presenting.css']);

/**
 * The style sheets in their order, as one text. Each rule counts inside of the widget only, and counts for more than the
 * rules that the page around has for the output of a cell.
 */
function styles() {
  const read = name => readFileSync(path.join(ROOT, 'style', name), 'utf-8');
  const names = [...read('index.css').matchAll(/url\('([^']+)'\)/g)];
  const sheet = postcss.parse(
    ['widget.css', ...names.map(([, name]) => name)]
      .filter(name => !OF_THE_PAGE.has(name))
      .map(read)
      .join('\n')
  );
  sheet.walkComments(comment => comment.remove());
  sheet.walkRules(rule => {
    rule.selectors = rule.selectors.map(selector =>
      selector.startsWith('.jp-JaxprWidget')
        ? selector
        : selector.startsWith(':root')
          ? selector.replace(':root', '.jp-JaxprWidget')
          : selector.startsWith('[data-jp-theme-light')
            ? `.jp-JaxprWidget${selector}`
            : `.jp-JaxprWidget ${selector}`
    );
  });
  return sheet.toString().replace(/\s+/g, ' ');
}

const compiler = rspack({
  mode: 'production',
  context: ROOT,
  entry: './lib/widget/index.js',
  target: ['web', 'es2020'],
  devtool: false,
  output: {
    path: FOLDER,
    filename: NAME,
    library: { type: 'module' },
    module: true,
    chunkFormat: 'module'
  },
  experiments: { outputModule: true },
  // Lumino drags the tabs of its dock panel, which no view has.
  resolve: { alias: { '@lumino/dragdrop': false } },
  // A chunk of its own would be a second file.
  module: { parser: { javascript: { dynamicImportMode: 'eager' } } },
  optimization: {
    splitChunks: false,
    runtimeChunk: false,
    minimizer: [
      new rspack.SwcJsMinimizerRspackPlugin({
        extractComments: false,
        minimizerOptions: {
          compress: { passes: 3 },
          mangle: true,
          format: { comments: false }
        }
      })
    ]
  },
  performance: { hints: false },
  plugins: [
    new rspack.NormalModuleReplacementPlugin(/(^|\/)host$/, resource => {
      const wanted = path.resolve(resource.context, resource.request);
      if (wanted === path.join(ROOT, 'lib', 'host')) {
        resource.request = path.join(ROOT, 'lib', 'widget', 'host.js');
      }
    }),
    new rspack.DefinePlugin({ JAXPR_STYLES: JSON.stringify(styles()) })
  ]
});

compiler.run((error, stats) => {
  if (error || stats.hasErrors()) {
    console.error(error ?? stats.toString({ preset: 'errors-warnings' }));
    process.exit(1);
  }
  const file = path.join(FOLDER, NAME);
  const script = readFileSync(file);
  const sent = gzipSync(script, { level: 9 }).length;
  const kB = bytes => `${Math.round(bytes / 1000)} kB`;
  console.log(
    `${path.relative(ROOT, file)}: ${kB(statSync(file).size)}, ${kB(sent)} gzipped`
  );
  const modules = stats
    .toJson({
      all: false,
      modules: true,
      nestedModules: true,
      nestedModulesSpace: Infinity,
      modulesSpace: Infinity,
      dependentModules: true,
      orphanModules: true
    })
    .modules.flatMap(module => [module, ...(module.modules ?? [])])
    .map(module => module.name ?? '');
  writeFileSync(path.join(FOLDER, LICENCES), licences(ROOT, modules));
  // Whoever imports JupyterLab by a detour sees it here.
  const foreign = modules.filter(name =>
    /node_modules\/@jupyterlab\//.test(name)
  );
  if (foreign.length > 0) {
    console.error(`The widget has parts of JupyterLab:\n${foreign.join('\n')}`);
    process.exit(1);
  }
  if (sent > MOST) {
    console.error(`The widget may have at most ${kB(MOST)} gzipped.`);
    process.exit(1);
  }
  compiler.close(() => undefined);
});
