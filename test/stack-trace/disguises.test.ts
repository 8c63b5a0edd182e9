import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { holdsRow } from '../../src/stack-trace/trace-rows.ts'
import { someOf } from '../helpers/property-runs.ts'
import { readTrace, traceNames } from '../helpers/trace-fixtures.ts'

const STAMP = '2026-11-21T22:20:01.123456Z'
const eachLine =
  (change: (line: string, index: number) => string) =>
  (text: string): string =>
    text.split('\n').map(change).join('\n')
const before = (prefix: string) => eachLine(line => `${prefix}${line}`)
const wrapped =
  (width: number) =>
  (text: string): string =>
    text
      .split('\n')
      .flatMap(line => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? [''])
      .join('\n')
const html = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

/** What logs, mails, trackers and terminals do to a trace. Everything of it must be taken back. */
const DISGUISES: ReadonlyArray<readonly [name: string, disguise: (text: string) => string]> = [
  ['quoted', before('> ')],
  ['quoted twice', before('> > ')],
  ['quoted three times without spaces', before('>>> ')],
  ['from a container', before('web-1  | ')],
  ['from a pod', before('[pod/shop-7d9f/web] ')],
  ['from standard output', before('stdout | ')],
  ['stamped', before(`${STAMP} `)],
  ['stamped in brackets', before('[2026-11-21 22:20:01,123] ')],
  ['stamped with slashes', before('2026/11/21 22:20:01.123 ')],
  ['stamped with seconds since 1970', before('1763763601.123 ')],
  ['from a kernel log', before('[   12.345678] ')],
  ['from syslog', before('Nov 21 22:20:01 host app[12]: ')],
  ['from klog', before('E1121 22:20:01.000000       1 server.go:31] ')],
  ['from logcat', before('11-21 22:20:01.123  1234  1240 E AndroidRuntime: ')],
  ['from the runtime of containers', before(`${STAMP} stderr F `)],
  ['from a CI runner', before(`${STAMP} 01E `)],
  ['from a CI log that names its job', before(`build\tRun tests\t${STAMP} `)],
  ['from a platform', before(`${STAMP} app[web.1]: `)],
  ['marked as error', eachLine(line => (line === '' ? '' : `##[error]${line}`))],
  ['quoted, from a container, stamped', before(`> web-1  | ${STAMP} `)],
  ['in a code fence', text => `I see this:\n\n\`\`\`text\n${text}\n\`\`\`\n`],
  ['with Windows line ends', text => text.replaceAll('\n', '\r\n')],
  ['coloured', eachLine(line => `\u001B[31m${line}\u001B[0m`)],
  ['coloured, escapes lost', eachLine(line => `[0;31m${line}[0m`)],
  ['coloured, escapes shown', eachLine(line => `^[[31m${line}^[[0m`)],
  ['UTF-16 read as bytes', text => Buffer.from(`\uFEFF${text}`, 'utf16le').toString('latin1')],
  ['as HTML', html],
  ['as HTML with breaks', text => html(text).replaceAll(' ', '&nbsp;').replaceAll('\n', '<br>')],
  ['as a JSON string', text => JSON.stringify(text)],
  [
    'as an event with a stack',
    text => JSON.stringify({ level: 50, time: 1763763601123, msg: 'failed', err: { stack: text } }),
  ],
  ['as an event behind a stamp', text => `${STAMP} ${JSON.stringify({ level: 'error', stack_trace: text })}`],
  ['as indented JSON', text => JSON.stringify({ level: 'error', exc_info: text }, null, 2)],
  [
    'as events of a line each',
    text =>
      text
        .split('\n')
        .map(line => JSON.stringify({ log: `${line}\n`, stream: 'stderr', time: STAMP }))
        .join('\n'),
  ],
  ['as a field of a one-line log', text => `time=${STAMP} level=error stack=${JSON.stringify(text)}`],
  ['escaped twice', text => JSON.stringify({ body: JSON.stringify({ stack: text }) })],
  ['as syslog writes line breaks', text => text.replaceAll('\n', '#012').replaceAll('\t', '#011')],
  ['as a URL writes it', text => encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%2F', '/')],
]

// Text in front of a trace without a message is taken for its message.
const ADDS_TEXT = new Set(['in a code fence', 'as an event with a stack'])
const ONE_LINE = new Set([
  'as HTML with breaks',
  'as a field of a one-line log',
  'as syslog writes line breaks',
  'as a URL writes it',
])

// Characters that a disguise itself destroys; what cannot be told from other text: a single line that is quoted, a
// message with line breaks written out and no row of a trace; and what never happens: the entries of a phone's log as
// one string.
function isLossy(disguise: string, name: string, text: string): boolean {
  const lines = text.split('\n')
  if (disguise === 'UTF-16 read as bytes') return /[^\0-\u00FF]/.test(text)
  if (ONE_LINE.has(disguise)) return name.includes('logcat') || !lines.slice(1).some(holdsRow)
  return lines.length < 4 || (disguise === 'quoted three times without spaces' && !lines.some(holdsRow))
}

function read(text: string) {
  const { exceptions, frames } = parseStackTrace(text)
  return { exceptions, frames: frames.map(({ raw: _, ...frame }) => frame) }
}

test('a trace reads the same whatever it went through', async t => {
  const traces = traceNames()
    .map(name => ({ name, text: readTrace(name).trimEnd() }))
    .map(trace => ({ ...trace, plain: read(trace.text) }))
  for (const [at, [disguise, apply]] of DISGUISES.entries()) {
    const chosen = someOf([...traces.slice(at), ...traces.slice(0, at)]) // others for each disguise
    const differing = chosen.filter(
      ({ name, text, plain }) =>
        !isLossy(disguise, name, text) &&
        !(
          ADDS_TEXT.has(disguise) && plain.exceptions.every(({ type, message }) => type === null && message === null)
        ) &&
        !isDeepStrictEqual(read(apply(text)), plain),
    )
    t.same(
      differing.map(({ name }) => name),
      [],
      disguise,
    )
  }
})

test('a trace that a terminal wrapped keeps its places, also where a path was broken', async t => {
  const places = (text: string) =>
    parseStackTrace(text).frames.map(({ exception, file, line, column, function: name }) => [
      exception,
      file,
      line,
      column,
      name,
    ])
  const traces = traceNames()
    .filter(
      name =>
        /^(?:python|node|java|ruby-.*-plain)/.test(name) && !name.endsWith('-tap') && !readTrace(name).startsWith('> '),
    )
    .map(name => ({ name, text: readTrace(name).trimEnd() }))
  for (const width of [80, 100, 120]) {
    const differing = traces.filter(({ text }) => !isDeepStrictEqual(places(wrapped(width)(text)), places(text)))
    t.same(
      differing.map(({ name }) => name),
      [],
      `${width} columns`,
    )
  }
})
