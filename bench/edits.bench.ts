import { applyEdits } from '../src/edits/apply/apply-edits.ts'
import { readReply } from '../src/edits/read/read-reply.ts'
import { readAsked } from '../src/edits/parts/asked.ts'
import { languageOf } from '../src/indexer/languages.ts'
import { outlineOf } from '../src/outline/outline.ts'
import { unifiedDiff } from '../src/edits/write/unified-diff.ts'

/**
 * What reading and applying replies costs, honest and hostile, and how it grows. Run by hand: `node
 * bench/edits.bench.ts [words of a row's name]`; ends with 1 when anything is over its bar or grows faster than its
 * size.
 */
const LINES = 20_000
const HUNKS = 40
/** Twice the size may take this many times as long: caches and the collector of garbage make it more than 2. */
const MAX_GROWTH = 3
/** What takes less says nothing about growth. */
const MIN_GROWN_MS = 150

type Reply = [file: string, reply: string]

const rules = {
  outline: (path: string, text: string) => outlineOf(text, languageOf(path) ?? ''),
  asked: readAsked('Make it faster'),
}

let failed = false
const wanted = process.argv[2] ?? ''

function take([file, reply]: Reply): { ms: number; told: string } {
  const files = new Map([['big.py', file]])
  const started = process.cpuUsage() // of this process: others use the machine, too
  const { changed, applied, rejected } = applyEdits(files, readReply(reply), { rules })
  const { user, system } = process.cpuUsage(started)
  return {
    ms: (user + system) / 1000,
    told: `${changed.size} files, ${applied.length} applied, ${rejected.length} rejected`,
  }
}

/** The least of three: the first one finds nothing compiled, and garbage is collected when it is. */
function least(reply: Reply): { ms: number; told: string } {
  return [take(reply), take(reply), take(reply)].reduce((best, own) => (own.ms < best.ms ? own : best))
}

function bar(name: string, limitMs: number, reply: Reply): void {
  if (!name.includes(wanted)) return
  const { ms, told } = least(reply)
  const isOver = ms > limitMs
  failed ||= isOver
  console.log(`${isOver ? 'OVER ' : ''}${name}: ${Math.round(ms)} ms of ${limitMs}, ${told}`)
}

function lineAt(i: number): string {
  if (i % 10 === 0) return ''
  return i % 5 === 0 ? '    }' : `    value_${i} = compute(${i % 97})`
}

const linesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => lineAt(i))
const lines = linesOf(LINES)
const text = `${lines.join('\n')}\n`

/** The patch between the long file and another version of it. */
function patchBar(name: string, limitMs: number, other: string): void {
  if (!name.includes(wanted)) return
  const started = process.cpuUsage()
  const patch = unifiedDiff(new Map([['big.py', text]]), new Map([['big.py', other]]))
  const { user, system } = process.cpuUsage(started)
  const ms = (user + system) / 1000
  failed ||= ms > limitMs
  console.log(
    `${ms > limitMs ? 'OVER ' : ''}${name}: ${Math.round(ms)} ms of ${limitMs}, ` +
      `${patch.match(/^@@/gm)?.length ?? 0} hunks, ${patch.length} characters`,
  )
}

function growth(name: string, size: number, of: (size: number) => Reply): void {
  if (!name.includes(wanted)) return
  const half = least(of(size / 2))
  const whole = least(of(size))
  const grows = whole.ms > MIN_GROWN_MS && whole.ms > MAX_GROWTH * half.ms
  failed ||= grows
  console.log(
    `${grows ? 'GROWS ' : ''}${name}: ${Math.round(half.ms)} ms, twice of it ${Math.round(whole.ms)} ms, ${whole.told}`,
  )
}

const hunks = Array.from({ length: HUNKS }, (_, k) => {
  const at = 300 + k * 450
  const old = lines.slice(at, at + 7)
  return (
    `@@ -${at + 200},7 +${at + 200},7 @@\n` +
    `${old.map((line, i) => (i === 3 ? `-${line}\n+${line} # seen` : ` ${line}`)).join('\n')}\n`
  )
}).join('')
const wrapped = (body: string): string => `\`\`\`diff\n--- a/big.py\n+++ b/big.py\n${body}\`\`\`\n`
const repeated = (piece: string, chars: number): string => piece.repeat(chars / piece.length)

bar(`${LINES} lines, ${HUNKS} wrongly numbered hunks`, 200, [text, wrapped(hunks)])
bar(`${LINES} lines, ${HUNKS} hunks that are not there`, 200, [text, wrapped(hunks.replaceAll('compute', 'computed'))])
bar('5 MB of prose', 300, [text, repeated('Some words that say nothing, `code` among them.\n\n', 5e6)])
bar('5 MB of one line', 300, [text, repeated('x', 5e6)])
bar('5 MB of blanks', 300, [text, repeated(' ', 5e6)])

for (const piece of [
  '```\n',
  '```md\n',
  '~~~a\n````\n',
  '--- a/x\n',
  '--- a/x\n+++ b/x\n',
  '@@\n',
  '@@ -1 +1 @@\n',
  'diff --git a/x b/x\n',
  '`a.py`:\n',
  '**`',
  '<think>',
  '<think>\n',
  '</think>\n',
  '<think></think>',
  '-x\n',
  '\n',
  '...\n',
  '[a](',
  '(',
  '"',
  '&lt;',
  '<<<<<<< SEARCH\n',
  '*** Begin Patch\n',
  '\\ No newline at end of file\n',
  'a.py\n```\nx\n```\n',
  'In `big.py`:\n```\nx\n```\n',
]) {
  growth(`5 MB of ${JSON.stringify(piece)}`, 5e6, chars => [text, repeated(piece, chars)])
  growth(`1 MB of ${JSON.stringify(piece)} in a hunk`, 1e6, chars => [
    text,
    wrapped(`@@ -1,9 +1,9 @@\n ${repeated(piece, chars)}\n`),
  ])
}

