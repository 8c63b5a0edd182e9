import fc from 'fast-check'
import { test } from 'tap'
import { joinReply } from '../../../src/edits/join/join-reply.ts'
import { runs } from '../../helpers/property-runs.ts'

const F = '```'

/** Replies whose lines differ from each other, but for those that say nothing. */
const PYTHON =
  `I will write two files.\n\nsrc/cart.py\n${F}python\nimport json\n\n\nclass Cart:\n    def __init__(self, lines):\n` +
  '        self.lines = lines\n\n    def total(self):\n        """The sum.\n\n' +
  `        ${F}python\n        cart.total()\n        ${F}\n        """\n` +
  '        return sum(\n            line.price * line.count\n            for line in self.lines\n        )\n' +
  `${F}\n\nThe other one:\n\nsrc/main.py\n${F}python\nfrom cart import Cart\n\nprint(Cart([]).total())\n${F}\n\nDone.\n`
const BARE =
  `main.c\n${F}\n#include <stdio.h>\n\nint main(void) {\n\tfor (int i = 0; i < 3; i++) {\n\t\tprintf("%d", i);\n\t}\n` +
  `\treturn 0;\n}\n${F}\n\nMakefile\n${F}\nall:\n\tcc -o main main.c\n${F}\n`
const README =
  `README.md\n${F}${F[0]}markdown\n# Cart\n\n${F}bash\nnpm install\nnpm test\n${F}\n\nMore text here.\n${F}${F[0]}\n\n` +
  `package.json\n${F}json\n{\n  "name": "cart",\n  "scripts": {\n    "test": "node --test"\n  }\n}\n${F}\n`
const DIFF =
  `The total was wrong.\n\n${F}diff\n--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -1,4 +1,4 @@\n export function total() {\n` +
  `-  return 0\n+  return lines.length\n }\n@@ -20,3 +20,4 @@\n const rate = 0.2\n+const limit = 100\n ${''}\n${F}\n`
const REPLIES = { PYTHON, BARE, README, DIFF }

const cutsOf = (text: string): number[] => Array.from({ length: text.length - 1 }, (_, i) => i + 1)

/** The first place where a join differs from the reply, for the message. */
const near = (text: string, at: number): string => JSON.stringify(text.slice(Math.max(0, at - 30), at))

for (const [name, reply] of Object.entries(REPLIES)) {
  test(`${name}: a continuation from the very character is joined there, wherever the reply is cut`, async t => {
    const wrong = cutsOf(reply).filter(at => {
      const joined = [true, false].map(isLast => joinReply(reply.slice(0, at), reply.slice(at), { isLast }))
      return joined.some(text => text !== reply)
    })
    t.same(
      wrong.map(at => near(reply, at)),
      [],
    )
  })

  test(`${name}: the line that was cut is repeated, or some before it`, async t => {
    for (const count of [0, 1, 2, 5]) {
      const wrong = cutsOf(reply).filter(at => {
        const lines = reply.slice(0, at).split('\n')
        const from = lines.slice(0, Math.max(0, lines.length - 1 - count)).join('\n').length
        const start = from === 0 ? 0 : from + 1
        const repeated = reply.slice(start, at)
        // so little may as well be what follows
        const isTelling = repeated.replace(/[^a-z0-9]/gi, '').length >= 8 && repeated.includes('\n')
        const isPart = count === 0 && repeated.replace(/[^a-z0-9]/gi, '').length >= 3
        if (!isTelling && !isPart) return false
        return joinReply(reply.slice(0, at), reply.slice(start), { isLast: true }) !== reply
      })
      t.same(
        wrong.map(at => near(reply, at)),
        [],
        `${count} lines`,
      )
    }
  })
}

/** The fence that is open at a cut, and where its content begins; null outside of fences. */
function openAt(reply: string, at: number): { info: string; from: number } | null {
  let open: { info: string; from: number } | null = null
  let offset = 0
  for (const line of reply.slice(0, at).split('\n').slice(0, -1)) {
    offset += line.length + 1
    if (line.startsWith(F)) open = open === null ? { info: line, from: offset } : null
  }
  return open
}

const FLAT =
  `Two files.\n\nsrc/a.ts\n${F}ts\nexport const first = 1\n\nexport function second(n: number) {\n  return n * 2\n}\n` +
  `\nexport class Third {\n  fourth = 4\n}\n${F}\n\nAnd its test:\n\ntest/a.test.ts\n${F}ts\n` +
  `import { first } from '../src/a.ts'\n\ntest('it is one', () => first === 1)\n${F}\n\nRun npm test.\n`

