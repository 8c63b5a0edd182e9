import fc from 'fast-check'
import { test } from 'tap'
import { escapeLine, fenced, inlineCode, withoutActive } from '../../../src/text/markdown/escape.ts'
import { runs } from '../../helpers/property-runs.ts'

test('code cannot end its fence, nor its place in a line', t => {
  const hostile = fc.string({ unit: fc.constantFrom('`', '``', '```', '\n', 'a', ' ', '~~~', '<', '|') })
  fc.assert(
    fc.property(hostile, text => {
      const block = fenced(text).split('\n')
      const [fence = ''] = block
      const line = inlineCode(text)
      const ticks = /^`*/.exec(line)?.[0] ?? ''
      const inside = line.slice(ticks.length, line.length - ticks.length)
      return (
        block.slice(1, -1).every(row => !row.includes(fence)) &&
        block.at(-1) === fence &&
        !line.includes('\n') &&
        (line === '' || (inside.match(/`+/g) ?? []).every(run => run.length !== ticks.length))
      )
    }),
    { numRuns: runs(500) },
  )
  t.end()
})

test('a message is no Markdown', t => {
  t.equal(
    escapeLine('a [b](http://c) <img src=x> *d* | `e`\n# f'),
    'a \\[b\\](http://c) \\<img src=x\\> \\*d\\* \\| \\`e\\` \\# f',
  )
  t.end()
})

test('what a model wrote keeps its form, but loads nothing', t => {
  t.equal(
    withoutActive('Look: ![x](http://evil/p.png) and <img src=y>.\n\n```html\n<b>![kept]</b>\n```\n<script>'),
    'Look: \\![x](http://evil/p.png) and \\<img src=y>.\n\n```html\n<b>![kept]</b>\n```\n\\<script>',
  )
  t.end()
})
