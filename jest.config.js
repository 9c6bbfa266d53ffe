const jestJupyterLab = require('@jupyterlab/testutils/lib/jest-config');

// Published as ES modules only: babel has to translate them for jest.
const esModules = [
  '@codemirror',
  '@jupyter/',
  '@jupyterlab/',
  '@marijn',
  '@microsoft/',
  'color',
  'exenv-es6',
  'lib0',
  'marked',
  'nanoid',
  'tabbable',
  'vscode-ws-jsonrpc',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

module.exports = {
  ...jestJupyterLab(__dirname),
  automock: false,
  collectCoverageFrom: ['src/**/*.{ts,tsx}', '!src/**/__tests__/**'],
  coverageReporters: ['lcov', 'text-summary'],
  modulePathIgnorePatterns: [
    '<rootDir>/.nox',
    '<rootDir>/jupyter_jaxpr/labextension',
    '<rootDir>/lib'
  ],
  // A process for each core: jest leaves one core free, for the person who works beside it.
  maxWorkers: '100%',
  reporters: ['default', '<rootDir>/jest.reporter.js'],
  testRegex: 'src/(.*/)?__tests__/.*\\.spec\\.tsx?$',
  transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`]
};
