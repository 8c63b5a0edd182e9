import { test } from 'tap'
import { referencedName } from '../../../src/edits/read/referenced-name.ts'

const named = (language: string, ...files: Array<readonly [path: string, content: string]>): string | null =>
  referencedName(
    files.map(([path, content]) => ({ path, content, named: 'line', line: 0 })),
    language,
  )
const style = (href: string): string => `<link rel="stylesheet" href="${href}">\n`
const script = (src: string): string => `<script src='${src}'></script>\n`

test('a stylesheet or a script has the name by which the only page asks for it', async t => {
  t.equal(named('css', ['index.html', style('css/a.css')]), 'css/a.css')
  t.equal(named('css', ['web/index.html', style('a.css')]), 'web/a.css')
  t.equal(named('css', ['web/index.html', style('./a.css?v=2#x')]), 'web/a.css')
  t.equal(named('css', ['web/index.html', style('/a.css')]), 'a.css')
  t.equal(named('javascript', ['index.xhtml', script('a.mjs') + style('a.css')]), 'a.mjs')
  t.equal(named('js', ['index.html', script('a.js') + script('b.js')], ['a.js', 'x']), 'b.js', 'one is there')
  t.equal(named('css', ['a.html', style('a.css')], ['b.html', style('a.css')]), 'a.css', 'two pages ask for it')
})

test('it has none where several are asked for, or one of elsewhere', async t => {
  for (const content of [
    style('a.css') + style('b.css'),
    style('https://example.com/a.css'),
    style('//example.com/a.css'),
    style('../a.css'),
    style('a.scss'),
    '<a href="a.css">a</a>',
  ]) {
    t.equal(named('css', ['index.html', content]), null, content)
  }
  t.equal(named('css', ['index.md', style('a.css')]), null)
  t.equal(named('python', ['index.html', style('a.css')]), null)
  t.equal(named('css', ['index.html', style('a.css')], ['a.css', 'x']), null)
})
