import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from '../fakes/model-server.ts'
import type { TestFiles } from './git-repository.ts'

/** A file of a coder's answer. */
interface CodedFile {
  path: string
  action: 'create' | 'update' | 'delete'
  content: string
}

export const THINKING = 'The list may be empty, which the sum says nothing of.'

/** A coder's answer. */
export const coded = (files: CodedFile[], commitMessage = 'feat: give 0 for nothing', thinking = THINKING): Reply => ({
  text: JSON.stringify({ thinking, files, commitMessage }),
})

/** A reviewer's answer; with a critical issue for `reject`. */
export const reviewed = (decision: 'approve' | 'reject', message = 'Divides by zero.'): Reply => ({
  text: JSON.stringify({
    decision,
    issues: decision === 'reject' ? [{ severity: 'critical', file: 'src/mean.js', line: 2, message }] : [],
    summary: decision === 'reject' ? 'A bug.' : 'Clean.',
  }),
})

export const DESCRIPTION = 'The zebra wants mean() to give 0 for an empty list'

/** A project of Node without dependencies: its linter refuses tabs. */
export const NODE_FILES: TestFiles = {
  'package.json': JSON.stringify({
    name: 'mean',
    version: '1.0.0',
    type: 'module',
    scripts: { lint: 'node lint.js', test: 'node --test' },
  }),
  'lint.js':
    "import { readFileSync } from 'node:fs'\n" +
    "if (readFileSync('src/mean.js', 'utf8').includes('\\t')) { console.log('src/mean.js: a tab'); process.exit(1) }\n",
  'src/mean.js': 'export const mean = list => list.reduce((a, b) => a + b) / list.length\n',
  'test/mean.test.js':
    "import { test } from 'node:test'\nimport assert from 'node:assert'\nimport { mean } from '../src/mean.js'\n\n" +
    "test('some', () => assert.equal(mean([2, 4]), 3))\n",
  'README.md': '# Mean\n',
}

/** The change that the task asks for. */
export const MENDED =
  'export const mean = list => (list.length === 0 ? 0 : list.reduce((a, b) => a + b) / list.length)\n'
/** One that breaks the test that there is. */
export const BROKEN = 'export const mean = list => list.reduce((a, b) => a + b) / (list.length + 1)\n'
/** One that the linter refuses. */
export const TABBED = `export const mean = list =>\n\t(list.length === 0 ? 0 : list.reduce((a, b) => a + b) / list.length)\n`

export const mend = (content = MENDED): Reply => coded([{ path: 'src/mean.js', action: 'update', content }])

function filesBelow(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap(entry => {
    const path = join(below, entry.name)
    return entry.isDirectory() ? filesBelow(folder, path) : [path]
  })
}

/** What a person would miss of a checkout: every file with its bytes and mode, the index, refs, stash. */
export function stateOf(checkout: string): Record<string, string> {
  return Object.fromEntries(
    filesBelow(checkout).map(path => {
      const full = join(checkout, path)
      const stat = lstatSync(full)
      const bytes = stat.isSymbolicLink() ? readlinkSync(full) : readFileSync(full)
      return [path, `${stat.mode} ${createHash('sha256').update(bytes).digest('hex')}`]
    }),
  )
}

/** Whether git finds a repository whole; what it says where not. */
export const fsck = (gitDir: string): string =>
  execFileSync('git', [`--git-dir=${gitDir}`, 'fsck', '--no-dangling', '--no-progress'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
    .toString()
    .trim()