test('a fence that is opened again is not opened twice, whatever is said before it', async t => {
  const preambles = ['', 'Continuing from where I left off:\n\n', '**src/a.ts** (continued)\n\n']
  for (const preamble of preambles) {
    for (const count of [0, 1, 3]) {
      const wrong = cutsOf(FLAT).filter(at => {
        const open = openAt(FLAT, at)
        if (open === null || FLAT.slice(open.from, at).trim() === '' || FLAT.slice(0, at).endsWith('`')) return false
        const lines = FLAT.slice(open.from, at).split('\n')
        const start = at - lines.slice(-1 - count).join('\n').length
        const repeated = FLAT.slice(start, at)
        const isTelling = repeated.replace(/[^a-z0-9]/gi, '').length >= 8
        if (count > 0 ? !isTelling || start < open.from : repeated.trim() !== '') return false
        const more = `${preamble}${open.info}\n${FLAT.slice(start)}`
        return joinReply(FLAT.slice(0, at), more, { isLast: true }) !== FLAT
      })
      t.same(
        wrong.map(at => near(FLAT, at)),
        [],
        `${JSON.stringify(preamble)}, ${count} lines`,
      )
    }
  }
})

const CUT_AT_LINE = `Here.\n\na.py\n${F}python\nimport os\n\n\ndef load(path):\n    "Reads it."\n`
const REST = `    return open(path).read()\n\n\ndef save(path):\n    pass\n${F}\n`

test('forms of continuations', async t => {
  const cases: Array<[name: string, before: string, more: string, joined: string]> = [
    ['a closing fence whose line end got lost', `a.py\n${F}\nprint(1)`, `${F}\n`, `a.py\n${F}\nprint(1)\n${F}\n`],
    ['a fence behind its name', 'a.py', `${F}python\nx = 1\n${F}\n`, `a.py\n${F}python\nx = 1\n${F}\n`],
    [
      'a sentence behind a closing fence',
      `a.py\n${F}\nx\n${F}`,
      'Nothing is missing.\n',
      `a.py\n${F}\nx\n${F}\nNothing is missing.\n`,
    ],
    ['a language behind a fence', `a.py\n${F}`, 'python\nx\n', `a.py\n${F}python\nx\n`],
    ['the rest of a fence', `a.py\n${F.slice(1)}`, `\`python\nx = 1\n${F}\n`, `a.py\n${F}python\nx = 1\n${F}\n`],
    [
      'a bare fence that is opened again, as what follows shows',
      `a.py\n${F}\nfirst = 1\n`,
      `${F}\nsecond = 2\n${F}\n`,
      `a.py\n${F}\nfirst = 1\nsecond = 2\n${F}\n`,
    ],
    [
      'a bare fence that closes, as what follows shows',
      `a.py\n${F}\nfirst = 1\n`,
      `${F}\n\nb.py\n${F}\nsecond = 2\n${F}\n`,
      `a.py\n${F}\nfirst = 1\n${F}\n\nb.py\n${F}\nsecond = 2\n${F}\n`,
    ],
    [
      'a block that begins anew',
      CUT_AT_LINE,
      `${CUT_AT_LINE.slice(CUT_AT_LINE.indexOf(F)).replace('Reads', 'Loads')}${REST}`,
      '',
    ],
    ['a reply that begins anew', CUT_AT_LINE, `${CUT_AT_LINE.replace('Reads', 'Loads')}${REST}`, ''],
    ['an indented line without its blanks', `${CUT_AT_LINE}    return open(pa`, REST.trimStart(), CUT_AT_LINE + REST],
    ['an indentation that begins anew', `${CUT_AT_LINE}    `, REST, CUT_AT_LINE + REST],
    ['a line that really comes twice', 'x\n0, 0\n0, 0\n', '0, 0\n1, 1\n', 'x\n0, 0\n0, 0\n0, 0\n1, 1\n'],
    ['nothing before', ' \n', 'a', 'a'],
    ['nothing more', 'a', '\n', 'a\n'],
    ['line ends of Windows', 'a.py\r\nfirst = 1\r\nsec', 'first = 1\r\nsecond\r\n', 'a.py\r\nfirst = 1\r\nsecond\r\n'],
  ]
  for (const [name, before, more, joined] of cases) {
    const wanted = joined === '' ? CUT_AT_LINE.replace('Reads', 'Loads') + REST : joined
    t.equal(joinReply(before, more, { isLast: true }), wanted, name)
  }
})

test('a continuation that was cut, too, goes on where it was cut', async t => {
  const [a, b] = [CUT_AT_LINE, `${F}python\n${REST.slice(0, 30)}`]
  t.equal(joinReply(a, b, { isLast: false }), a + REST.slice(0, 30), 'in the fence that it opened again')
  t.equal(joinReply(a, `Continued:\n\n${b}`, { isLast: false }), a + REST.slice(0, 30))
  t.equal(joinReply(`a\n${F}\nx\n`, `${F}\nThen`, { isLast: false }), `a\n${F}\nx\n${F}\nThen`, 'a bare one closes')
  t.equal(joinReply(`${a}${REST}`, a, { isLast: false }), a + REST, 'what begins anew and is shorter says nothing new')
})

