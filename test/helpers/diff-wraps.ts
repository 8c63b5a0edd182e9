import fc from 'fast-check'
import type { Tree } from './git-diffs.ts'
import { randomFrom } from './random-from.ts'

/** Two versions of a few files, and what a model makes of the diff between them. */
interface WrappedCase {
  before: Tree
  after: Tree
  wraps: WrapName[]
  /** The seed of all that the wraps draw at random. */
  seed: number
}

/** Lines that are hard to tell from the marks of diffs, of fences, of thoughts. */
const HARD = [
  '- item',
  '+ item',
  '-',
  '+',
  '--',
  '++',
  '-- sql',
  '++ inc',
  '--- a/q',
  '+++ b/q',
  '-- a/q',
  '++ b/q',
  '--- src/app.py',
  '+++ src/app.py',
  '@@ -1,2 +1,3 @@',
  '@@',
  '@@ foo',
  '```',
  '```py',
  '````',
  '~~~',
  '  ```',
  '---',
  '+++',
  'diff --git a/q b/q',
  'index 123abc..456def 100644',
  '\\ No newline at end of file',
  '\\section',
  '<think>',
  '</think>',
  '*** Begin Patch',
  '*** End Patch',
  '*** Update File: q',
  '...',
  '# ... existing code ...',
  '<<<<<<< SEARCH',
  '=======',
  '>>>>>>> REPLACE',
  '"a',
  "'",
  '> x',
  '# T',
  '12 | z',
  '3: y',
  'x &lt; y',
  'x < y',
  'é“q”',
  'e\u0301"q"',
  'a\u00A0b',
  'a b',
  'x\u2028y',
  '\f',
  'new file mode 100644',
  'Binary files a/q and b/q differ',
  'src/app.py',
  '**src/app.py**',
  '-- ',
  '- ',
  '+ ',
]
const PLAIN = [
  '',
  '',
  '',
  ' ',
  '  ',
  '\t',
  'a',
  '  a',
  '    a',
  '\ta',
  '}',
  '  }',
  '    return x',
  'return x',
  'return x  ',
  'if x:',
  '  if x:',
  '\tif x:',
  'end',
  'foo(bar)',
  '  foo(bar)',
  'import os',
  'Done.',
  'Then it works.',
]

const line = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PLAIN) }, { weight: 2, arbitrary: fc.constantFrom(...HARD) }),
    fc.nat(60),
  )
  .map(([word, n]) => (n < 15 ? word : `${word}${n}`))

type Ends = 'lf' | 'crlf' | 'mixed'
interface Draft {
  lines: string[]
  ends: Ends
  isEnded: boolean
  hasMark: boolean
}

const draft: fc.Arbitrary<Draft> = fc.record({
  lines: fc.array(line, { maxLength: 26 }),
  ends: fc.constantFrom<Ends>('lf', 'lf', 'lf', 'crlf', 'mixed'),
  isEnded: fc.nat(4).map(n => n > 0),
  hasMark: fc.nat(15).map(n => n === 0),
})

const textOf = ({ lines, ends, isEnded, hasMark }: Draft): string => {
  const text = lines
    .map((own, i) => own + (ends === 'crlf' || (ends === 'mixed' && i % 3 === 1) ? '\r\n' : '\n'))
    .join('')
  return (hasMark && text !== '' ? '\uFEFF' : '') + (isEnded ? text : text.replace(/\r?\n$/, ''))
}

/** For each line of a file whether it is kept, changed, added to or removed. */
const changes = fc.array(fc.tuple(fc.nat(15), line), { minLength: 26, maxLength: 26 })

const PATHS = [
  'src/app.py',
  'lib/my file.txt',
  'docs/é.md',
  'a/x.py',
  'b/y.py',
  'README',
  'src/routes/+page.svelte',
  'app/[slug]/page.tsx',
  'app/(auth)/layout.tsx',
  'q',
]

type Fate = 'changed' | 'created' | 'deleted' | 'renamed' | 'kept'
const oneFile = fc.record({
  draft,
  changes,
  added: fc.array(line, { maxLength: 3 }),
  isEnded: fc.nat(9),
  fate: fc.constantFrom<Fate>(
    'changed',
    'changed',
    'changed',
    'changed',
    'changed',
    'created',
    'deleted',
    'renamed',
    'kept',
  ),
})

