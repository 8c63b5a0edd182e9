import { test } from 'tap'
import { unwrapLines } from '../../../src/edits/read/unwrapped-lines.ts'

function unwrapped(...lines: string[]): string[] {
  unwrapLines(lines)
  return lines
}

test('quotes and tags around code become fences', async t => {
  t.same(unwrapped('> a', '> ```py', '>x', '> ```', 'b'), ['a', '```py', 'x', '```', 'b'])
  t.same(unwrapped('<pre><code class="language-py">', 'a &lt; b', '</code></pre>'), ['~~~~~~~py', 'a < b', '~~~~~~~'])
  t.same(unwrapped('', '<pre><code>a', 'b</code></pre>', ''), ['~~~~~~~', 'a', 'b', '~~~~~~~'])
  t.same(unwrapped('', '<pre><code>a &lt;', 'b &amp;</code></pre>', ''), ['~~~~~~~', 'a <', 'b &', '~~~~~~~'])
})

test('all else stays as it is', async t => {
  for (const lines of [
    ['```md', '> ```', '> x', '> ```', '```'],
    ['a', '<pre><code>a', '</code></pre>', 'b'],
    ['<pre><code>', 'a'],
    ['<pre><code>', 'a', 'b</code></pre>'],
    ['> a', '> b'],
  ]) {
    t.same(unwrapped(...lines), lines)
  }
})
