import fc from 'fast-check'
import { test } from 'tap'
import { applyPart, block } from '../../helpers/part-cases.ts'
import { runs } from '../../helpers/property-runs.ts'

/** How a language spells definitions. */
interface Spelling {
  path: string
  /** What stands before all definitions. */
  head: string
  define: (name: string, lines: readonly string[]) => string
  /** Definitions in a type; null for languages without. */
  type: ((name: string, members: readonly string[]) => string) | null
  comment: (words: string) => string
  /** Of members in a type. */
  depth: string
}

const indented = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by)
const braced = (head: string, lines: readonly string[]): string =>
  `${head} {\n${lines.map(line => `  ${line};\n`).join('')}}\n`

const LANGUAGES: readonly Spelling[] = [
  {
    path: 'shop.py',
    head: 'import os\n\nLIMIT = 10\n\n\n',
    define: (name, lines) => `def ${name}():\n${lines.map(line => `    ${line}\n`).join('')}    return 1\n`,
    type: (name, members) => `class ${name}:\n${members.map(text => indented(text, '    ')).join('\n')}`,
    comment: words => `# ${words}\n`,
    depth: '    ',
  },
  {
    path: 'shop.js',
    head: "import os from 'node:os'\n\nexport const LIMIT = 10\n\n",
    define: (name, lines) => braced(`export function ${name}()`, lines),
    type: null,
    comment: words => `// ${words}\n`,
    depth: '  ',
  },
  {
    path: 'shop.go',
    head: 'package shop\n\nimport "os"\n\n',
    define: (name, lines) => braced(`func ${name}()`, lines),
    type: null,
    comment: words => `// ${words}\n`,
    depth: '  ',
  },
  {
    path: 'shop.rb',
    head: "require 'json'\n\nLIMIT = 10\n\n",
    define: (name, lines) => `def ${name}\n${lines.map(line => `  ${line}\n`).join('')}end\n`,
    type: (name, members) =>
      `class ${name.toUpperCase()}\n${members.map(text => indented(text, '  ')).join('\n')}end\n`,
    comment: words => `# ${words}\n`,
    depth: '  ',
  },
  {
    path: 'shop.css',
    head: '',
    define: (name, lines) =>
      `.${name} {\n${lines.map((_, i) => `  margin-${name}-${i}: 0;\n`).join('')}  color: red;\n}\n`,
    type: (name, members) =>
      `@media (min-width: ${name.length}px) {\n${members.map(text => indented(text, '  ')).join('\n')}}\n`,
    comment: words => `/* ${words} */\n`,
    depth: '  ',
  },
  {
    path: 'shop.toml',
    head: '',
    define: (name, lines) => `[${name}]\n${lines.map((line, i) => `key${i} = "${line}"\n`).join('')}on = 1\n`,
    type: null,
    comment: words => `# ${words}\n`,
    depth: '  ',
  },
  {
    path: 'shop.sh',
    head: '#!/bin/bash\nset -e\n\nLIMIT=10\n\n',
    define: (name, lines) => `${name}() {\n${lines.map(line => `  echo ${line}\n`).join('')}  true\n}\n`,
    type: null,
    comment: words => `# ${words}\n`,
    depth: '  ',
  },
]

const REMARKS = ['... existing code ...', 'rest unchanged', 'keep the remaining functions exactly as they are']
/** Requests that ask for nothing to go. */
const REQUESTS = ['', 'Fix f1', 'Make f1 faster, but keep f2.', 'Add a log line to each function.']