const trees: fc.Arbitrary<{ before: Tree; after: Tree }> = fc
  .tuple(fc.uniqueArray(fc.constantFrom(...PATHS), { minLength: 1, maxLength: 3 }), fc.tuple(oneFile, oneFile, oneFile))
  .map(([paths, files]) => {
    const before = new Map<string, string>()
    const after = new Map<string, string>()
    for (const [i, path] of paths.entries()) {
      const file = files[i]
      if (file === undefined) continue
      const lines = [
        ...file.draft.lines.flatMap((own, k) => {
          const [choice, word] = file.changes[k] ?? [9, '']
          return [[], [word], [own, word]][choice] ?? [own]
        }),
        ...(file.fate === 'changed' && file.isEnded === 1 ? file.added : []),
      ]
      const changed = textOf({
        ...file.draft,
        lines,
        isEnded: file.isEnded === 0 ? !file.draft.isEnded : file.draft.isEnded,
      })
      if (file.fate !== 'created') before.set(path, textOf(file.draft))
      if (file.fate !== 'deleted') {
        const isAsDrafted = file.fate === 'kept' || file.fate === 'created'
        after.set(file.fate === 'renamed' ? `${path}.new` : path, isAsDrafted ? textOf(file.draft) : changed)
      }
    }
    return { before, after }
  })

type Role = 'header' | 'hunk' | 'line' | 'marker'
interface DiffLine {
  text: string
  role: Role
}

/** Which lines of git's diff are what: the counts of its headers say so. */
function diffLines(diff: string): DiffLine[] {
  let [old, fresh] = [0, 0]
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map(text => {
    if (text.startsWith('\\') && !(old + fresh > 0 && text.startsWith(' '))) return { text, role: 'marker' }
    if (old + fresh === 0) {
      const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(text)
      if (counts === null) return { text, role: 'header' }
      ;[old, fresh] = [Number(counts[1] ?? 1), Number(counts[2] ?? 1)]
      return { text, role: 'hunk' }
    }
    if (!text.startsWith('+')) old--
    if (!text.startsWith('-')) fresh--
    return { text, role: 'line' }
  })
}

type Draw = () => number
const pick = <T>(draw: Draw, ...values: [T, ...T[]]): T => values[Math.floor(draw() * values.length)] ?? values[0]

const each =
  (role: Role, change: (text: string, draw: Draw) => string | null) =>
  (lines: DiffLine[], draw: Draw): DiffLine[] =>
    lines.flatMap(line => {
      const text = line.role === role ? change(line.text, draw) : line.text
      return text === null ? [] : [{ ...line, text }]
    })

const GIT_HEADER = /^(?:diff --git|index|new file|deleted file) /
/** Renames, and files that are made or deleted empty, are told in nothing else. */
const needsGitHeaders = (lines: DiffLine[]): boolean =>
  lines.some(
    ({ text, role }, i) =>
      role === 'header' &&
      (text.startsWith('rename from ') ||
        (text.startsWith('index ') && lines[i + 1]?.text.startsWith('--- ') !== true)),
  )
