import { test } from 'tap'
import { CodeFile } from '../../../src/resolver/context/code-file.ts'
import { Excerpt } from '../../../src/resolver/context/excerpt.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import { TokenBudget } from '../../../src/resolver/context/token-budget.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, scope } from './build-from.ts'

function budgetOf(maxTokens: number) {
  const rows = createRowTokens(countTokens)
  const [file, other] = ['a.py', 'b.py'].map(
    (path, rank) =>
      new CodeFile(ranked(path), rank, { text: numbered(60), scopes: [scope('total', 3, 50)], count: rows }),
  )
  if (file === undefined || other === undefined) throw new Error('two files')
  const excerpt = new Excerpt(file, { rows, countTokens })
  return { budget: new TokenBudget(new Map([[file, excerpt]]), maxTokens), excerpt, file, other }
}

test('lines are shown and charged as long as the budget suffices', async t => {
  const { budget, excerpt, file } = budgetOf(300)
  t.equal(budget.show(file, { from: 10, to: 12 }), true)
  t.ok(excerpt.isAllShown({ from: 10, to: 12 }))
  t.ok(budget.spent > 0)
  t.equal(budget.spent + budget.remaining, 300)
  const { spent } = budget
  t.equal(budget.show(file, { from: 11, to: 12 }), true, 'what is shown costs nothing again')
  t.equal(budget.spent, spent)
  t.equal(budget.show(file, { from: 1, to: 60 }), false)
  t.equal(budget.spent, spent)
  t.notOk(excerpt.isShown(1))
})

test('the first lines of a file cost its header, too', async t => {
  const { budget, file } = budgetOf(2000)
  t.equal(budget.isOpen(file), false)
  budget.show(file, { from: 10, to: 12 })
  const first = budget.spent
  t.equal(budget.isOpen(file), true)
  budget.show(file, { from: 13, to: 15 })
  t.ok(budget.spent - first < first)
})

test('a unit comes with the headers of its scopes', async t => {
  const { budget, excerpt, file } = budgetOf(2000)
  t.equal(budget.showUnit({ file, from: 20, to: 24, chain: [0] }), true)
  t.ok(excerpt.isShown(3))
  t.notOk(excerpt.isShown(4))
})

test('a file without an excerpt is never shown', async t => {
  const { budget, other } = budgetOf(2000)
  t.equal(budget.show(other, { from: 1, to: 2 }), false)
  t.equal(budget.showUnit({ file: other, from: 1, to: 2, chain: [] }), false)
  t.equal(budget.spent, 0)
})

test('settling returns what bounds exceeded, and keeps within the budget', async t => {
  const { budget, excerpt, file } = budgetOf(2000)
  for (const from of [5, 15, 25, 35]) budget.show(file, { from, to: from + 2 })
  const { spent } = budget
  budget.settle()
  t.ok(budget.spent <= spent)
  t.equal(budget.spent, excerpt.boundOfTokens())
})
