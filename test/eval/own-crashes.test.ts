import { spawnSync } from 'node:child_process'
import { test } from 'tap'
import { evaluate, FUSION } from '../../bench/eval/crashes.ts'
import { makeOwnCrashes } from '../../bench/eval/own-crashes.ts'
import { projectOf } from '../../bench/eval/project.ts'

const CONTEXT_TOKENS = 8_000
const FIRST_FILES = 5

const hasPython = spawnSync('python3', ['--version']).status === 0
const CAUSES = [
  { id: 'arguments-swapped', cause: 'a caller that swaps arguments' },
  { id: 'closed-kept-in-pool', cause: 'a pool that keeps what was closed' },
  { id: 'format-misspelt', cause: 'a misspelt name in a table of settings' },
  {
    id: 'override-signature',
    cause: 'a method that overrides one with another signature',
    skip: hasPython ? false : 'python3 is not installed',
  },
]

test('a cause that is not the failing line is among the first five files and in the context', async t => {
  const { files, crashes } = makeOwnCrashes(t.testdir(), { only: CAUSES.map(({ id }) => id) })
  const project = await projectOf(files)
  for (const { id, cause, skip } of CAUSES) {
    await t.test(cause, { skip }, async t => {
      const crash = crashes.find(one => one.id === id)
      if (crash === undefined) return t.fail(`${id} was not run`)
      const { ranks, ours } = await evaluate(crash, project)
      t.ok(
        (ranks.get(FUSION) ?? Infinity) <= FIRST_FILES,
        `${crash.gold_files.join()} comes in place ${ranks.get(FUSION)}`,
      )
      t.same(ours.get(CONTEXT_TOKENS), { file: true, lines: 1 })
    })
  }
})
