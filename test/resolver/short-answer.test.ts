import { test } from 'tap'
import { memoryCodeReader, numberedFile } from '../fakes/memory-code-reader.ts'
import { readTrace } from '../helpers/trace-fixtures.ts'
import { find, PLAIN, STORE } from './locate-in.ts'

/** Files that share a word with the trace of which the frames name none. */
const OTHERS = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [
    `lib/order_${i}.py`,
    `def division_${i}(order):\n    return order["customers"] / ${i + 1}\n`.repeat(20),
  ]),
)
const SHORT = { detail: 'short' as const, stackTrace: readTrace('python-3.11-plain') }

test('a short answer shows the failing code and stops long before its limit; the full one fills it', async t => {
  const reader = memoryCodeReader({ 'py/plain.py': PLAIN, 'py/store.py': STORE, ...OTHERS })
  const short = await find(reader, SHORT)
  const full = await find(reader, { ...SHORT, detail: 'full' })
  t.match(short.context, /\n>>> {3}6 \| {5}return sum\(prices\)/)
  t.ok(short.contextTokens <= 1_600, `${short.contextTokens} tokens`)
  t.ok(full.contextTokens > 2 * short.contextTokens)
  t.equal(full.framesOmitted, undefined)
  t.equal(short.frames.length, 3)
  t.equal(short.framesOmitted, 0)
})

test('a short answer names the files that it does not show, the likeliest first, each once', async t => {
  const reader = memoryCodeReader({ 'py/plain.py': PLAIN, 'py/store.py': STORE, ...OTHERS })
  const { dropped, sources } = await find(reader, SHORT)
  const names = dropped.map(name => (typeof name === 'string' ? name : t.fail('a name was expected')))
  t.ok(names.length > 0 && names.length <= 15, `${names.length} names`)
  t.equal(new Set(names).size, names.length)
  t.notOk(names.some(name => sources.some(({ path }) => path === name)))
})

test('frames outside of the project are counted, and keep their numbers', async t => {
  const stackTrace =
    'Traceback (most recent call last):\n' +
    '  File "/usr/lib/python3.11/runpy.py", line 196, in _run_module_as_main\n    return run()\n' +
    '  File "/srv/py/plain.py", line 6, in total\n    return sum(prices) / order["customers"]\n' +
    'ZeroDivisionError: division by zero\n'
  const { frames, framesOmitted, framesTotal } = await find(memoryCodeReader({ 'py/plain.py': PLAIN }), {
    detail: 'short',
    stackTrace,
  })
  t.match(frames, [{ index: 1, path: 'py/plain.py' }])
  t.equal(frames.length, 1)
  t.equal(framesOmitted, 1)
  t.equal(framesTotal, 2)
})

test('of many frames of the project those next to the failure are listed, in the order of the trace', async t => {
  const names = Array.from({ length: 20 }, (_, i) => `step_${i}`)
  const reader = memoryCodeReader(Object.fromEntries(names.map(name => [`src/${name}.py`, numberedFile(200)])))
  const lines = names.map(name => `  File "/srv/src/${name}.py", line 100, in ${name}\n`)
  const stackTrace = `Traceback (most recent call last):\n${lines.join('')}ValueError: division of customers\n`
  const { frames, framesOmitted = 0 } = await find(reader, { detail: 'short', stackTrace })
  t.ok(frames.length >= 5 && frames.length <= 10, `${frames.length} frames`)
  t.same(
    frames.map(({ index }) => index),
    Array.from({ length: frames.length }, (_, i) => 20 - frames.length + i),
  )
  t.equal(frames.length + framesOmitted, 20)
  t.equal((await find(reader, { detail: 'full', stackTrace })).frames.length, 20)
})

