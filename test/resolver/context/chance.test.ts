import { test } from 'tap'
import { chanceOf } from '../../../src/resolver/context/chance.ts'
import type { Clues } from '../../../src/resolver/context/clues.ts'
import { UNIT_CHANCE } from '../../../src/resolver/ranking/learned-weights.ts'

const NONE: Clues = {
  failing: 0,
  sameFunction: 0,
  nearFailing: 0,
  near: 0,
  pointed: 0,
  size: 0,
  fileSize: 0,
  hasMarks: 0,
}

test('each clue for a unit makes it likelier, and all chances lie between 0 and 1', async t => {
  const base = chanceOf(NONE)
  for (const clue of ['failing', 'sameFunction', 'nearFailing', 'near', 'pointed', 'size'] as const) {
    t.ok(chanceOf({ ...NONE, [clue]: 1 }) > base, clue)
  }
  t.ok(chanceOf({ ...NONE, fileSize: 1 }) < base, 'of a large file each line is less likely')
  t.ok(chanceOf({ ...NONE, size: 1e6 }) <= 1)
  t.ok(chanceOf({ ...NONE, fileSize: 1e6 }) >= 0)
})

test('a unit that nothing speaks for is rather not the one', async t => {
  t.ok(UNIT_CHANCE.bias < 0)
  const odds = (clues: Clues): number => Math.log(chanceOf(clues) / (1 - chanceOf(clues)))
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9
  t.ok(isNear(odds(NONE), UNIT_CHANCE.bias))
  for (const clue of Object.keys(NONE) as Array<keyof Clues>) {
    t.ok(isNear(odds({ ...NONE, [clue]: 2 }), UNIT_CHANCE.bias + 2 * UNIT_CHANCE[clue]), clue)
  }
})
