import fc from 'fast-check'
import { test } from 'tap'
import type { MappedFrame, ParsedException } from '../../../src/core/frame.ts'
import { fingerprint } from '../../../src/resolver/answer/fingerprint.ts'
import { runs } from '../../helpers/property-runs.ts'

const exception = (message: string | null, type: string | null = 'KeyError'): ParsedException => ({
  index: 0,
  type,
  message,
  language: 'python',
  relation: 'root',
  count: 1,
  chain: 0,
})

function frame(path: string | null, place: Partial<MappedFrame> = {}): MappedFrame {
  return {
    index: 0,
    exception: 0,
    raw: '',
    file: `/app/${path ?? 'x.py'}`,
    line: 1,
    column: null,
    function: 'f',
    sourceText: null,
    repeat: 1,
    inProject: path !== null,
    repository: 'shop',
    path,
    codeLine: 1,
    match: 'exact',
    why: '',
    candidates: [],
    ...place,
  }
}

test('lines, depth of recursion, roots and values in the message do not change it', async t => {
  const one = fingerprint(exception("no order 'A-17' in /app/data/1.json at 0x7f00ab"), [frame('a.py'), frame('b.py')])
  const other = fingerprint(exception("no order 'B-2' in /srv/data/22.json at 0x7f11cd"), [
    frame('a.py', { line: 9, file: '/srv/a.py' }),
    frame('b.py'),
    frame('b.py'),
  ])
  t.match(one, /^[0-9a-f]{32}$/)
  t.equal(one, other)
})

test('another type, message, file or function is another fault', async t => {
  const base = fingerprint(exception('no order'), [frame('a.py')])
  const others = [
    fingerprint(exception('no customer'), [frame('a.py')]),
    fingerprint(exception('no order', 'ValueError'), [frame('a.py')]),
    fingerprint(exception('no order'), [frame('b.py')]),
    fingerprint(exception('no order'), [frame('a.py', { function: 'g' })]),
  ]
  t.equal(new Set([base, ...others]).size, 5)
})

test('frames of libraries count only where no frame is in the project', async t => {
  t.equal(fingerprint(exception('x'), [frame('a.py'), frame(null)]), fingerprint(exception('x'), [frame('a.py')]))
  t.not(
    fingerprint(exception('x'), [frame(null, { file: '/lib/a.js' })]),
    fingerprint(exception('x'), [frame(null, { file: '/lib/b.js' })]),
  )
})

test('of libraries that the repository keeps a copy of only the last resort counts, as of any other', async t => {
  const kept = (name: string) => frame('third_party/http/client.py', { function: name })
  t.equal(
    fingerprint(exception('x'), [frame('a.py'), kept('send')]),
    fingerprint(exception('x'), [frame('a.py'), kept('_send_1_2'), kept('retry')]),
    'another version of it',
  )
  t.equal(
    fingerprint(exception('x'), [frame('a.py'), kept('send')]),
    fingerprint(exception('x'), [frame('a.py'), frame(null)]),
    'installed or kept',
  )
  t.not(
    fingerprint(exception('x'), [kept('send')]),
    fingerprint(exception('x'), [kept('retry')]),
    'without any other frame',
  )
})

test('nothing known is no fingerprint', async t => {
  t.equal(fingerprint(exception(null, null), []), null)
})

test('two missing names in one function are two faults; two values are one', async t => {
  const of = (message: string, place: Partial<MappedFrame> = {}) =>
    fingerprint(exception(message, 'TypeError'), [frame('a.js', place)])
  t.not(
    of("Cannot read properties of undefined (reading 'lines')"),
    of("Cannot read properties of undefined (reading 'price')"),
  )
  t.not(of("'Cart' object has no attribute 'lines'"), of("'Cart' object has no attribute 'price'"))
  t.equal(of("can't find 'alice' in the list"), of("can't find 'bob smith' in the list"))
  t.equal(of('bad host 10.0.0.1:80, took 1.5s'), of('bad host 192.168.7.22:8080, took 17.25s'))
  t.equal(of('no C:\\data\\a.json'), of('no C:\\tmp\\x\\b.json'))
  t.not(of('x', { sourceText: 'a = d["a"]' }), of('x', { sourceText: 'b = e["b"]' }), 'two lines of one function')
  t.equal(of('x', { sourceText: 'a = d["a"]', line: 4 }), of('x', { sourceText: 'a = d["a"]', line: 90 }))
})

