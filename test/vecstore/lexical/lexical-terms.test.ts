import { test } from 'tap'
import { segmentOf, termsOfChunk } from '../lexical-fixture.ts'

test('every term is found by its number and its text, and no other is', async t => {
  const chunk = { chunkId: 1, fileId: 1, path: 'größe/北京.py', text: 'readUserConfig İstanbul $x __init__' }
  const segment = segmentOf([chunk])
  const terms = Array.from({ length: segment.termCount }, (_, id) => segment.termAt(id))
  t.same(terms.toSorted(), [...termsOfChunk(chunk).keys()].sort())
  for (const [id, term] of terms.entries()) t.equal(segment.idOf(term), id, term)
  for (const term of ['', 'rea', 'readd', 'ausdruck', 'Config']) t.equal(segment.idOf(term), -1, term)
})