const statement = fc.integer({ min: 0, max: 99 }).map(number => `call_${number}()`)
const definition = fc.record({
  lines: fc.array(statement, { minLength: 1, maxLength: 4 }),
  /** What the block has of it; null for nothing. */
  shown: fc.option(fc.constantFrom<'same' | 'changed'>('same', 'changed')),
  /** Whether it stands in a type, where the language has them. */
  isMember: fc.boolean(),
  /** A remark before it in the block. */
  remark: fc.option(fc.constantFrom(...REMARKS)),
})
const anyPart = fc.record({
  language: fc.constantFrom(...LANGUAGES),
  definitions: fc.array(definition, { minLength: 1, maxLength: 7 }),
  request: fc.constantFrom(...REQUESTS),
  hasHead: fc.boolean(),
  /** New definitions, by the number of the one that they follow. */
  fresh: fc.array(fc.nat({ max: 7 }), { maxLength: 2 }),
  lastRemark: fc.option(fc.constantFrom(...REMARKS)),
})

type Part = typeof anyPart extends fc.Arbitrary<infer Value> ? Value : never

/** The definitions at the top, and those in a type. */
function textsOf({ language, definitions }: Part): { name: string; text: string; isMember: boolean }[] {
  return definitions.map(({ lines, isMember }, i) => ({
    name: `f${i}`,
    text: language.define(`f${i}`, lines),
    isMember: isMember && language.type !== null,
  }))
}

/** Members in their type, where the language has types. */
const typeOf = ({ type }: Spelling, members: readonly string[]): string[] =>
  type === null || members.length === 0 ? [] : [type('Shop', members)]

function fileOf(part: Part): string {
  const texts = textsOf(part)
  const members = texts.filter(({ isMember }) => isMember).map(({ text }) => text)
  const tops = texts.filter(({ isMember }) => !isMember).map(({ text }) => text)
  return part.language.head + [...tops, ...typeOf(part.language, members)].join('\n\n')
}

/** A block of a file. */
interface Shown {
  body: string
  /** What must be in the file afterwards. */
  kept: string[]
}

/** Adds a definition to the block, or to what the block leaves as it is. */
function show(part: Part, index: number, into: { lines: string[]; kept: string[] }): void {
  const { language, definitions } = part
  const { lines = [], shown = null, remark = null } = definitions[index] ?? {}
  const { name = '', text = '', isMember = false } = textsOf(part)[index] ?? {}
  const own = shown === 'changed' ? language.define(name, [...lines, 'changed()']) : text
  into.kept.push(isMember ? indented(own, language.depth) : own)
  if (shown === null) return
  into.lines.push(remark === null ? own : `${language.comment(remark)}\n${own}`)
}

function blockOf(part: Part): Shown {
  const { language, fresh, hasHead, lastRemark } = part
  const kept: string[] = language.head === '' ? [] : [language.head.trim()]
  const tops: string[] = []
  const members: string[] = []
  for (const [i, { isMember }] of textsOf(part).entries()) {
    show(part, i, { lines: isMember ? members : tops, kept })
    if (!fresh.includes(i) || isMember) continue
    const own = language.define(`fresh${i}`, ['new_one()'])
    tops.push(own)
    kept.push(own)
  }
  const rest = lastRemark === null ? [] : [language.comment(lastRemark)]
  const head = hasHead ? language.head : ''
  return { body: head + [...tops, ...typeOf(language, members), ...rest].join('\n\n'), kept }
}

test('no definition is lost without a word, whatever part of a file a block holds', async t => {
  let placed = 0
  let refused = 0
  fc.assert(
    fc.property(anyPart, part => {
      const { path } = part.language
      const before = fileOf(part)
      const { body, kept } = blockOf(part)
      const { files, rejected } = applyPart({ [path]: before }, block(path, body), part.request)
      const after = files[path] ?? ''
      const told = JSON.stringify({ before, body, after, rejected, request: part.request }, null, 1)
      if (rejected.length > 0) {
        refused++
        if (after !== before) throw new Error(`Refused, and changed all the same: ${told}`)
        return
      }
      placed++
      for (const text of kept) {
        if (!after.includes(text.trimEnd())) throw new Error(`Lost: ${text}\n${told}`)
      }
      if (/existing code|unchanged|exactly as/.test(after)) throw new Error(`A remark was written: ${told}`)
    }),
    { numRuns: runs(4000) },
  )
  t.ok(placed > refused / 2, `${placed} were placed, ${refused} refused`)
})
