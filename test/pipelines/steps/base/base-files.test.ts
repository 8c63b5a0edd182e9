import { test } from 'tap'
import {
  addChanges,
  currentFiles,
  NO_CHANGES,
  sentFiles,
  snapshotFiles,
  type Changes,
} from '../../../../src/pipelines/steps/base/base-files.ts'
import type { JobContext } from '../../../../src/jobs/job-context.ts'

type Kept = JobContext['files']

/** A job's files in memory; versions are told apart by their text. */
function memoryFiles(): Kept {
  const texts = new Map<string, string>()
  return {
    put: async files => {
      for (const [path, content] of files) {
        if (content === null) texts.delete(path)
        else texts.set(path, content.toString())
      }
    },
    list: async () => Array.from(texts, ([path, text]) => ({ path, bytes: text.length, sha256: text })),
    read: async path => Buffer.from(texts.get(path) ?? ''),
    readVersion: async ({ sha256 }) => Buffer.from(sha256),
  }
}

const nowhere = { fill: async () => {} }
const base = sentFiles(
  new Map([
    ['a', '1'],
    ['b', '2'],
    ['c', '3'],
  ]),
  nowhere,
)

test('the files as they are now are those of the base, with the changes over them', async t => {
  const files = memoryFiles()
  await files.put(
    new Map([
      ['b', 'two'],
      ['d', 'four'],
      ['other', 'x'],
    ]),
  )
  const current = currentFiles({ files }, base, { changed: ['b', 'd'], deleted: ['c'] })
  t.same(await current.paths(), ['a', 'b', 'd'])
  t.same(
    [...(await current.readAll(['a', 'b', 'c', 'd', 'other', 'nope']))],
    [
      ['a', '1'],
      ['b', 'two'],
      ['d', 'four'],
    ],
  )
  t.equal(await base.read('b'), '2', 'the base stays')
  t.same(await currentFiles({ files }, base, NO_CHANGES).paths(), ['a', 'b', 'c'])
})

test('of several changes the last one of each file counts', t => {
  const rounds: Changes[] = [
    { changed: ['a', 'new'], deleted: ['b'] },
    { changed: ['b'], deleted: ['new', 'a'] },
    { changed: ['a'], deleted: [] },
  ]
  t.same(rounds.reduce(addChanges, NO_CHANGES), { changed: ['a', 'b'], deleted: ['new'] })
  t.same(addChanges({ changed: ['a'], deleted: ['b'] }, NO_CHANGES), { changed: ['a'], deleted: ['b'] })
  t.end()
})

test('what is put into a workspace is the base without what was named', async t => {
  const placed: Array<Map<string, string | Uint8Array>> = []
  const fill = async (_dir: string, files: ReadonlyMap<string, string | Uint8Array>) => {
    placed.push(new Map(files))
  }
  await sentFiles(
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
    { fill },
  ).place('/w', new Set(['b', 'z']))
  t.same(
    placed.map(files => [...files]),
    [[['a', '1']]],
  )
})

test('a snapshot gives what the files held, whatever becomes of them; a step keeps no contents of them', async t => {
  const files = memoryFiles()
  await files.put(
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
  )
  const outputs: unknown[] = []
  const step = async <T>(_name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const output = await run(new AbortController().signal)
    outputs.push(output)
    return output
  }
  const placed: Array<Map<string, string | Uint8Array>> = []
  const snapshot = await snapshotFiles(
    { files, step },
    {
      fill: async (_dir, files) => {
        placed.push(new Map(files))
      },
    },
  )
  await files.put(
    new Map<string, string | null>([
      ['a', 'changed'],
      ['b', null],
      ['c', 'new'],
    ]),
  )
  t.same(await snapshot.paths(), ['a', 'b'])
  t.same([await snapshot.read('a'), await snapshot.read('b'), await snapshot.read('c')], ['1', '2', null])
  await snapshot.place('/w', new Set(['a']))
  t.same(
    placed.map(files => Array.from(files, ([path, content]) => [path, content.toString()])),
    [[['b', '2']]],
  )
  t.same(
    outputs.map(output => Object.keys((output as object[])[0] ?? {})),
    [['path', 'bytes', 'sha256']],
  )
})