test('hashes and numbers of generated files and classes do not change it', async t => {
  const at = (file: string | null, name: string) => fingerprint(exception('x'), [frame(null, { file, function: name })])
  t.equal(at('/srv/main.1a2b3c4d.js', 'a'), at('/srv/main.9f8e7d6c.js', 'a'))
  t.equal(at('/srv/index-B0k3aZ9_.js', 'a'), at('/srv/index-C7k3aZ9x.js', 'a'))
  t.not(at('/srv/order-settings.js', 'a'), at('/srv/order-payments.js', 'a'))
  t.equal(at(null, 'com.sun.proxy.$Proxy12.find'), at(null, 'com.sun.proxy.$Proxy99.find'))
  t.equal(
    at(null, 'sun.reflect.GeneratedMethodAccessor12.invoke'),
    at(null, 'sun.reflect.GeneratedMethodAccessor345.invoke'),
  )
  t.equal(at(null, 'a.B$$EnhancerBySpringCGLIB$$1a2b3c4d.f'), at(null, 'a.B$$EnhancerBySpringCGLIB$$9f8e7d6c.f'))
  t.not(at(null, 'a.B$$EnhancerBySpringCGLIB$$1a2b3c4d.f'), at(null, 'a.C$$EnhancerBySpringCGLIB$$1a2b3c4d.f'))
})

test('what compilers generate does not change it, and classes of one file do', async t => {
  const of = (name: string) => fingerprint(exception('x'), [frame('a.rs', { function: name })])
  t.equal(of('shop::cart::total::h0123456789abcdef'), of('shop::cart::total::hfedcba9876543210'))
  t.equal(of('main.(*Cart).total.func1(0xc000010250)'), of('main.(*Cart).total.func2(0xc00009a000, 0x1)'))
  t.equal(of('com.acme.Cart.lambda$total$0'), of('com.acme.Cart.lambda$total$3'))
  t.not(of('Cart.total'), of('Till.total'))
  t.not(of('step1'), of('step2'))
})

test('recursion through several functions of any depth is one fault', async t => {
  const deep = (times: number) =>
    fingerprint(exception('x'), [
      frame('a.py'),
      ...Array.from({ length: times }, () => [
        frame('a.py', { function: 'g' }),
        frame('a.py', { function: 'h' }),
      ]).flat(),
    ])
  t.equal(deep(2), deep(9))
})

test('lines, columns, addresses, prefixes and numbers never change it; another function or type always does', async t => {
  const name = fc.stringMatching(/^[a-z][a-z_]{2,12}$/)
  const place = fc.record({ path: name.map(stem => `src/${stem}.py`), function: name })
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      fc.nat(),
      name,
      name,
      (places, line, value, root, other) => {
        const frames = (shift: number, prefix: string) =>
          places.map((one, index) =>
            frame(one.path, {
              function: one.function,
              line: index + shift,
              column: shift,
              codeLine: shift,
              file: `/${prefix}/${one.path}`,
              raw: `${shift}`,
            }),
          )
        const one = fingerprint(exception(`no item ${value} at 0x${value.toString(16)}`), frames(1, root))
        const moved = fingerprint(exception(`no item ${line} at 0x${line.toString(16)}`), frames(line, other))
        const last = places.at(-1)
        const changed = fingerprint(exception(`no item ${value} at 0x${value.toString(16)}`), [
          ...frames(1, root).slice(0, -1),
          frame(last?.path ?? '', { function: `${last?.function ?? ''}_other` }),
        ])
        return (
          one === moved &&
          one !== changed &&
          one !== fingerprint(exception(`no item ${value} at 0x${value.toString(16)}`, 'OtherError'), frames(1, root))
        )
      },
    ),
    { numRuns: runs(200) },
  )
  t.pass('200 traces were compared')
})

test('a message counts up to its 1024th character, whatever it holds', async t => {
  for (const part of ['-', '/', "'", 'a.', '0x', 'f', '`"\'', '1.', 'a-']) {
    const text = part.repeat(1_000_000)
    const of = (message: string) => fingerprint(exception(message), [])
    t.equal(of(text.slice(0, 1_024)), of(text), part)
  }
})
