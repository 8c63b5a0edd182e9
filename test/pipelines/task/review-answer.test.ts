import fc from 'fast-check'
import { test } from 'tap'
import { jsonValuesIn } from '../../../src/llm/json/json-text.ts'
import { readReview, type ReviewRead } from '../../../src/pipelines/task/review-answer.ts'
import { runs } from '../../helpers/property-runs.ts'

const read = (value: unknown): ReviewRead =>
  readReview(jsonValuesIn(typeof value === 'string' ? value : JSON.stringify(value)))
const issue = (more: object) => ({ severity: 'minor', file: 'a.js', line: 1, message: 'Odd.', ...more })
const decisionOf = (value: unknown): string => {
  const got = read(value)
  return 'review' in got ? got.review.decision : got.problems.join(' ')
}

test('the issues decide, whatever the decision says', t => {
  t.equal(decisionOf({ decision: 'approve', issues: [issue({ severity: 'critical' })], summary: '' }), 'reject')
  t.equal(decisionOf({ decision: 'approve', issues: [issue({ severity: ' CRITICAL ' })] }), 'reject')
  t.equal(decisionOf({ decision: 'reject', issues: [issue({ severity: 'major' })], summary: '' }), 'approve')
  t.equal(decisionOf({ decision: 'reject', issues: [] }), 'approve')
  t.equal(decisionOf({ decision: 'Approved' }), 'approve')
  t.equal(decisionOf({ issues: [] }), 'approve')
  t.end()
})

test('what is not certain is a problem', t => {
  t.match(decisionOf({ decision: 'reject', summary: 'It is bad.' }), '/issues must list')
  t.match(decisionOf({ decision: 'maybe' }), '/decision must be')
  t.match(decisionOf({ decision: 'approve', issues: 'none' }), '/issues must be a list')
  t.match(decisionOf({ decision: 'approve', issues: ['a bug'] }), '/issues/0 must be an object')
  t.match(decisionOf({ decision: 'approve', issues: [issue({ severity: 'high' })] }), '/issues/0/severity')
  t.match(decisionOf({ decision: 'approve', issues: [issue({ severity: 'constructor' })] }), '/issues/0/severity')
  t.match(decisionOf({ decision: 'approve', issues: [issue({ message: ' ' })] }), '/issues/0/message')
  t.match(decisionOf('{"verdict": "fine"}'), 'no JSON object with "decision"')
  t.match(decisionOf('fine'), 'no JSON')
  t.end()
})

test('reviews that differ are a problem, equal ones are one', t => {
  const [yes, no] = ['approve', 'reject'].map(decision =>
    JSON.stringify({ decision, issues: decision === 'reject' ? [issue({ severity: 'critical' })] : [] }),
  )
  t.equal(decisionOf(`${yes}\n${yes}`), 'approve')
  t.match(decisionOf(`${yes}\n${no}`), 'several reviews')
  t.match(decisionOf(`${no}\n${yes}`), 'several reviews')
  t.end()
})

test('lines are read from numbers and from words that hold one', t => {
  const lines = [
    42,
    '42',
    'L42',
    '42-45',
    'lines 42 to 45',
    0,
    -1,
    1.5,
    'somewhere',
    null,
    undefined,
    {},
    '9'.repeat(30),
  ]
  const got = read({ issues: lines.map(line => issue({ line })) })
  t.same('review' in got ? got.review.issues.map(({ line }) => line) : got, [
    ...[42, 42, 42, 42, 42],
    ...[null, null, null, null, null, null, null, null],
  ])
  t.end()
})

test('any reply is a review that fits the contract, or problems', t => {
  const text = fc.oneof(fc.string(), fc.constantFrom('approve', 'reject', 'critical', 'nit', 'a.js'))
  const any = fc.oneof(text, fc.integer(), fc.constant(null), fc.constant(undefined))
  const given = fc.record({
    decision: any,
    issues: fc.oneof(any, fc.array(fc.record({ severity: text, file: any, line: any, message: any }))),
    summary: any,
  })
  fc.assert(
    fc.property(fc.oneof(given, fc.string(), fc.json()), value => {
      const got = read(value)
      if ('problems' in got) return got.problems.length > 0
      const { decision, issues, summary } = got.review
      const isCritical = issues.some(({ severity }) => severity === 'critical')
      return (
        decision === (isCritical ? 'reject' : 'approve') &&
        typeof summary === 'string' &&
        issues.every(({ line, message }) => (line === null || line >= 1) && message !== '')
      )
    }),
    { numRuns: runs(2000) },
  )
  t.end()
})
