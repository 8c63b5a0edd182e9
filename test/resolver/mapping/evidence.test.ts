import { test } from 'tap'
import { rememberTexts } from '../../../src/resolver/code/file-texts.ts'
import { evidenceIn, isConfirmed, isContradicted, isDoubtful } from '../../../src/resolver/mapping/evidence.ts'
import { frame } from './map-one.ts'

const TEXT = 'class Cart:\n    def total(self):\n        return add(1, 2)\n\nx = count\n'
const texts = rememberTexts((_repository, path) => (path === 'a.py' ? TEXT : null))
const evidence = (line: number | null, printed: string | null, sourceText: string | null, path = 'a.py') =>
  evidenceIn({ repository: 'shop', path }, frame('a.py', { line, function: printed, sourceText }), texts)

test('the printed code is at the line, elsewhere, or gone', async t => {
  t.match(evidence(3, null, 'return add(1, 2)'), { line: 'exists', code: 'here', function: null })
  t.match(evidence(1, null, 'return add(1, 2)'), { code: 'elsewhere' })
  t.match(evidence(1, null, 'return gone(1)'), { code: 'absent' })
  t.match(evidence(1, null, 'x'), { code: null }, 'short code stands everywhere')
  t.match(evidence(1, null, 'count'), { code: null })
  t.match(evidence(1, null, '= count'.slice(0, 6)), { code: 'elsewhere' })
  t.match(evidence(1, null, 'gone()'), { code: 'absent' })
})

test('the printed function is around the line, defined, only named, or absent', async t => {
  t.match(evidence(3, 'Cart.total', null), { function: 'around' })
  t.match(evidence(5, 'total', null), { function: 'defined' })
  t.match(evidence(5, 'count', null), { function: 'named' })
  t.match(evidence(5, 'render', null), { function: 'absent' })
})

test('more of a frame in a file makes a higher score, and a class adds to its function', async t => {
  const scores = [
    evidence(3, 'Cart.total', 'return add(1, 2)'),
    evidence(3, 'total', 'return add(1, 2)'),
    evidence(3, 'total', null),
    evidence(3, null, null),
    evidence(90, null, null),
    evidence(90, 'render', 'return gone(1)'),
  ].map(({ score }) => score)
  t.same(scores, [12, 11, 5, 0, -3, -9])
})

test('a file that is not there has no line', async t => {
  t.same(evidence(3, 'total', null, 'b.py'), { line: 'missing', code: null, function: null, score: -3 })
})

test('evidence confirms a file, casts doubt on it, or contradicts it', async t => {
  t.equal(isConfirmed(evidence(3, 'total', null)), true)
  t.equal(isConfirmed(evidence(5, 'count', 'return gone(1)')), false)
  t.equal(isDoubtful(evidence(3, 'render', null)), true)
  t.equal(isDoubtful(evidence(3, null, null)), false)
  t.equal(isContradicted(evidence(90, null, null)), true)
  t.equal(isContradicted(evidence(90, 'total', null)), false, 'the function is there')
})
