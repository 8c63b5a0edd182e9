import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'tap'
import { buildApp, cloneInto, type TestApp } from '../helpers/build-app.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { runs } from '../helpers/property-runs.ts'
import { createEditor, filesOn, roundsOfEdits } from '../helpers/work-tree-edits.ts'

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
    fc.asyncProperty(roundsOfEdits, async rounds => {
      const name = `repo${++number}`
      const files = { 'a.py': content(), 'lib/c.py': content(), 'stays.py': content() }
      const repository = createGitRepository(join(built.reposDir, name), { files, worktree: true })
      const carryOut = createEditor(repository, content)
      for (const edits of rounds) {
        for (const one of edits) carryOut(one)
        const { status } = await cloneInto(t, built, { url: repository.dir, project_name: name, uncommitted: true })
        if (status !== 'succeeded') throw new Error(`the clone job ${status}`)
        const onDisk = filesOn(repository.dir)
        const gone = [1, 2, 3, 4].map(back => `word${version - back}z`)
        await compareSearch(built, name, onDisk, gone)
        await compareFrames(built, name, onDisk)
      }
    }),
    { numRuns: runs(10) },
  )
})
