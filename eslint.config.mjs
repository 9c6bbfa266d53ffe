import js from '@eslint/js';
import jupyterPlugin from '@jupyter/eslint-plugin';
import prettierRecommended from 'eslint-plugin-prettier/recommended';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const SERVICES = {
  name: '@jupyterlab/services',
  message:
    'Only src/kernel talks to a kernel and to the server; import its interface.'
};

const LIFE = {
  group: ['**/evaluable'],
  importNames: ['KernelLife'],
  message: 'Only kernel/channel.ts knows what a kernel has sent.'
};

/** A view runs in every host that gives what src/host.ts names; the types of translations cost nothing. */
const HOST = {
  regex: '^@jupyterlab/(?!translation$)',
  message: 'A view takes JupyterLab from src/host.ts only.'
};
const HOSTED = [
  'protocol',
  'program-text',
  'parts',
  'workbench',
  'side-by-side',
  'transform',
  'excerpt',
  'widget'
];

/**
 * The rooms in the order in which data travels; rooms of one line do not know each other.
 * `kernel` stands beside them: only the model asks the kernel.
 */
const ORDER = [
  ['protocol'],
  ['program-text'],
  ['model'],
  ['parts'],
  ['workbench'],
  ['side-by-side', 'transform', 'excerpt'],
  ['editor', 'output', 'panel'],
  ['plugins', 'widget']
];
/** The views of the panel: each is a room, and only the shell knows them. */
const PANEL = [
  'cache',
  'compare',
  'cost',
  'diff',
  'flow',
  'notes',
  'program',
  'time'
];

/** A room and the rooms that it may not import. */
const room = (name, forbidden) => ({
  files: [`src/${name}/**/*.ts`, `src/${name}/**/*.tsx`],
  ignores: ['src/kernel/*.ts', '**/__tests__/**'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: [SERVICES],
        patterns: [
          LIFE,
          ...(HOSTED.includes(name.split('/')[0]) || name.startsWith('panel')
            ? [HOST]
            : []),
          ...forbidden.map(other => ({
            regex: `^(\\.\\./)+${other}(/|$)`,
            message: `src/${name} does not know ${other}; see ORDER in eslint.config.mjs.`
          }))
        ]
      }
    ]
  }
});

const after = place => ORDER.slice(place + 1).flat();
const beside = (place, name) => ORDER[place].filter(other => other !== name);
const ROOMS = ORDER.flatMap((names, place) =>
  names.map(name =>
    room(name, [
      ...(['model', 'plugins', 'widget'].includes(name) ? [] : ['kernel']),
      ...beside(place, name),
      ...after(place)
    ])
  )
);
const VIEWS = PANEL.map(name =>
  room(`panel/${name}`, [
    'kernel',
    'editor',
    'output',
    'plugins',
    'shell',
    ...PANEL.filter(other => other !== name)
  ])
);

export default defineConfig([
  {
    ignores: [
      '.nox',
      '.venv',
      'binder',
      'coverage',
      'jupyter_jaxpr',
      'lib',
      'node_modules',
      'tests',
      'ui-tests',
      '**/*.js',
      '**/*.mjs',
      '**/*.d.ts',
      'src/protocol/snapshot.ts' // generated
    ]
  },
  js.configs.recommended,
  tseslint.configs.recommended,
  { plugins: { jupyter: jupyterPlugin } },
  jupyterPlugin.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      globals: { ...globals.browser, ...globals.es2020 },
      parserOptions: { project: 'tsconfig.test.json', sourceType: 'module' }
    },
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ],
      '@typescript-eslint/no-namespace': 'off', // the template's CommandIDs are a namespace
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { args: 'none' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true }
      ],
      curly: ['error', 'all'],
      eqeqeq: 'error',
      'no-console': ['error', { allow: ['warn', 'error'] }],
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-imports': [
        'error',
        { paths: [SERVICES], patterns: [LIFE] }
      ],
      // A saved notebook is untrusted: everything is shown as text.
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Make elements and textContent.' },
        { property: 'outerHTML', message: 'Make elements and textContent.' },
        {
          property: 'insertAdjacentHTML',
          message: 'Make elements and textContent.'
        }
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
          message: 'Make elements and text.'
        },
        {
          selector:
            ':matches(TSAsExpression, TSTypeAssertion) TSTypeReference > Identifier[name=/^(EvaluableText|ISweepQuestion|Params|Question)$/]',
          message:
            'Text of a document is never evaluated; see src/protocol/README.md.'
        }
      ],
      'prefer-arrow-callback': 'error'
    }
  },
  {
    files: ['src/kernel/*.ts', '**/__tests__/**'],
    rules: { 'no-restricted-imports': 'off' }
  },
  {
    files: ['**/__tests__/**'],
    rules: { 'jupyter/no-untranslated-string': 'off' } // no person reads a test's texts
  },
  ...ROOMS,
  ...VIEWS,
  room('kernel', ORDER.slice(1).flat()),
  prettierRecommended
]);
