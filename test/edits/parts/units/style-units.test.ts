import { test } from 'tap'
import { styleUnits } from '../../../../src/edits/parts/units/style-units.ts'

/** Each rule as "name start-last". */
const shown = (text: string): string[] =>
  styleUnits(text).units.map(({ name, start, last }) => `${name} ${start}-${last}`)

test('a rule goes up to its own end, whatever is nested in it', async t => {
  const nested = 'a {\n  &:hover {\n    color: red;\n  }\n  color: blue;\n}\nb {\n}\n'
  t.same(shown(nested), ['a 0-5', 'b 6-7'])
  t.match(styleUnits(nested), { hasLines: true, broken: null })
  t.match(styleUnits('a {\n}\n}\n'), { hasLines: false, broken: /closes a rule/ })
})
