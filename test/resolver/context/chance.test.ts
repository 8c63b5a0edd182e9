import { test } from 'tap'
import { chanceOf } from '../../../src/resolver/context/chance.ts'
import type { Clues } from '../../../src/resolver/context/clues.ts'

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
