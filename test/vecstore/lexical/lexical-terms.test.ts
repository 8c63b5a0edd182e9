import { test } from 'tap'
import { documentsOf, type Documents } from '../../../src/vecstore/lexical/lexical-documents.ts'
import { LexicalTerms } from '../../../src/vecstore/lexical/lexical-terms.ts'
import { segmentOf, termsOfChunk } from '../lexical-fixture.ts'

test('every term is found by its number and its text, and no other is', async t => {
  const chunk = { chunkId: 1, fileId: 1, path: 'größe/北京.py', text: 'readUserConfig İstanbul $x __init__' }
  const segment = segmentOf([chunk])
  const terms = Array.from({ length: segment.termCount }, (_, id) => segment.termAt(id))
  t.same(terms.toSorted(), [...termsOfChunk(chunk).keys()].sort())
  for (const [id, term] of terms.entries()) t.equal(segment.idOf(term), id, term)
  for (const term of ['', 'rea', 'readd', 'ausdruck', 'Config']) t.equal(segment.idOf(term), -1, term)
})

/** So many files whose one chunk holds each of the words, `i % 3 + 1` times, in two segments. */
function documentsWith(fileCount: number, words: readonly string[]): Documents {
  const chunks = Array.from({ length: fileCount }, (_, i) => ({
    chunkId: i + 1,
    fileId: i + 1,
    path: '',
    text: words.flatMap(word => Array<string>((i % 3) + 1).fill(word)).join(' '),
  }))
  const half = Math.floor(fileCount / 2)
  return documentsOf([segmentOf(chunks.slice(0, half)), segmentOf(chunks.slice(half))], () => false)
}

function pairsOf(terms: LexicalTerms, word: string): number[][] {
  const term = terms.find(word)
  if (term === null) return []
  const { words, start, end } = terms.fileCounts(term)
  return Array.from({ length: (end - start) / 2 }, (_, i) => [...words.subarray(start + 2 * i, start + 2 * i + 2)])
}

const expectedPairs = (fileCount: number): number[][] => Array.from({ length: fileCount }, (_, i) => [i, (i % 3) + 1])

test('the counts of many terms stand beside each other, and each term still has its own', t => {
  const words = Array.from({ length: 150 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`)
  const terms = new LexicalTerms(documentsWith(300, words)) // 90,000 words: more than one page
  for (const word of words) pairsOf(terms, word)
  for (const word of words) t.same(pairsOf(terms, word), expectedPairs(300), word)
  t.same(pairsOf(terms, 'absent'), [])
  t.end()
})

test('a term in more files than a page has room for has its own', t => {
  const terms = new LexicalTerms(documentsWith(17_000, ['common', 'other']))
  for (const word of ['common', 'other', 'common']) t.same(pairsOf(terms, word), expectedPairs(17_000))
  t.end()
})

test('what is remembered of terms is forgotten when it is too much, and found again', t => {
  const terms = new LexicalTerms(documentsWith(200, ['seen']))
  const before = terms.find('seen')
  for (let i = 0; i < 40_000; i++) terms.find(`absent${i}`)
  t.not(terms.find('seen'), before, 'looked up again')
  t.same(pairsOf(terms, 'seen'), expectedPairs(200))
  t.end()
})
