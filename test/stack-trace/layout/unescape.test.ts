import { test } from 'tap'
import { fromHtml, splitEscaped } from '../../../src/stack-trace/layout/unescape.ts'
import { shown } from '../../helpers/shown-trace.ts'

test('line breaks that were written out become lines, where a row of a trace follows one', async t => {
  for (const line of [
    'Error: x\\n    at f (/a.js:1:2)',
    'Error: x\\\\n    at f (/a.js:1:2)',
    'Error: x#012    at f (/a.js:1:2)',
    'Error: x%0A%20%20%20%20at%20f%20(/a.js:1:2)',
    'Error: x|n    at f (/a.js:1:2)',
  ]) {
    t.same(splitEscaped(line), ['Error: x', '    at f (/a.js:1:2)'], line)
  }
})

test('the text around a literal stands on lines of its own', async t => {
  t.same(splitEscaped('level=error stack="Error: \\"x\\"\\n    at f (/a.js:1:2)" pid=3'), [
    'level=error stack=',
    '',
    'Error: "x"',
    '    at f (/a.js:1:2)',
    '',
    ' pid=3',
  ])
  t.same(splitEscaped('raised \'Traceback (most recent call last):\\n  File "/a.py", line 1, in f\\nKeyError: 1\''), [
    'raised ',
    '',
    'Traceback (most recent call last):',
    '  File "/a.py", line 1, in f',
    'KeyError: 1',
  ])
})

test('paths of Windows, code and prose keep their signs', async t => {
  for (const line of [
    '  File "C:\\new\\test.py", line 3, in f',
    '    at f (C:\\node\\next.js:1:2)',
    '    print("a\\nb")',
    'a|n|b',
    '100%0A',
    'issue #012 at home',
  ]) {
    t.equal(splitEscaped(line), null, line)
  }
})

test("a page's entities and breaks become signs and lines", async t => {
  t.equal(fromHtml('File &quot;a.py&quot;, in &lt;module&gt;<br/>Error'), 'File "a.py", in <module>\nError')
  t.equal(fromHtml('Error: x<br>&nbsp;&nbsp;at f (/a.js:1:2)'), 'Error: x\n  at f (/a.js:1:2)')
  t.equal(fromHtml('<pre><code>KeyError: &#39;a&#39;</code></pre>'), "KeyError: 'a'")
})

test('entities and tags that a program printed stay', async t => {
  for (const text of [
    'Error: "&lt;b&gt;" is escaped',
    'expected <br> in <p>',
    'at List.<anonymous> (a.js:1:2) &amp;',
    '<br />\n<br />',
  ]) {
    t.equal(fromHtml(text), text)
  }
})

test('a Windows path whose folder begins with n is no line break, though a row of a trace ends it', async t => {
  t.equal(splitEscaped('closed at D:\\shop\\name.lua:11: no till'), null)
  t.same(
    splitEscaped('"closed in D:\\\\shop\\\\till.js\\n    at f (D:\\\\shop\\\\name.js:1:2)"')?.at(-1),
    '    at f (D:\\shop\\name.js:1:2)',
  )
})

test('characters by their number, the escape of a terminal, and the sign of a viewer for a line break', async t => {
  t.same(shown('"Error: caf\\u00e9 \\x41\\n    at pay (/srv/app/pay.js:3:5)\\n    at run (/srv/app/run.js:1:1)"'), [
    { head: 'root Error: café A', frames: ['/srv/app/run.js:1:1 run', '/srv/app/pay.js:3:5 pay'] },
  ])
  t.same(shown('"\\033[31mError: no\\033[0m\\n    at pay (/srv/app/pay.js:3:5)\\n    at run (/srv/app/run.js:1:1)"'), [
    { head: 'root Error: no', frames: ['/srv/app/run.js:1:1 run', '/srv/app/pay.js:3:5 pay'] },
  ])
  t.same(shown('Error: no⏎    at pay (/srv/app/pay.js:3:5)⏎    at run (/srv/app/run.js:1:1)'), [
    { head: 'root Error: no', frames: ['/srv/app/run.js:1:1 run', '/srv/app/pay.js:3:5 pay'] },
  ])
})
