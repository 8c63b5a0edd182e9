import { test } from 'tap'
import { without } from '../../../../src/edits/parts/account/items.ts'

const item = (text: string) => ({ text, key: text.split(':', 1)[0] ?? null })
const missing = (own: string[], others: string[]): string[] =>
  without(own.map(item), others.map(item)).map(({ text }) => text)

test('a shorthand sets what its longer names set, and a letter is no shorthand', async t => {
  t.same(missing(['margin-top: 1px', 'margin-left: 2px'], ['margin: 0']), [])
  t.same(missing(['depth: 1', 'd-axis: 1'], ['d: 2']), ['depth: 1'])
})
