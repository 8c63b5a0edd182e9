import { execFileSync } from 'node:child_process'
import { languageOf } from '../src/indexer/languages.ts'
import { findGuards } from '../src/guards/find-guards.ts'
import type { ChangedFile } from '../src/guards/guard.ts'
import { kindOfPath } from '../src/resolver/code/path-kinds.ts'

/**
 * How often the real fixes of a repository are taken for fixes of the symptom, by kind, and how long a look takes. Run
 * by hand: `node bench/guards.bench.ts CLONE [COMMITS]`; nearly all of them are honest, so what is printed is to be
 * read, and `SHOW=1` prints each place. The cases that say what must be found are in `test/fixtures/guards/`.
 */
const [clone = '.', most = '200'] = process.argv.slice(2)
const FIX = String.raw`^(fix|bug|resolve|correct)`
const MAX_FILES = 12
const isShown = process.argv.includes('--show')

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', clone, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })

function textAt(commit: string, path: string): string | null {
  try {
    return git('cat-file', '-p', `${commit}:${path}`)
  } catch {
    return null
  }
}

function changeOf(commit: string): ChangedFile[] {
  const paths = git('diff', '--no-renames', '--name-only', '-z', `${commit}^`, commit).split('\0').filter(Boolean)
  if (paths.length > MAX_FILES) return []
  return paths.map(path => ({ path, before: textAt(`${commit}^`, path), after: textAt(commit, path) }))
}

const subjects = git('log', '--no-merges', '-i', '-E', `--grep=${FIX}`, `--max-count=${most}`, '--format=%H %s')
const kinds = { languageOf, isTest: (path: string) => kindOfPath(path).isTest }
const byKind = new Map<string, number>()
let [looked, flagged, ms] = [0, 0, 0]
for (const row of subjects.trim().split('\n')) {
  const commit = row.slice(0, 40)
  const files = changeOf(commit)
  if (files.length === 0) continue
  const started = performance.now()
  const guards = findGuards(files, null, kinds)
  ms += performance.now() - started
  looked++
  if (guards.length > 0) flagged++
  for (const kind of new Set(guards.map(guard => guard.kind))) byKind.set(kind, (byKind.get(kind) ?? 0) + 1)
  if (isShown && guards.length > 0) {
    console.log(row.slice(0, 120))
    for (const { path, line, kind, detail } of guards.slice(0, 8)) console.log(`    ${path}:${line} ${kind}: ${detail}`)
  }
}
console.log(`${looked} fixes, ${flagged} flagged, ${(ms / Math.max(1, looked)).toFixed(1)} ms each`)
for (const [kind, count] of [...byKind].sort((a, b) => b[1] - a[1])) console.log(`  ${kind}: ${count}`)