test('frames of the exception that is asked about are listed before others', async t => {
  const names = Array.from({ length: 12 }, (_, i) => `step_${i}`)
  const reader = memoryCodeReader(Object.fromEntries(names.map(name => [`src/${name}.py`, numberedFile(200)])))
  const trace = (some: readonly string[], error: string): string =>
    `Traceback (most recent call last):\n${some
      .map(name => `  File "/srv/src/${name}.py", line 100, in ${name}\n`)
      .join('')}${error}: no\n`
  const stackTrace = `${trace(names.slice(0, 6), 'KeyError')}\nThe above exception was the direct cause of the following exception:\n\n${trace(names.slice(6), 'ValueError')}`
  const short = async (exception?: number): Promise<string[]> =>
    (await find(reader, { detail: 'short', stackTrace, exception })).frames.map(({ path }) => path ?? '')
  const { exceptions } = await find(reader, { detail: 'full', stackTrace })
  const other = exceptions.findIndex(({ relation }) => relation !== 'root')
  t.not(other, -1)
  t.notSame(await short(other), await short())
  t.ok((await short(other)).length >= 5)
})

test('a failure outside of the clone brings no code that has nothing to do with it', async t => {
  const stackTrace =
    'Traceback (most recent call last):\n' +
    '  File "/usr/lib/python3.11/site-packages/zlibish/codec.py", line 9, in inflate\n    raise CodecError(3)\n' +
    'zlibish.codec.CodecError: incorrect header check\n'
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`src/page_${i}.py`, numberedFile(80)]))
  const { sources, context, dropped, frames, framesOmitted, notice } = await find(
    memoryCodeReader(files),
    { detail: 'short', stackTrace },
    { embedQuery: async () => null },
  )
  t.same({ sources, context, frames, framesOmitted }, { sources: [], context: '', frames: [], framesOmitted: 1 })
  t.ok(dropped.length <= 15, 'names at most, which the notice is about')
  t.match(notice, /^Low confidence/)
})

test('max_context_tokens is the limit of a short answer, too', async t => {
  const reader = memoryCodeReader({ 'py/plain.py': PLAIN, 'py/store.py': STORE, ...OTHERS })
  const { contextTokens } = await find(reader, { ...SHORT, maxContextTokens: 200 })
  t.ok(contextTokens > 0 && contextTokens <= 200, `${contextTokens} tokens`)
})

test('a trace of usual length has the least code in its short answer; shorter and longer ones have more', async t => {
  const names = Array.from({ length: 20 }, (_, i) => `step_${i}`)
  const reader = memoryCodeReader({
    ...Object.fromEntries(names.map(name => [`src/${name}.py`, numberedFile(200)])),
    ...OTHERS,
  })
  const trace = (count: number): string =>
    `Traceback (most recent call last):\n${names
      .slice(0, count)
      .map(name => `  File "/srv/src/${name}.py", line 100, in ${name}\n`)
      .join('')}ValueError: division of customers\n`
  const tokens = async (count: number): Promise<number> =>
    (await find(reader, { detail: 'short', stackTrace: trace(count) })).contextTokens
  const usual = await tokens(14)
  t.ok(usual <= 700, `${usual} tokens`)
  for (const count of [2, 20]) {
    const other = await tokens(count)
    t.ok(other > 1.2 * usual && other <= 2_000, `${count} frames: ${other} tokens`)
  }
})

test('a model is sent more of what is likely than a person is shown, and no more than the limit', async t => {
  const names = Array.from({ length: 20 }, (_, i) => `step_${i}`)
  const reader = memoryCodeReader(Object.fromEntries(names.map(name => [`src/${name}.py`, numberedFile(200)])))
  const frames = names.map(name => `  File "/srv/src/${name}.py", line 100, in ${name}\n`)
  const stackTrace = `Traceback (most recent call last):\n${frames.join('')}ValueError: division of customers\n`
  const tokens = async (options: { forModel?: boolean; maxContextTokens?: number }): Promise<number> =>
    (await find(reader, { detail: 'short', stackTrace, ...options })).contextTokens
  const forModel = await tokens({ forModel: true })
  t.ok(forModel > 1.5 * (await tokens({})), `${forModel} tokens`)
  t.ok(forModel <= 2_400, `${forModel} tokens`)
  t.ok((await tokens({ forModel: true, maxContextTokens: 300 })) <= 300)
})
