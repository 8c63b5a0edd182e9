import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { LayerStore } from '../../../src/sandbox/layers/layer-store.ts'
import { keyOf } from '../../helpers/layers.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const MIB = 2 ** 20
const MINUTE_MS = 60_000

/** A store whose clock the test moves, and which a test tells what is in use. */
function storeOf(t: Test) {
  const workspacesDir = testFolder(t)
  const inUse = new Set<string>()
  const clock = { now: 1_700_000_000_000 }
  const store = new LayerStore({ workspacesDir, isInUse: key => inUse.has(key), now: () => clock.now })
  return {
    store,
    inUse,
    pass: (minutes: number) => {
      clock.now += minutes * MINUTE_MS
    },
    isThere: (character: string) => existsSync(join(workspacesDir, '.layers', keyOf(character))),
    async keep(character: string, limitMb: number): Promise<void> {
      const folder = join(workspacesDir, 'made', character)
      for (const part of ['workspace', 'home']) mkdirSync(join(folder, part), { recursive: true })
      writeFileSync(join(folder, 'workspace/file'), Buffer.alloc(MIB, character))
      await store.keep(keyOf(character), folder, limitMb * MIB)
    },
  }
}

test('the layers that were used least lately go when all take too much', async t => {
  const { store, keep, pass, isThere } = storeOf(t)
  for (const character of ['a', 'b', 'c']) {
    await keep(character, 4)
    pass(10)
  }
  t.same(['a', 'b', 'c'].map(isThere), [true, true, true])
  t.ok(await store.open(keyOf('a')))
  pass(10)
  await keep('d', 4)
  t.same(['a', 'b', 'c', 'd'].map(isThere), [true, false, true, true])
})

test('none goes that a run works on, or that was asked for a moment ago', async t => {
  const { store, inUse, keep, pass, isThere } = storeOf(t)
  for (const character of ['a', 'b', 'c']) await keep(character, 4)
  pass(10)
  inUse.add(keyOf('a'))
  await store.open(keyOf('b'))
  pass(1)
  await keep('d', 2)
  t.same(['a', 'b', 'c', 'd'].map(isThere), [true, true, false, true])
})

test('a key that is none names no folder', async t => {
  const { store } = storeOf(t)
  for (const key of ['../x', '', 'A'.repeat(64), 'a'.repeat(63)]) await t.rejects(store.open(key), /SHA-256/)
})