const word = fc.stringMatching(/^[a-z]{4,9}$/)
/** Lines of code that differ from each other, with some that say nothing between them. */
const code = fc
  .tuple(fc.constantFrom('', '  ', '\t'), fc.array(word, { minLength: 1, maxLength: 8 }))
  .map(([indent, names]) =>
    names.map((name, i) => `${indent}${name}_${i} = call${i}(${name})\n${i % 3 === 2 ? '\n' : ''}`).join(''),
  )
const replies = fc
  .array(fc.tuple(word, code, fc.constantFrom('', 'python', 'ts')), { minLength: 1, maxLength: 4 })
  .map(blocks =>
    blocks
      .map(([name, body, info], i) => {
        const own = body.replaceAll('call', `call_${i}_`)
        return `Part ${i} is ${name}.\n\nsrc/${name}${i}.py\n${F}${info}\n${own}${F}\n\n`
      })
      .join(''),
  )

test('a reply that is cut three times comes out whole, with lines repeated or not', async () => {
  fc.assert(
    fc.property(replies, fc.array(fc.tuple(fc.nat(), fc.nat(3)), { minLength: 3, maxLength: 3 }), (reply, cuts) => {
      const places = cuts
        .map(([place, repeated]) => ({ at: 1 + (place % reply.length), repeated }))
        .sort((a, b) => a.at - b.at)
      let text = reply.slice(0, places[0]?.at)
      for (const [i, { at, repeated }] of places.entries()) {
        const lines = text.split('\n')
        const start = text.length - lines.slice(-1 - repeated).join('\n').length
        const again = text.slice(start).replace(/[^a-z0-9]/gi, '').length >= 8 && repeated > 0 ? start : at
        const end = places[i + 1]?.at ?? reply.length
        text = joinReply(text, reply.slice(again, end), { isLast: i === 2 }) ?? ''
      }
      return text === reply
    }),
    { numRuns: runs(2000) },
  )
})

const HEAD = `app.py\n${F}python\n`
const CUT = `${HEAD}import os\n\n\ndef load(path):\n    if path:\n        return open(path).read()\n    else:\n`
const AFTER = `        return None\n\n\ndef save(path):\n    pass\n${F}\n`
const BRACES = `a.js\n${F}js\nfunction a() {\n  if (x) {\n    y()\n  }\n`

test('continuations as models write them', async t => {
  const whole = CUT + AFTER
  const cutIn = (text: string): string => CUT.slice(0, CUT.indexOf(text) + text.length)
  const from = (text: string): string => whole.slice(whole.indexOf(text))
  const cases: Array<[name: string, before: string, more: string, joined: string | null]> = [
    ['a short line that opens a block', CUT, `    else:\n${AFTER}`, whole],
    ['the same without its blanks', CUT, `else:\n${AFTER}`, whole],
    ['a line earlier', CUT, from('        return open'), whole],
    ['the blanks of the first line got lost', CUT, AFTER.trimStart(), whole],
    ['the same at the end of the cut line', `${CUT}    `.trimEnd() + '\n', AFTER.slice(4), whole],
    ['a sentence and the fence', CUT, `Sorry, continuing from where I left off:\n\n${F}python\n${AFTER}`, whole],
    ['a sentence and a bare fence', CUT, `Sorry, continuing from where I left off:\n\n${F}\n${AFTER}`, whole],
    ['a sentence and a fence of another name', CUT, `Continuing:\n\n${F}py\n${AFTER}`, whole],
    ['a sentence, the name, the fence', CUT, `Here is the rest:\n\napp.py\n${F}python\n${AFTER}`, whole],
    ['a sentence alone', CUT, `Sorry, continuing from where I left off:\n\n${AFTER}`, whole],
    ['a sentence alone, in Russian', CUT, `Продолжаю с того же места:\n\n${AFTER}`, whole],
    ['a sentence, then some lines again', CUT, `I'll continue:\n\n${from('        return open')}`, whole],
    ['a word earlier', cutIn('open(pat'), from('open(path)'), whole],
    ['the word that was cut', cutIn('load(path'), from('path):'), whole],
    ['the whole file without its fence', CUT, from('import os'), whole],
    ['the whole reply', CUT, whole, whole],
    ['a closing brace less deep', BRACES, `}\n${F}\n`, `${BRACES}}\n${F}\n`],
    ['the same closing brace: nobody can tell', BRACES, `  }\n}\n${F}\n`, null],
    ['half a name begun anew: nobody can tell', 'Now b.', `b.py\n${F}\n1\n${F}\n`, `Now b.b.py\n${F}\n1\n${F}\n`],
    ['half a name on its line', 'b.', `b.py\n${F}\n1\n${F}\n`, null],
    ['a sentence in a text', `a.md\n${F}md\n# A\n`, `Continuing where I left off:\n\nMore\n${F}\n`, null],
    ['blanks that nobody knows', `a.py\n${F}python\nif x:\n`, `y()\n${F}\n`, null],
    ['a dedent that may be lost blanks', cutIn('.read()\n'), `x = 1\n    y = 2\n${F}\n`, null],
  ]
  for (const [name, before, more, joined] of cases) t.equal(joinReply(before, more, { isLast: true }), joined, name)
})