const functions = (count: number, body: string): string =>
  Array.from({ length: count }, (_, i) => `def f${i}(x):\n    ${body}\n    return x + ${i}\n`).join('\n\n')
const block = (body: string): string => `big.py\n\`\`\`python\n${body}\`\`\`\n`

bar('one function of 4,000', 300, [functions(4_000, 'y = 1'), block('def f7(x):\n    return x\n')])
bar('200 functions of 4,000', 600, [functions(4_000, 'y = 1'), block(functions(200, 'y = 2'))])
bar('3,999 functions of 4,000', 600, [functions(4_000, 'y = 1'), block(functions(3_999, 'y = 2'))])
growth('functions under other names', 8_000, size => [
  functions(size, 'y = 1'),
  block(functions(size, 'y = 2').replaceAll('def f', 'def g')),
])
growth('a part of a long file again and again', 400, size => [
  functions(4_000, 'y = 1'),
  Array.from({ length: size }, (_, i) => block(`def f${i}(x):\n    return x\n`)).join('\n'),
])
growth('lines of no function in a part', 4_000, size => [
  functions(4_000, 'y = 1'),
  block(Array.from({ length: size }, (_, i) => `def f${i}(x):\n    return x\n\nprint(${i})\n`).join('\n')),
])

const many = (count: number, hunk: (i: number) => string): string =>
  wrapped(Array.from({ length: count }, (_, i) => hunk(i)).join(''))
growth('hunks that fit everywhere, all alike', 20_000, size => [
  'x\n'.repeat(size),
  many(size, () => '@@ -1,2 +1,2 @@\n x\n-x\n+y\n'),
])
growth('hunks that fit everywhere, all different', 20_000, size => [
  'x\n'.repeat(size),
  many(size, i => `@@\n x\n-x\n+y${i}\n`),
])
growth('hunks that fit everywhere, with another indentation', 20_000, size => [
  '  x\n'.repeat(size),
  many(size, i => `@@\n x\n-x\n+y${i}\n`),
])
growth('hunks of different length that fit everywhere', 160_000, size => [
  'x\n'.repeat(size / 8),
  many(Math.floor(Math.sqrt(size)), i => `@@\n${' x\n'.repeat(i)}-x\n+y\n`),
])
growth('one hunk of lines that are all the same', 300_000, size => [
  'x\n'.repeat(size),
  wrapped(`@@\n${'-x\n'.repeat(size / 2)}`),
])
growth('hunks that are not there, between others that are', 4000, size => [
  `${linesOf(size).join('\n')}\n`,
  many(size, i => (i % 2 === 0 ? `@@\n-${lineAt(i % LINES)}\n+new_${i}\n` : `@@\n-    gone_${i}\n+x\n`)),
])
growth('hunks that build on each other', 4000, size => [
  `${linesOf(size).join('\n')}\n`,
  many(size, i => `@@\n-${i === 0 ? lineAt(1) : `new_${i - 1}`}\n+new_${i}\n`),
])
growth('insertions at one place', 20_000, size => [
  `${linesOf(size).join('\n')}\n`,
  many(size, i => `@@ -1,0 +1 @@\n+new_${i}\n`),
])
growth('fences in a hunk that counts them', 200_000, size => [
  text,
  wrapped(`@@ -1,${size} +1,${size} @@\n${'```\n'.repeat(size)}`),
])
growth('deletions of files that are not there', 20_000, size => [
  text,
  Array.from({ length: size }, (_, i) => `--- a/d${i}/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`).join(''),
])
growth('a file made again and again', 20_000, size => [
  text,
  Array.from({ length: size }, () => '--- /dev/null\n+++ b/big.py\n@@ -0,0 +1 @@\n+x\n').join(''),
])
growth('renames of one file', 4000, size => [
  text,
  Array.from(
    { length: size },
    (_, i) => `diff --git a/x${i} b/x${i + 1}\nrename from ${i === 0 ? 'big.py' : `x${i}`}\nrename to x${i + 1}\n`,
  ).join(''),
])

growth('copies of one file', 4000, size => [
  text,
  Array.from({ length: size }, (_, i) => `diff --git a/big.py b/x${i}\ncopy from big.py\ncopy to x${i}\n`).join(''),
])
growth('renames of one file with a hunk each', 4000, size => [
  text,
  Array.from(
    { length: size },
    (_, i) =>
      `diff --git a/x${i} b/x${i + 1}\nrename from ${i === 0 ? 'big.py' : `x${i}`}\nrename to x${i + 1}\n@@ -2,0 ` +
      `+3 @@\n+new_${i}\n`,
  ).join(''),
])
growth('a hunk and a new version in turn', 4000, size => [
  text,
  Array.from(
    { length: size },
    (_, i) =>
      `--- a/big.py\n+++ b/big.py\n@@ -${i + 2},0 +3 @@\n+new_${i}\n--- /dev/null\n+++ b/big.py\n@@ -0,0 +1 @@\n+x\n`,
  ).join(''),
])

for (const [name, other] of [
  ['all of them rewritten', text.replaceAll('\n', ' # new\n')],
  [
    '1500 of them moved',
    [...lines.slice(1500, 10_000), ...lines.slice(0, 1500), ...lines.slice(10_000), ''].join('\n'),
  ],
  ['all of them the other way round', [...lines.toReversed(), ''].join('\n')],
] as const) {
  patchBar(`${LINES} lines as a patch, ${name}`, 500, other)
}

process.exitCode = failed ? 1 : 0
