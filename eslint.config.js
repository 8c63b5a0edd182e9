import regexp from 'eslint-plugin-regexp'
import neostandard, { plugins, resolveIgnoresFromGitignore } from 'neostandard'
import { oneChain } from './scripts/lint/one-chain.js'

const tseslint = plugins['typescript-eslint']

export default [
  ...neostandard({
    ts: true,
    noStyle: true,
    ignores: [
      ...resolveIgnoresFromGitignore(),
      'samples/**',
      'test/fixtures/**',
      'scripts/record-fixtures/programs/**',
    ],
  }),
  {
    files: ['**/*.{js,ts}'],
    plugins: { house: { rules: { 'one-chain': oneChain } } },
    rules: {
      'max-params': ['error', 5],
      complexity: ['error', 15],
      'no-nested-ternary': 'error',
      'house/one-chain': 'error',
      'max-len': ['error', { code: 120, ignoreUrls: true, ignoreRegExpLiterals: true }],
    },
  },
  {
    files: ['**/*.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // Functions that call each other in a circle say so where they do; types may come in any order.
      '@typescript-eslint/no-use-before-define': ['error', { typedefs: false, ignoreTypeReferences: true }],
    },
  },
  {
    // What a trace, a repository or a model wrote is read by these: none may need more than linear time.
    files: ['src/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': 'error',
      'regexp/no-super-linear-move': 'error',
    },
  },
  {
    // Fastify loads plugins by their default export; everything else has a name.
    files: ['src/**/*.ts'],
    ignores: ['src/http/plugins/**', 'src/routes/**', 'src/web/pages.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportDefaultDeclaration',
          message: 'Use a named export; only Fastify plugins have a default one.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { name: 'node:http', allowTypeImports: true, message: 'It loads undici; take it from core/node-http.ts.' },
      ],
    },
  },
  {
    // What a program printed stands in a test as it was printed.
    files: ['test/**/*.ts'],
    rules: {
      'max-len': [
        'error',
        { code: 120, ignoreUrls: true, ignoreRegExpLiterals: true, ignoreStrings: true, ignoreTemplateLiterals: true },
      ],
    },
  },
]