test('a short line at the cut is not doubled', async t => {
  const js = `a.js\n${F}js\nfunction a() {\n  if (x) {\n    y()\n  }\n`
  const nested = `a.js\n${F}js\nfunction a() {\n  if (x) {\n    b({\n      c,\n    })\n`
  const rest = `  return 1\n}\n${F}\n`
  const cases: Array<[name: string, before: string, more: string, joined: string | null]> = [
    ['behind the fence once more', CUT, `${F}python\n    else:\n${AFTER}`, CUT + AFTER],
    ['behind a sentence and the fence', CUT, `Continuing:\n\n${F}python\n    else:\n${AFTER}`, CUT + AFTER],
    ['a closing line behind the fence', js, `${F}js\n  }\n${rest}`, null],
    ['the line before, and half of this one', `${js}  retu`, `  }\n${rest}`, js + rest],
    ['two lines that say little', js, `    y()\n  }\n${rest}`, null],
    ['two lines that come a third time', `a.json\n${F}json\n[\n1,\n2,\n1,\n2,\n`, `1,\n2\n]\n${F}\n`, ''],
    ['a closing line without its blanks', nested, `})\n  }\n}\n${F}\n`, null],
    ['a closing line that closes the outermost', js, `}\n${F}\n`, ''],
    ['another line that says as much', js, `  z()\n}\n${F}\n`, ''],
  ]
  for (const [name, before, more, joined] of cases) {
    t.equal(joinReply(before, more, { isLast: true }), joined === '' ? before + more : joined, name)
  }
})

test('blanks that a server stripped from a continuation are not lost without a word', async t => {
  const cutPython = CUT.slice(0, CUT.indexOf('    else'))
  const yaml = `a.yml\n${F}yaml\njobs:\n  x:\n    steps:\n      - run: a\n`
  const make = `Makefile\n${F}makefile\nall: x\n\tcc -c x.c\n`
  const cases: Array<[name: string, before: string, more: string, goesOn: boolean]> = [
    ['a statement of a function', cutPython, `return None\n\n\ndef save():\n    pass\n${F}\n`, false],
    ['a definition behind a function', cutPython, `def save():\n    pass\n${F}\n`, true],
    ['an item of a list in YAML', yaml, `- run: b\n${F}\n`, false],
    ['a key of YAML that holds a deeper one', yaml, `y:\n    steps:\n      - run: b\n${F}\n`, false],
    ['a key of YAML at the margin', yaml, `on:\n  push:\n${F}\n`, true],
    ['an item at the margin of YAML', `a.yml\n${F}yaml\n- a:\n    b: 1\n`, `- a:\n    b: 2\n${F}\n`, true],
    ['a command of a Makefile', make, `cc -o x x.o\n${F}\n`, false],
    ['a target of a Makefile', make, `clean:\n\trm x\n${F}\n`, true],
    ['a line end behind a statement', `a.js\n${F}js\nload(a)`, `save(a)\n${F}\n`, false],
    ['the rest of a statement', `a.js\n${F}js\nload(a)`, `.then(save)\n${F}\n`, true],
    ['words behind brackets in prose', 'See load(a)', 's and more.\n', true],
  ]
  for (const [name, before, more, goesOn] of cases) {
    t.equal(joinReply(before, more, { isLast: true }), goesOn ? before + more : null, name)
  }
})

test('what models put in front of a continuation changes nothing, wherever the reply is cut behind a line', async t => {
  const whole = CUT + AFTER
  for (const sentence of [
    'Sorry, continuing from where I left off:',
    "Here's the rest of the code:",
    'Weiter geht es:',
  ]) {
    for (const opening of ['', `${F}python\n`, `${F}\n`, `app.py\n${F}python\n`]) {
      const wrong = cutsOf(whole).filter(at => {
        const isBehindLine = at > HEAD.length && whole[at - 1] === '\n' && at < whole.lastIndexOf(F)
        const joined = joinReply(whole.slice(0, at), `${sentence}\n\n${opening}${whole.slice(at)}`, { isLast: true })
        return isBehindLine && joined !== whole
      })
      t.same(
        wrong.map(at => near(whole, at)),
        [],
        `${sentence} ${opening}`,
      )
    }
  }
})
