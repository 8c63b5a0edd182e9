import { holdsRow } from '../trace-rows.ts'

const REPORT = /<(?:testsuites?|testcase|test-run|test-results|test-case|TestRun|assemblies)[\s>]/
const BEGIN = /<\?xml |<(?:testsuites?|testcase|test-run|test-results|TestRun|assemblies)[\s>]/
const END = /<\/(?:testsuites?|test-run|test-results|TestRun|assemblies)>/g
const ELEMENT = /<(failure|error|rerunFailure|rerunError|flakyFailure|flakyError|ErrorInfo|testcase)(?=[\s/>])/g
const ATTRIBUTE = /\s([\w:.-]{1,60})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/gy
const PART = /<(message|stack-trace|Message|StackTrace)(?: [^<>]{0,300})?>/g
const PLACED = /[\w)\]]\.\w{1,5}(?::\d|\(\d|, line \d| on line \d)|\[\S{1,300}:\d{1,9}\]/
const MAX_LOOKED_AT = 200
const MAX_NAME = 300
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g
const NAMED = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

function withoutEntities(text: string): string {
  return text.replace(ENTITY, (all, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
    if (name !== undefined) return NAMED.get(name) ?? all
    const code = Number(decimal ?? `0x${hex}`)
    return code > 0x10ffff ? all : String.fromCodePoint(code).toWellFormed()
  })
}

/** Text between tags: entities outside CDATA sections become their signs. */
function decoded(text: string): string {
  return text
    .split('<![CDATA[')
    .map((piece, index) => {
      if (index === 0) return withoutEntities(piece)
      const end = piece.indexOf(']]>')
      return end === -1 ? piece : piece.slice(0, end) + withoutEntities(piece.slice(end + 3))
    })
    .join('')
}

/** Values may hold `>`, so a tag ends only behind its attributes. */
function readAttributes(text: string, at: number): { attributes: Map<string, string>; next: number } {
  const attributes = new Map<string, string>()
  let next = at
  ATTRIBUTE.lastIndex = at
  for (let match = ATTRIBUTE.exec(text); match !== null; match = ATTRIBUTE.exec(text)) {
    attributes.set(match[1] ?? '', decoded(match[2] ?? match[3] ?? ''))
    next = ATTRIBUTE.lastIndex
  }
  while (/\s/.test(text[next] ?? '')) next++
  return { attributes, next }
}

const trimmed = (value: string | undefined): string => (value ?? '').trim()

/** ` at file:line`, as far as the report knows it. */
function placeOf(failure: Map<string, string>, test: Map<string, string>): string {
  const file = trimmed(failure.get('file') ?? test.get('file'))
  if (file === '' || /\s/.test(file)) return ''
  const line = trimmed(failure.get('line') ?? test.get('line'))
  return /^\d{1,9}$/.test(line) ? ` at ${file}:${line}` : ` at ${file}`
}

/** A failure without a stack: the name of its test and what the report knows of its place, then what it says. */
function withPlace(said: string, failure: Map<string, string>, test: Map<string, string>): string {
  const name = [test.get('classname'), test.get('name')]
    .map(part => trimmed(part).replace(/\s+/g, ' '))
    .filter(part => part !== '')
    .join('.')
  const lines = said.split('\n').filter(line => line.trim() !== '')
  if (name === '' || lines.slice(0, MAX_LOOKED_AT).some(line => holdsRow(line) || PLACED.test(line))) return said
  const [first = '', ...more] = lines
  const type = trimmed(failure.get('type'))
  const isNamed = type === '' || first.includes(type)
  const head = `in test ${name.slice(0, MAX_NAME)}${placeOf(failure, test)}:`
  return [head, isNamed ? first : `${type}: ${first}`, ...more].join('\n')
}

/** NUnit, xUnit and TRX keep message and stack in elements of their own. */
function partsOf(content: string): string | null {
  const parts: string[] = []
  PART.lastIndex = 0
  for (let match = PART.exec(content); match !== null; match = PART.exec(content)) {
    const close = content.indexOf(`</${match[1] ?? ''}>`, PART.lastIndex)
    if (close === -1) break
    parts.push(
      decoded(content.slice(PART.lastIndex, close))
        .replace(/^\s*\n/, '')
        .trimEnd(),
    )
    PART.lastIndex = close
  }
  return parts.length === 0 ? null : parts.join('\n')
}

/** What a failure says: its own text, and type and message before it where the text does not begin with them. */
function failureText(attributes: Map<string, string>, content: string): string {
  const body = (partsOf(content) ?? decoded(content)).replace(/^\s*\n/, '').trimEnd()
  const message = attributes.get('message')?.trim() ?? ''
  const type = attributes.get('type')?.trim() ?? ''
  const firstLine = message.split('\n', 1)[0] ?? ''
  if (body.includes(firstLine) && body !== '' && (firstLine !== '' || body.includes(type))) return body
  const head = type === '' || message.startsWith(type) ? message : `${type}: ${message}`
  return body === '' ? head : `${head}\n${body}`
}

function failuresOf(text: string): string[] {
  const failures: string[] = []
  let test = new Map<string, string>()
  ELEMENT.lastIndex = 0
  for (let match = ELEMENT.exec(text); match !== null; match = ELEMENT.exec(text)) {
    const [, name = ''] = match
    const { attributes, next } = readAttributes(text, ELEMENT.lastIndex)
    if (name === 'testcase') {
      test = attributes
      ELEMENT.lastIndex = next
      continue
    }
    const isEmpty = text.startsWith('/>', next)
    const open = isEmpty ? next + 2 : text.indexOf('>', next) + 1
    const close = isEmpty ? open : text.indexOf(`</${name}>`, open)
    if (open === 0 || close === -1) break // cut off: no later one ends, either
    failures.push(withPlace(failureText(attributes, text.slice(open, close)), attributes, test))
    ELEMENT.lastIndex = close
  }
  return failures
}

/**
 * A test report as XML (JUnit, NUnit, xUnit, TRX) becomes the text of its failures, each a paragraph; text around the
 * report stays. Anything else stays as it is. Linear in the length of the text.
 */
export function fromXmlReport(text: string): string {
  if (!REPORT.test(text)) return text
  const failures = failuresOf(text)
  if (failures.length === 0) return text
  const begin = text.search(BEGIN)
  const end = [...text.matchAll(END)].at(-1)
  return [text.slice(0, begin), ...failures, end === undefined ? '' : text.slice(end.index + end[0].length)].join(
    '\n\n',
  )
}
