import regexp from 'eslint-plugin-regexp'
import neostandard, { plugins, resolveIgnoresFromGitignore } from 'neostandard'

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
    files: ['**/*.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      'max-params': ['error', 5],
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
    ignores: ['src/http/plugins/**', 'src/routes/**'],
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
]
