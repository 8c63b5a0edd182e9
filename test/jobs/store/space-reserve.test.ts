import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { SpaceReserve } from '../../../src/jobs/store/space-reserve.ts'

test('room is set aside, given up once, and set aside again when twice as much is free', t => {
  const file = join(t.testdir(), 'reserve')
  let free = 2_000
  const reserve = new SpaceReserve(file, { bytes: 1_000, freeBytes: () => free })
  t.equal(reserve.giveUp(), false, 'nothing was set aside')
  t.equal(reserve.hold(), true)
  t.equal(statSync(file).size, 1_000)
  t.equal(reserve.giveUp(), true)
  t.equal(existsSync(file), false)
  t.equal(reserve.giveUp(), false)
  free = 1_999
  t.equal(reserve.hold(), false)
  t.equal(reserve.isHeld, false)
  free = 2_000
  t.equal(reserve.hold(), true)
  t.equal(reserve.isHeld, true)
  t.end()
})

test('eight MiB are set aside, where sixteen are free', t => {
  const file = join(t.testdir(), 'reserve')
  const made = (freeBytes: number) => new SpaceReserve(file, { freeBytes: () => freeBytes })
  t.equal(made(16 * 1_048_576 - 1).hold(), false)
  t.equal(made(16 * 1_048_576).hold(), true)
  t.equal(statSync(file).size, 8 * 1_048_576)
  t.end()
})

test('the room of an earlier process is taken over, what is not it is replaced', t => {
  const folder = t.testdir()
  const file = join(folder, 'reserve')
  const made = (freeBytes: number) => new SpaceReserve(file, { bytes: 1_000, freeBytes: () => freeBytes })
  t.equal(made(2_000).hold(), true)
  t.equal(made(0).hold(), true)
  writeFileSync(file, 'cut off')
  t.equal(made(0).hold(), false)
  t.equal(made(2_000).hold(), true)
  t.equal(statSync(file).size, 1_000)
  t.end()
})

test('where no file can be written there is no reserve, and nothing is left of the attempt', t => {
  const folder = t.testdir()
  const file = join(folder, 'reserve')
  mkdirSync(file)
  const blocked = new SpaceReserve(file, { bytes: 1_000, freeBytes: () => 2_000 })
  t.equal(blocked.hold(), false)
  t.equal(blocked.hold(), true, 'the folder in its place is gone')
  t.equal(new SpaceReserve(join(folder, 'not', 'there')).hold(), false)
  t.end()
})
