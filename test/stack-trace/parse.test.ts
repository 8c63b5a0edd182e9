import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { readTrace, traceNames } from '../helpers/trace-fixtures.ts'
import { runs } from '../helpers/property-runs.ts'

const WORDS = [
  'Traceback (most recent call last):',
  '  File "a.py", line 1, in f',
  '    at f (/a.js:1:2)',
  '    at async g (file:///b.mjs:3:4) {',
  '  [cause]: Error: x',
  '  [errors]: [',
  '}',
  '',
  'Error: y',
  'TypeError: z',
  'During handling of the above exception, another exception occurred:',
  '  + Exception Group Traceback (most recent call last):',
  '  | ',
  '  +-+---------------- 1 ----------------',
  '/a.js:1',
  '    ^',
  '[AggregateError: m] {',
  '  [Previous line repeated 3 more times]',
  '\tat a.b.C.d(C.java:1)',
  'Caused by: a.b.Oops: x',
  '\t... 3 more',
  '"main" #1 prio=5 tid=0x1',
  'goroutine 1 [running]:',
  'a/b.c(...)',
  '\t/c.go:1 +0x1',
  'panic: x [recovered]',
  'WARNING: DATA RACE',
  "thread 'main' panicked at src/a.rs:1:2:",
  'stack backtrace:',
  '   0: a::b',
  '             at ./a.rs:1:2',
  '   at A.B(Int32 c) in C:\\a.cs:line 1',
  ' ---> A.Exception: x',
  '   --- End of inner exception stack trace ---',
  '---> (Inner Exception #0) A.Exception: y',
  '#0  0x0001 in f (a=1,',
  '    b=2) at a.c:1',
  'freed by thread T0 here:',
  '    @ 0000000000001234 f',
  '#0      f (package:a/b.dart:1:2)',
  '<asynchronous suspension>',
  '0 f() + 1 in a at /b.swift:1:2',
  'Thread 0 Crashed:',
  '2026-11-21T22:20:01Z x',
  'web | y',
  '> z',
  '\r',
  '\u0000',
]

test('it never throws and keeps its own rules, whatever comes in', async t => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(fc.constantFrom(...WORDS), fc.string())).map(lines => lines.join('\n')),
  )
  fc.assert(
    fc.property(text, input => {
      const { exceptions, frames, framesTotal } = parseStackTrace(input)
      exceptions.forEach((exception, index) => {
        if (exception.index !== index || exception.count < 1) throw new Error('exceptions are numbered in order')
      })
      frames.forEach((frame, index) => {
        if (frame.index !== index || exceptions[frame.exception] === undefined || frame.repeat < 1) {
          throw new Error('frames are numbered in order and have an exception')
        }
      })
      if (framesTotal !== frames.length) throw new Error('nothing is lost below the cap')
    }),
    { numRuns: runs(500) },
  )
  t.pass('500 texts were read')
})

const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/)
const file = fc.array(name, { minLength: 1, maxLength: 5 }).map(parts => `/${parts.join('/')}`)
const line = fc.integer({ min: 1, max: 99_999 })
const message = fc.stringMatching(/^[a-z][a-z ]{0,30}[a-z]$/)

test('a rendered Python traceback is read back as it was', async t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ file, line, name }), {
        minLength: 1,
        maxLength: 20,
        selector: frame => `${frame.file}:${frame.line}`,
      }),
      message,
      (wanted, said) => {
        const text = `Traceback (most recent call last):\n${wanted.map(frame => `  File "${frame.file}.py", line ${frame.line}, in ${frame.name}\n    call(${frame.line})\n`).join('')}ValueError: ${said}\n`
        const { exceptions, frames } = parseStackTrace(text)
        const got = frames.map(frame => ({
          file: frame.file,
          line: frame.line,
          name: frame.function,
          sourceText: frame.sourceText,
        }))
        t.ok(exceptions.length === 1 && exceptions[0]?.type === 'ValueError' && exceptions[0].message === said.trim())
        t.same(
          got,
          wanted.map(frame => ({
            file: `${frame.file}.py`,
            line: frame.line,
            name: frame.name,
            sourceText: `call(${frame.line})`,
          })),
        )
      },
    ),
    { numRuns: runs(50) },
  )
})

test('a rendered V8 stack is read back as it was, reversed', async t => {
  const frame = fc.record({ file, line, column: line, name, isAsync: fc.boolean() })
  fc.assert(
    fc.property(
      fc.uniqueArray(frame, { minLength: 1, maxLength: 20, selector: one => `${one.file}:${one.line}` }),
      message,
      (wanted, said) => {
        const text = `TypeError: ${said}\n${wanted.map(one => `    at ${one.isAsync ? 'async ' : ''}${one.name} (${one.file}.js:${one.line}:${one.column})\n`).join('')}`
        const { exceptions, frames } = parseStackTrace(text)
        t.ok(exceptions.length === 1 && exceptions[0]?.type === 'TypeError' && exceptions[0].message === said.trim())
        t.same(
          frames.map(one => [one.file, one.line, one.column, one.function]),
          wanted.toReversed().map(one => [`${one.file}.js`, one.line, one.column, one.name]),
        )
      },
    ),
    { numRuns: runs(50) },
  )
})

test('of more than 1000 frames the first and the last 500 are kept, and the total is told', async t => {
  const text = `Traceback (most recent call last):\n${Array.from({ length: 1500 }, (_, index) => `  File "/srv/a.py", line ${index + 1}, in f\n`).join('')}ValueError: x\n`
  const { frames, framesTotal } = parseStackTrace(text)
  t.equal(framesTotal, 1500)
  t.equal(frames.length, 1000)
  t.same([frames[0]?.line, frames[499]?.line, frames[500]?.line, frames[999]?.line], [1, 500, 1001, 1500])
  t.same([frames[499]?.index, frames[500]?.index], [499, 1000])
})

test('traces of two runtimes in one log, quoted, stamped and from containers', async t => {
  const python = readTrace('python-3.11-plain').trimEnd()
  const node = readTrace('node-24-plain').trimEnd()
  const log = [
    ...python.split('\n').map(line => `> web-1  | 2026-11-21T22:20:01.123Z ${line}`),
    ...node.split('\n').map(line => `> job-1  | 2026-11-21T22:20:02.123Z ${line}`),
  ].join('\r\n')
  const { exceptions, frames } = parseStackTrace(log)
  t.same(
    exceptions.map(({ language, type, relation }) => [language, type, relation]),
    [
      ['python', 'ZeroDivisionError', 'root'],
      ['javascript', 'TypeError', 'root'],
    ],
  )
  t.equal(frames.length, 3 + parseStackTrace(node).frames.length)
})

const LANGUAGES = new Map([
  ['python', 'python'],
  ['node', 'javascript'],
])

test('every kept trace gives at least one exception with a language', async t => {
  for (const name of traceNames()) {
    const { exceptions } = parseStackTrace(readTrace(name))
    const [runtime = ''] = name.split('-', 1)
    const expected = LANGUAGES.get(runtime) ?? exceptions[0]?.language
    t.ok(exceptions.length > 0 && exceptions.every(({ language }) => language !== null && language === expected), name)
  }
})

test('text without a trace gives nothing', async t => {
  t.same(parseStackTrace('the shop is slow\nplease help'), { exceptions: [], frames: [], framesTotal: 0 })
})
