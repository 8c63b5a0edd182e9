import { test } from 'tap'
import type { Candidate } from '../../../src/resolver/mapping/candidates.ts'
import { MAX_CANDIDATES, noMatch, rivalsOf } from '../../../src/resolver/mapping/file-match.ts'
import type { ScoredCandidate } from '../../../src/resolver/mapping/score-candidates.ts'

const candidate = (path: string, common: number): Candidate => ({
  file: { repository: 'shop', path },
  common,
  roots: { stackRoot: '', sourceRoot: '', repository: 'shop' },
})
const scored = (one: Candidate): ScoredCandidate => ({
  candidate: one,
  score: 0,
  evidence: {
    line: true,
    code: null,
    function: null,
    score: 0,
    isPinned: false,
    isConfirmed: false,
    isDoubtful: false,
    isContradicted: false,
  },
  isSourceRoot: false,
  breaksPackage: false,
  doubt: '',
})

test('no match says why and names a few candidates, each once', async t => {
  const many = Array.from({ length: 9 }, (_, index) => `${index % 7}.py`)
  t.match(noMatch('why', many), { file: null, match: 'none', why: 'why', candidates: many.slice(0, MAX_CANDIDATES) })
  t.same(noMatch('why').candidates, [])
  t.same(noMatch('why', ['a', 'a']).candidates, ['a'])
})

test('rivals agree with the path as far as the chosen file does', async t => {
  const chosen = candidate('a/b/run.py', 2)
  t.same(rivalsOf(chosen, [chosen, candidate('c/b/run.py', 2), candidate('run.py', 1)].map(scored)), ['c/b/run.py'])
})
