import { test } from 'tap'
import type { MappedFrame, ParsedException } from '../../src/core/frame.ts'
import { fingerprint } from '../../src/resolver/fingerprint.ts'

const exception = (message: string | null, type: string | null = 'KeyError'): ParsedException => ({ index: 0, type, message, language: 'python', relation: 'root', count: 1, chain: 0 })

function frame (path: string | null, place: Partial<MappedFrame> = {}): MappedFrame {
  return { index: 0, exception: 0, raw: '', file: `/app/${path ?? 'x.py'}`, line: 1, column: null, function: 'f', sourceText: null, repeat: 1, inProject: path !== null, repository: 'shop', path, codeLine: 1, match: 'exact', why: '', candidates: [], ...place }
}

test('lines, depth of recursion, roots and values in the message do not change it', async (t) => {
  const one = fingerprint(exception("no order 'A-17' in /app/data/1.json at 0x7f00ab"), [frame('a.py'), frame('b.py')])
  const other = fingerprint(exception("no order 'B-2' in /srv/data/22.json at 0x7f11cd"), [frame('a.py', { line: 9, file: '/srv/a.py' }), frame('b.py'), frame('b.py')])
  t.match(one, /^[0-9a-f]{32}$/)
  t.equal(one, other)
})

test('another type, message, file or function is another fault', async (t) => {
  const base = fingerprint(exception('no order'), [frame('a.py')])
  const others = [fingerprint(exception('no customer'), [frame('a.py')]), fingerprint(exception('no order', 'ValueError'), [frame('a.py')]), fingerprint(exception('no order'), [frame('b.py')]), fingerprint(exception('no order'), [frame('a.py', { function: 'g' })])]
  t.equal(new Set([base, ...others]).size, 5)
})

test('frames of libraries count only where no frame is in the project', async (t) => {
  t.equal(fingerprint(exception('x'), [frame('a.py'), frame(null)]), fingerprint(exception('x'), [frame('a.py')]))
  t.not(fingerprint(exception('x'), [frame(null, { file: '/lib/a.js' })]), fingerprint(exception('x'), [frame(null, { file: '/lib/b.js' })]))
})

test('nothing known is no fingerprint', async (t) => {
  t.equal(fingerprint(exception(null, null), []), null)
})
