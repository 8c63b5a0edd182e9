import { Linter } from 'eslint'
import { test } from 'tap'
import { oneChain } from '../../scripts/lint/one-chain.js'

const linter = new Linter()
const rules = {
  plugins: { house: { rules: { 'one-chain': oneChain } } },
  rules: { 'house/one-chain': 'error' },
} as const
const problems = (code: string): number => linter.verify(code, rules).length

test('one question may be asked in an expression, with as many fallbacks as it has', async t => {
  for (const code of ['x = a ? b : c', 'x = a ?? b ?? c', 'x = { y: a ?? b, z: c ? d : e }', 'f(a ?? b, c ?? d)']) {
    t.equal(problems(code), 0, code)
  }
})

test('a question inside another one is refused, however deep it stands', async t => {
  for (const code of [
    'x = a ? b : c ? d : e',
    'x = a ? b ?? c : d',
    'x = (a ? b : c) ?? d',
    'x = a ?? f({ y: [b ?? c] })',
  ]) {
    t.equal(problems(code), 1, code)
  }
  t.equal(problems('x = a ? b ?? c ?? d : e ?? f'), 2, 'a chain counts once')
})

test('what a function in it asks is another expression', async t => {
  t.equal(problems('x = a ?? b.map(c => c ?? d)'), 0)
  t.equal(problems('x = a ?? function () { return b ? c : d }'), 0)
})
