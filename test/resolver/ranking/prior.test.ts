import { test } from 'tap'
import { FILE_WEIGHTS } from '../../../src/resolver/ranking/learned-weights.ts'
import { createPrior } from '../../../src/resolver/ranking/prior.ts'
import { rankFrames } from '../../../src/resolver/ranking/rankers/frames.ts'
import { queryOf, traceback } from './rankers/query-of.ts'

const { prior: WEIGHTS } = FILE_WEIGHTS
const rounded = (value: number): number => Math.round(value * 1000) / 1000
const FILES = { 'app/cart.py': 'a\nb\n', 'app/till.py': 'a\nb\n', 'web/cart.js': 'a\n' }

function priorOf(...frames: string[]): (path: string) => number {
  const { query, reader } = queryOf(traceback('ValueError: no', ...frames), FILES)
  const prior = createPrior(query, rankFrames(query, reader))
  return path => rounded(prior({ repository: 'shop', path }))
}

test('files of the trace are likelier, the one at fault most of all', async t => {
  const prior = priorOf('app/till.py:1:main', 'app/cart.py:1:total')
  t.equal(prior('app/cart.py'), rounded(WEIGHTS.named + WEIGHTS.firstNamed + WEIGHTS.sameLanguage))
  t.equal(prior('app/till.py'), rounded(WEIGHTS.named + WEIGHTS.sameLanguage))
})

test('a file that is the only one of the trace is less telling', async t => {
  t.ok(priorOf('app/cart.py:1:total')('app/cart.py') < priorOf('app/till.py:1:x', 'app/cart.py:1:y')('app/cart.py'))
})

test('another file counts by its language and by what its path says it is', async t => {
  const prior = priorOf('app/cart.py:1:total')
  t.equal(prior('app/other.py'), WEIGHTS.sameLanguage)
  t.equal(prior('web/cart.js'), 0)
  t.equal(prior('tests/other.js'), WEIGHTS.test)
  t.equal(prior('vendor/other.js'), WEIGHTS.vendored)
  t.equal(prior('docs/other.js'), WEIGHTS.aside)
  t.equal(prior('web/package.json'), WEIGHTS.config)
  t.equal(prior('web/cart.d.ts'), WEIGHTS.derived)
})

test('without a file of the trace every language counts half', async t => {
  const prior = priorOf()
  t.equal(prior('app/other.py'), WEIGHTS.sameLanguage / 2)
  t.equal(prior('web/cart.js'), WEIGHTS.sameLanguage / 2)
})
