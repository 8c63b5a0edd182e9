import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { LARGE_SEARCH } from '../helpers/hnsw.ts'
import { openStore } from '../../src/vecstore/store.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

const ROUNDS = 12
const LOOP = fileURLToPath(new URL('index-in-a-loop.ts', import.meta.url))

/** Kills the process a moment after it printed `lines` lines. */
async function indexUntilKilled(
  args: string[],
  { lines, thenMs }: { lines: number; thenMs: number },
): Promise<string[]> {
  const child = spawn(process.execPath, [LOOP, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const seen: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line)
    if (seen.length === lines) {
      await setTimeout(thenMs)
      child.kill('SIGKILL')
      break
    }
  }
  await ended
  return seen
}

test('after a kill at any moment the store is whole: the old or the new index, and nothing left over', async t => {
  const dir = t.testdir()
  const root = join(dir, 'store')
  const fileNames = Array.from({ length: 100 }, (_, i) => `src/file_${i}.py`)
  const repository = createGitRepository(join(dir, 'repo.git'), {
    files: Object.fromEntries(fileNames.map(name => [name, `name = "${name}"\n`])),
  })
  const first = repository.git('rev-parse', 'main')
  const second = repository.commit({
    ...Object.fromEntries(fileNames.slice(0, 70).map(name => [name, `renewed = "${name}"\n`])),
    [fileNames[99] ?? '']: null,
    'added.py': 'added = 1\n',
  })
  const filesAt = new Map(
    [first, second].map(commit => [commit, repository.git('ls-tree', '-r', '--name-only', commit).split('\n').sort()]),
  )
  const store = openStore(root, { minFreeBytes: 0, exactBelow: 0 })
  let lastPublished = 0
  const states = new Set<string>()

  /** That a generation is whole, and holds what its manifest says. */
  async function check(project: string): Promise<void> {
    await using reader = await store.openReader(project)
    const {
      generation,
      indexState,
      repositories: [indexed],
      filesIndexed,
      chunksTotal,
    } = reader.manifest
    states.add(`${project} ${indexState}`)
    const files = reader.files()
    t.same(
      files.map(({ path }) => path),
      filesAt.get(indexed?.commit ?? ''),
    )
    t.equal(files.length, filesIndexed)
    t.equal(files.flatMap(({ repository, path }) => reader.chunksOf(repository, path)).length, chunksTotal)
    t.equal(
      reader.searchTerms(new Map([['file', 1]]), 1_000).length,
      files.filter(({ path }) => path.includes('file')).length,
    )
    if (indexState === 'ready') {
      t.equal(reader.vectorSearch, LARGE_SEARCH)
      t.equal(reader.searchVectors(new Float32Array(512).fill(1), 1_000).length, chunksTotal)
    }
    t.match(reader.fileText('repo', 'src/file_0.py'), indexed?.commit === first ? 'name =' : 'renewed =')
    t.same(readdirSync(join(root, project)).sort(), [String(generation).padStart(6, '0'), 'CURRENT', 'project.json'])
  }

  for (let round = 0; round < ROUNDS; round++) {
    // Spread over the first builds and, by the delay, over what happens between two lines.
    const seen = await indexUntilKilled([root, repository.dir, first, second], {
      lines: 2 + ((round * 7) % 17),
      thenMs: (round * 5) % 27,
    })
    const published = seen.flatMap(line => (line.startsWith('published ') ? [Number(line.slice(10))] : []))
    lastPublished = Math.max(lastPublished, ...published)
    await store.sweep()
    t.same(
      readdirSync(root).filter(name => name.startsWith('.')),
      [],
      'nothing half made or half deleted',
    )
    if ((await store.publication('twin')) !== null) await check('twin')
    if ((await store.publication('shop')) === null) t.equal(lastPublished, 0, 'what was reported as published is there')
    else {
      await check('shop')
      const generation = (await store.readManifest('shop'))?.generation ?? 0
      t.ok(generation >= lastPublished, `generation ${generation} after ${seen.at(-1)}`)
    }
  }
  t.ok(lastPublished > 0, 'some rounds got as far as publishing')
  t.comment([...states].join(', '))
  t.ok(states.has('shop ready') && states.has('twin ready'), [...states].join(', '))
})
