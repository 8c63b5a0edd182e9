import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { lookAtChanged } from '../../../src/repos/work-tree/changed-files.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const changed = (paths: readonly string[], isUntracked = true) => paths.map(path => ({ path, isUntracked }))
const numbered = (length: number): string[] => Array.from({ length }, (_, at) => `${at}.py`)

test('more untracked files than 20,000 are refused, tracked ones are not', async t => {
  const folder = testFolder(t)
  t.equal((await lookAtChanged(folder, changed(numbered(20_000)))).length, 20_000)
  t.equal((await lookAtChanged(folder, changed(numbered(20_001), false))).length, 20_001)
  await t.rejects(lookAtChanged(folder, changed(numbered(20_001))), { code: 'REPOSITORY_TOO_LARGE' })
})

test('files of 256 MiB together are read, a byte more is not; one that is too large by itself does not count', async t => {
  const folder = testFolder(t)
  const make = (path: string, bytes: number): string => {
    writeFileSync(join(folder, path), '')
    truncateSync(join(folder, path), bytes)
    return path
  }
  const whole = numbered(32).map(path => make(path, 8 * 1_048_576))
  const paths = [...whole, make('too-large.py', 8 * 1_048_576 + 1)]
  t.equal((await lookAtChanged(folder, changed(paths))).filter(({ stats }) => stats !== null).length, 32)
  await t.rejects(lookAtChanged(folder, changed([...paths, make('more.py', 1)], false)), {
    code: 'REPOSITORY_TOO_LARGE',
  })
})
