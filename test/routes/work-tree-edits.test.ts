import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import fc from 'fast-check'
import { test } from 'tap'
import { buildApp, cloneInto, type TestApp } from '../helpers/build-app.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { runs } from '../helpers/property-runs.ts'

const PATHS = ['a.py', 'b.py', 'lib/c.py', 'lib/deep/d.py', 'e e.py']
const path = fc.constantFrom(...PATHS)
const edit = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('write' as const), path }), weight: 4 },
  fc.record({ kind: fc.constant('delete' as const), path }),
  fc.record({ kind: fc.constant('rename' as const), path, to: path }),
  fc.record({ kind: fc.constantFrom('stage' as const, 'commit' as const, 'reset' as const, 'unstage' as const) }),
)
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never

/** Files on the disk by path, without what git keeps. */
function filesOn(dir: string): Map<string, string> {
  const found = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter(name => name !== '.git' && !name.startsWith('.git/') && statSync(join(dir, name)).isFile())
    .map(name => join(dir, name))
  return new Map(found.map(file => [relative(dir, file), readFileSync(file, 'utf8')]))
}

const wordOf = (text: string): string => /word[0-9]+z/.exec(text)?.[0] ?? ''

/** Each file is found by the word in it, and no word that stands in none is found. */
async function compareSearch({ app }: TestApp, project: string, files: Map<string, string>, gone: string[]) {
  const places = Map.groupBy([...files], ([, text]) => wordOf(text))
  for (const word of new Set([...places.keys(), ...gone])) {
    const query = new URLSearchParams({ q: `"${word}"` })
    const { data } = (await app.inject(`/projects/${project}/search?${query}`)).json()
    const found = data.map((hit: { path: string }) => hit.path).sort()
    const expected = (places.get(word) ?? []).map(([file]) => file).sort()
    if (found.join() !== expected.join()) throw new Error(`${word} is found in ${found}, but stands in ${expected}`)
  }
}

/** A trace through the last lines of all files leads to them, and the context shows them. */
async function compareFrames({ app }: TestApp, project: string, files: Map<string, string>) {
  const lines = [...files].map(([file, text]) => ({ file, line: text.split('\n').length - 1, word: wordOf(text) }))
  const trace =
    'Traceback (most recent call last):\n' +
    lines.map(({ file, line, word }) => `  File "/app/${file}", line ${line}, in ${word}\n`).join('') +
    'ValueError: no\n'
  const body = { stacktrace: trace, project_name: project, mode: 'context', detail: 'full' }
  const { frames, context } = (await app.inject({ method: 'POST', url: '/resolve', body })).json()
  for (const { file, line, word } of lines) {
    const frame = frames.find((one: { file: string }) => one.file === `/app/${file}`)
    if (frame?.path !== file || frame.code_line !== line) {
      throw new Error(`${file}:${line} became ${JSON.stringify(frame)}`)
    }
    if (!context.includes(`def ${word}():`)) throw new Error(`${word} is not in the context`)
  }
}

test('after any edits, frames and searches see the files that are on the disk', { timeout: 120_000 }, async t => {
  const built = await buildApp(t)
  let number = 0
  let version = 0
  /** A file whose last line holds a word that no other version of any file holds. */
  const content = (): string => `${'# line\n'.repeat(version % 4)}def word${++version}z():\n    return ${version}\n`

  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      async rounds => {
        const name = `repo${++number}`
        const repository = createGitRepository(join(built.reposDir, name), {
          files: { 'a.py': content(), 'lib/c.py': content(), 'stays.py': content() },
          worktree: true,
        })
        const { dir, git } = repository
        git('config', 'user.name', 'Ada')
        git('config', 'user.email', 'ada@example.com')
        const has = (file: string): boolean => filesOn(dir).has(file)
        const carryOut: { [Kind in Edit['kind']]: (one: Edit & { kind: Kind }) => unknown } = {
          write({ path: file }) {
            mkdirSync(dirname(join(dir, file)), { recursive: true })
            writeFileSync(join(dir, file), content())
          },
          delete: ({ path: file }) => rmSync(join(dir, file), { force: true }),
          rename({ path: file, to }) {
            if (!has(file)) return
            mkdirSync(dirname(join(dir, to)), { recursive: true })
            renameSync(join(dir, file), join(dir, to))
          },
          stage: () => git('add', '-A'),
          commit: () => git('commit', '--quiet', '--allow-empty', '-am', 'more'),
          reset: () => git('reset', '--quiet', '--hard'),
          unstage: () => git('reset', '--quiet'),
        }
        for (const edits of rounds) {
          for (const one of edits) (carryOut[one.kind] as (given: Edit) => unknown)(one)
          const { status } = await cloneInto(t, built, { url: dir, project_name: name, uncommitted: true })
          if (status !== 'succeeded') throw new Error(`the clone job ${status}`)
          const files = filesOn(dir)
          const gone = [1, 2, 3, 4].map(back => `word${version - back}z`)
          await compareSearch(built, name, files, gone)
          await compareFrames(built, name, files)
        }
      },
    ),
    { numRuns: runs(30) },
  )
})
