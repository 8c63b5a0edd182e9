import { test } from 'tap'
import { guideFiles, metadataFiles } from '../../../../src/pipelines/task/context/metadata-files.ts'

test('the configuration of every language, at the root alone; what says most comes first', t => {
  const files = [
    'package.json',
    'pyproject.toml',
    'go.mod',
    'Cargo.toml',
    'pom.xml',
    'build.gradle.kts',
    'Gemfile',
    'composer.json',
    'setup.py',
    'setup.cfg',
    'requirements.txt',
    'requirements-dev.txt',
    'CLAUDE.md',
    'tsconfig.json',
    'tsconfig.app.json',
    '.eslintrc.json',
    'eslint.config.mjs',
    'nuxt.config.ts',
    'next.config.js',
    'vite.config.ts',
    'vue.config.js',
    'README.md',
  ]
  t.same(metadataFiles([...files].reverse()).sort(), [...files].sort())
  t.same(metadataFiles(['eslint.config.mjs', 'README.md', 'CLAUDE.md', 'package.json']), [
    'package.json',
    'CLAUDE.md',
    'README.md',
    'eslint.config.mjs',
  ])
  t.same(metadataFiles(['a/package.json', 'README', 'my-package.json', 'readme.rst']), ['README', 'readme.rst'])
  t.end()
})

test('guides of the root, of the places of forges, and of the folders around chosen files', t => {
  const paths = [
    'AGENTS.md',
    'CONTRIBUTING.rst',
    '.github/CONTRIBUTING.md',
    'a/AGENTS.md',
    'a/b/agents.md',
    'c/AGENTS.md',
  ]
  t.same(guideFiles(paths, ['a/b/x.ts', 'y.ts']), [
    'AGENTS.md',
    'CONTRIBUTING.rst',
    '.github/CONTRIBUTING.md',
    'a/b/agents.md',
    'a/AGENTS.md',
  ])
  t.same(guideFiles(['src/contributing.ts', 'AGENTS.mdx'], ['src/a.ts']), [])
  t.end()
})
