import js from '@eslint/js';
import jupyterPlugin from '@jupyter/eslint-plugin';
import prettierRecommended from 'eslint-plugin-prettier/recommended';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const SERVICES = {
  name: '@jupyterlab/services',
  message: 'Only kernel/channel.ts talks to the kernel; import its interface.'
};

const LIFE = {
  group: ['**/evaluable'],
  importNames: ['KernelLife'],
  message: 'Only kernel/channel.ts knows what a kernel has sent.'
};

const VIEWS = ['editor', 'panel', 'output'];

/**
 * What a room may not import: the rooms after it. Data travels one way:
 * kernel -> protocol -> model -> program-text -> views (editor, panel, output) -> plugins.
 */
const room = (name, forbidden) => ({
  files: [`src/${name}/**/*.ts`, `src/${name}/**/*.tsx`],
  ignores: ['src/kernel/channel.ts', '**/__tests__/**'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: [SERVICES],
        patterns: [
          LIFE,
          ...forbidden.map(later => ({
            group: [`**/${later}`, `**/${later}/**`],
            message: `src/${name} comes before src/${later} and does not know it.`
          }))
        ]
      }
    ]
  }
});

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
            ':matches(TSAsExpression, TSTypeAssertion) TSTypeReference > Identifier[name=/^(EvaluableText|ISweepQuestion|Question)$/]',
          message:
            'Text of a document is never evaluated; see src/protocol/README.md.'
        }
      ],
      'prefer-arrow-callback': 'error'
    }
  },
  {
    files: ['src/kernel/channel.ts', '**/__tests__/**'],
    rules: { 'no-restricted-imports': 'off' }
  },
  {
    files: ['**/__tests__/**'],
    rules: { 'jupyter/no-untranslated-string': 'off' } // no person reads a test's texts
  },
  room('protocol', [
    'kernel',
    'model',
    'program-text',
    ...VIEWS,
    'plugins',
    'tokens'
  ]),
  room('kernel', ['model', 'program-text', ...VIEWS, 'plugins']),
  room('model', [...VIEWS, 'plugins']),
  room('program-text', ['kernel', ...VIEWS, 'plugins']),
  room('editor', ['kernel', 'panel', 'output', 'plugins']),
  room('panel', ['kernel', 'plugins']),
  room('output', ['kernel', 'plugins']),
  prettierRecommended
]);
