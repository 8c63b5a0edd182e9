import { test } from 'tap'
import { fit, gainBound, logLikelihood, type Choice, type Parameter } from '../../bench/eval/fit.ts'

const parameter = (expected: number, least = -Infinity): Parameter => ({ name: 'any', expected, least })

/** So many choices between a feature and nothing; in the first `right` of them the feature was right. */
const coins = (count: number, right: number): Choice[] =>
  Array.from({ length: count }, (_, i) => ({ alternatives: [[1], [0]], right: [i < right ? 0 : 1], share: 1 }))

test('without expectations a weight is the logarithm of the odds', t => {
  const { weights, standardErrors, logLikelihood: found } = fit(coins(100, 80), [parameter(0)], { spread: 1e6 })
  t.ok(Math.abs((weights[0] ?? NaN) - Math.log(80 / 20)) < 1e-4)
  t.ok(Math.abs((standardErrors[0] ?? NaN) - 1 / Math.sqrt(100 * 0.8 * 0.2)) < 1e-4)
  t.ok(Math.abs(found - (80 * Math.log(0.8) + 20 * Math.log(0.2))) < 1e-6)
  t.equal(found, logLikelihood(coins(100, 80), weights))
  t.end()
})

test('what is expected counts against what the choices say, the more the smaller the spread', t => {
  const near = fit(coins(100, 80), [parameter(3)], { spread: 0.1 }).weights[0] ?? NaN
  const far = fit(coins(100, 80), [parameter(3)], { spread: 1 }).weights[0] ?? NaN
  t.ok(Math.log(4) < far && far < near && near < 3, `${far} ${near}`)
  const slope = 80 - 100 / (1 + Math.exp(-near))
  t.ok(Math.abs(slope - (near - 3) / 0.1 ** 2) < 1e-2, 'both pull alike where it comes to rest')
  t.end()
})

test('a weight stays at its least where less would be likelier', t => {
  t.same(fit(coins(100, 20), [parameter(0.5, 0)], { spread: 10 }).weights, [0])
  t.ok((fit(coins(100, 20), [parameter(0.5)], { spread: 10 }).weights[0] ?? NaN) < -1)
  t.end()
})

test('any of several right alternatives will do, and a choice counts by its share', t => {
  const either: Choice = {
    alternatives: [
      [1, 0],
      [0, 1],
      [0, 0],
    ],
    right: [0, 1],
    share: 1,
  }
  t.ok(Math.abs(logLikelihood([either], [0, 0]) - Math.log(2 / 3)) < 1e-12)
  t.ok(Math.abs(logLikelihood([{ ...either, share: 0.5 }], [0, 0]) - Math.log(2 / 3) / 2) < 1e-12)
  const { weights } = fit([either], [parameter(0), parameter(0)], { spread: 1 })
  t.ok((weights[0] ?? NaN) > 0.1)
  t.ok(Math.abs((weights[0] ?? NaN) - (weights[1] ?? NaN)) < 1e-4, 'neither is preferred')
  t.end()
})

test('weights that say the same share it', t => {
  const both = coins(100, 80).map(choice => ({
    ...choice,
    alternatives: [
      [1, 1],
      [0, 0],
    ],
  }))
  const [first = NaN, second = NaN] = fit(both, [parameter(0), parameter(0)], { spread: 1 }).weights
  t.ok(Math.abs(first - second) < 1e-3 && first > 0.5, `${first} ${second}`)
  t.end()
})

test('the bound of a gain by chance is the quantile of χ²', t => {
  for (const [weights, quantile] of [
    [9, 16.92],
    [20, 31.41],
    [37, 52.19],
  ] as const) {
    t.ok(Math.abs(gainBound(weights) - quantile) < 0.03, String(gainBound(weights)))
  }
  t.end()
})
