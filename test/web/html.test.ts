import fc from 'fast-check'
import { parse, defaultTreeAdapter } from 'parse5'
import { test } from 'tap'
import { html, safeUrl, trusted } from '../../src/web/html.ts'
import { runs } from '../helpers/property-runs.ts'

/** Names of all elements and their attributes, in order. */
function shapeOf(markup: string): string[] {
  const shape: string[] = []
  const walk = (node: Parameters<typeof defaultTreeAdapter.getChildNodes>[0]): void => {
    for (const child of defaultTreeAdapter.getChildNodes(node)) {
      if (!defaultTreeAdapter.isElementNode(child)) continue
      shape.push(child.tagName, ...child.attrs.map(({ name }) => `${child.tagName}@${name}`))
      walk(child)
    }
  }
  walk(parse(markup))
  return shape
}

const ATTACKS = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</textarea><svg onload=alert(1)>',
    '<!--',
    ']]>',
    '&lt;script&gt;',
    '\0<a>',
    '</title><script>',
  ),
)

test('no text makes an element or an attribute, and each is read back as it was', t => {
  const plain = html`<p title="${'x'}">${'x'}</p><textarea name="a">${'x'}</textarea>`.toString()
  fc.assert(
    fc.property(ATTACKS, ATTACKS, (first, second) => {
      const made = html`<p title="${first}">${second}</p><textarea name="a">${first}</textarea>`.toString()
      return shapeOf(made).join() === shapeOf(plain).join()
    }),
    { numRuns: runs(2_000) },
  )
  t.end()
})

test('what a template takes', t => {
  t.equal(html`a${null}${undefined}${false}b${0}${1.5}`.toString(), 'ab01.5')
  t.equal(html`${[1, 'x<', [html`<b>y</b>`]]}`.toString(), '1x&lt;<b>y</b>')
  t.equal(html`<i>${trusted('<u>z</u>')}</i>`.toString(), '<i><u>z</u></i>')
  t.equal(html`<a title="${`"'&\``}">`.toString(), '<a title="&quot;&#39;&amp;&#96;">')
  t.equal(html`${'\u0000\u0007\u001b[31m\t\n'}`.toString(), '\ufffd\ufffd\ufffd[31m\t\n')
  t.end()
})

test('only addresses of pages are links', t => {
  t.equal(safeUrl('https://example.com/a?b=1#c'), 'https://example.com/a?b=1#c')
  t.equal(safeUrl('http://example.com'), 'http://example.com/')
  for (const url of [
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc',
    '/a',
    '',
  ]) {
    t.equal(safeUrl(url), null, url)
  }
  t.end()
})
