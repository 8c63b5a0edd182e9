import { test } from 'tap'
import {
  FILE_WEIGHTS,
  FRAME_FAULT,
  SEARCH_WEIGHTS,
  UNIT_CHANCE,
  type ListWeights,
} from '../../../src/resolver/ranking/learned-weights.ts'

test('no list speaks against a file', async t => {
  const lists: ListWeights[] = Object.values(FILE_WEIGHTS.lists)
  for (const weight of lists.flatMap(({ named, others }) => [named, others])) {
    t.ok(weight === undefined || (weight.rank >= 0 && (weight.score ?? 0) >= 0))
  }
})

test('a query that is nothing but a path counts for more than all other lists together', async t => {
  const { mentionsAlone, ...others } = SEARCH_WEIGHTS
  const most = Object.values(others).reduce((sum, { rank, score = 0 }: { rank: number; score?: number }) => {
    return sum + rank + score
  }, 0)
  t.ok(mentionsAlone.rank + mentionsAlone.score > most)
})

test('the further a frame is from the failure in question, the less suspect it is', async t => {
  t.same(
    [...FRAME_FAULT.away].sort((a, b) => a - b),
    FRAME_FAULT.away,
  )
  t.ok(UNIT_CHANCE.failing > 0)
})