const hasFolderLikePrefix = (lines: DiffLine[]): boolean =>
  lines.some(({ text, role }) => role === 'header' && /^(?:---|\+\+\+) [ab]\/[ab]\//.test(text))

const NUMBERS = /^@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@/
const moved = (at: string, draw: Draw): number => Math.max(1, Number(at) + Math.floor(draw() * 19) - 9)

const isBlank = ({ text, role }: DiffLine): boolean => role === 'line' && text.trim() === ''

/** Whether context stands on both sides in the same hunk: what is lost at its ends nobody can tell. */
function isInside(lines: DiffLine[], at: number): boolean {
  const showsContext = (step: 1 | -1): boolean => {
    for (let i = at + step; lines[i]?.role === 'line'; i += step) {
      if (/^[ -]/.test(lines[i]?.text ?? '') && lines[i]?.text.trim() !== '') return true
    }
    return false
  }
  return showsContext(1) && showsContext(-1)
}

/** What becomes of the lines of a diff, in this order. */
const LINE_WRAPS = {
  'no git headers': (lines: DiffLine[]) =>
    needsGitHeaders(lines) ? lines : each('header', text => (GIT_HEADER.test(text) ? null : text))(lines, () => 0),
  'names without prefixes': (lines: DiffLine[]) =>
    needsGitHeaders(lines) || hasFolderLikePrefix(lines)
      ? lines
      : each('header', text => (GIT_HEADER.test(text) ? null : text.replace(/^(---|\+\+\+) ("?)[ab]\//, '$1 $2')))(
          lines,
          () => 0,
        ),
  'wrong numbers': each('hunk', (text, draw) =>
    text.replace(
      NUMBERS,
      (_, at: string, n: string, to: string, m: string) => `@@ -${moved(at, draw)}${n} +${moved(to, draw)}${m} @@`,
    ),
  ),
  'wrong counts': each('hunk', (text, draw) =>
    text.replace(
      NUMBERS,
      (_, at: string, n: string, to: string, m: string) =>
        `@@ -${at},${Math.max(0, Number(n.slice(1) || 1) + Math.floor(draw() * 7) - 3)} ` +
        `+${to},${Math.max(0, Number(m.slice(1) || 1) + Math.floor(draw() * 7) - 3)} @@`,
    ),
  ),
  'no numbers': each('hunk', text => text.replace(NUMBERS, '@@ ... @@')),
  'bare hunk headers': each('hunk', () => '@@'),
  'lost prefixes': each('line', (text, draw) => (text.startsWith(' ') && draw() < 0.5 ? text.slice(1) : text)),
  'all prefixes lost': each('line', text => (text.startsWith(' ') ? text.slice(1) : text)),
  'blank lines lost': (lines: DiffLine[], draw: Draw) =>
    lines.filter((line, i) => !isBlank(line) || !isInside(lines, i) || draw() < 0.4),
  'blanks at ends stripped': each('line', text => text.trimEnd()),
  'other newline markers': each('marker', (_, draw) =>
    pick(draw, '\\ no newline at end of file', '\\ No newline at the end of the file', '\\ No newline at end of file.'),
  ),
  'newline markers lost': each('marker', () => null),
  'sent twice': (lines: DiffLine[]) => [...lines, ...lines],
} as const

/** What is put around the text of a diff, in this order. */
const TEXT_WRAPS = {
  'in a fence': (diff: string, draw: Draw) => {
    const mark = pick(draw, '```', '```', '````', '~~~', '~~~~')
    return `${mark}${pick(draw, 'diff', 'diff', 'patch', '', 'python')}\n${diff}${mark}\n`
  },
  'indented whole': (text: string, draw: Draw) => {
    const indent = pick(draw, '  ', '    ', '   ', '\t')
    return text
      .split('\n')
      .map(own => (own === '' ? '' : indent + own))
      .join('\n')
  },
  'prose around': (text: string, draw: Draw) =>
    `${pick(draw, 'Here is the fix:\n\n', 'The fault is in `src/app.py`.\n\n', '1. Change this:\n', '<think>\nLet me see. `x` - no.\n</think>\n')}${text}${pick(draw, '\nThat is all.\n', '\nDone, as you wished. Run `make`.\n', '', '\n- It works now.\n- Tests pass.\n')}`,
  'all lines end CRLF': (text: string) => text.replace(/\r?\n/g, '\r\n'),
  'no newline at the very end': (text: string) => text.replace(/\n$/, ''),
} as const

type LineWrap = keyof typeof LINE_WRAPS
type TextWrap = keyof typeof TEXT_WRAPS
export type WrapName = LineWrap | TextWrap

const LINE_NAMES = Object.keys(LINE_WRAPS) as LineWrap[]
const TEXT_NAMES = Object.keys(TEXT_WRAPS) as TextWrap[]

export const wrappedCase: fc.Arbitrary<WrappedCase> = fc
  .tuple(trees, fc.uniqueArray(fc.constantFrom<WrapName>(...LINE_NAMES, ...TEXT_NAMES), { maxLength: 4 }), fc.nat(1e6))
  .map(([{ before, after }, drawn, seed]) => ({
    before,
    after,
    seed,
    wraps: drawn.filter(
      name =>
        (name !== 'indented whole' || drawn.includes('in a fence')) &&
        (name !== 'lost prefixes' || !drawn.includes('all prefixes lost')),
    ),
  }))

/** The diff as it comes out of a model that does these things to it. */
export function wrapped(diff: string, { wraps, seed }: Pick<WrappedCase, 'wraps' | 'seed'>): string {
  const draw = randomFrom(seed)
  let lines = diffLines(diff)
  for (const name of LINE_NAMES) if (wraps.includes(name)) lines = LINE_WRAPS[name](lines, draw)
  let text = lines.map(line => `${line.text}\n`).join('')
  for (const name of TEXT_NAMES) if (wraps.includes(name)) text = TEXT_WRAPS[name](text, draw)
  return text
}

/** A file as far as the wraps leave anything of it to tell: which blanks ended lines, how lines end. */
export function asFarAsTold(text: string, wraps: readonly WrapName[]): string {
  const ends =
    wraps.includes('all lines end CRLF') || wraps.includes('blanks at ends stripped')
      ? text.replace(/\r+$/gm, '')
      : text
  const blanks = wraps.includes('blanks at ends stripped') ? ends.replace(/[^\S\n]+$/gm, '') : ends
  return wraps.includes('newline markers lost') ? blanks.replace(/[\r\n]+$/, '') : blanks
}
