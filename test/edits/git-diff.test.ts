import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'tap'
import { applyEdits } from '../../src/edits/apply-edits.ts'
import { readReply } from '../../src/edits/read-reply.ts'

const LINES = ['a', '  x', '\ty', '', '', '}', '- item', '+ item', '-- sql', '++ inc', '```', '```py', 'return 1', '    return x', '@@ foo', '# T', 'é“q”', ' ', '--- a/q', '+++ b/q', 'foo(bar)', 'x &lt; y', '12 | z', '\\section']
/** Lines that mean the same with and without a prefix. */
const PLAIN = LINES.filter(line => /^[\w# é}]/u.test(line) && line !== ' ')

const file = (words: string[]) => fc.tuple(fc.array(fc.tuple(fc.constantFrom(...words), fc.nat(40)), { maxLength: 24 }), fc.boolean())
  .map(([lines, ends]) => ({ lines: lines.map(([word, n]) => n < 12 ? word : `${word}${n}`), ends }))
const textOf = ({ lines, ends }: { lines: string[], ends: boolean }): string => lines.join('\n') + (ends && lines.length > 0 ? '\n' : '')

/** Two versions of a file: what is kept, changed, added and removed is drawn for each line. */
const versions = (words: string[]) => fc.tuple(file(words), fc.array(fc.tuple(fc.nat(11), fc.constantFrom(...words)), { minLength: 24, maxLength: 24 }), fc.boolean()).map(([before, choices, ends]) => {
  const lines = before.lines.flatMap((line, i) => {
    const [choice, word] = choices[i] ?? [9, '']
    return choice === 0 ? [] : choice === 1 ? [word] : choice === 2 ? [line, word] : [line]
  })
  return { before: textOf(before), after: textOf({ lines, ends }) }
})

type Wrap = (diff: string) => string

const fence: Wrap = diff => `Now:\n\`\`\`diff\n${diff}\`\`\`\nThat is all.\n`
const eachLine = (change: (line: string, i: number) => string): Wrap => diff => diff.split('\n').map((line, i) => i < 2 ? line : change(line, i)).join('\n')
const WRAPS: Record<string, Wrap> = {
  'as it is': diff => diff,
  'in a fence': fence,
  'between prose': diff => `Here it is:\n\n${diff}\nDone, as you wished.\n`,
  'with CRLF': diff => fence(diff).replaceAll('\n', '\r\n'),
  'sent twice': diff => `${fence(diff)}\n${fence(diff)}`,
  'with blank lines stripped': diff => fence(eachLine(line => line === ' ' ? '' : line)(diff)),
  'with wrong counts': diff => fence(eachLine(line => line.replace(/^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/, '@@ -$1,7 +$2,3 @@'))(diff)),
  'beside the diff of another file': diff => fence(`--- a/other\n+++ b/other\n@@ -1 +1 @@\n-old\n+new\n${diff}`),
}

test('the diff of git between two files gives the second one, however it is wrapped, or an error, never a third', async (t) => {
  const dir = t.testdir({})
  const diffOf = (before: string, after: string): string | null => {
    writeFileSync(join(dir, 'a'), before)
    writeFileSync(join(dir, 'b'), after)
    const { stdout } = spawnSync('git', ['diff', '--no-index', 'a', 'b'], { cwd: dir, encoding: 'utf8' })
    return stdout.includes('\n--- ') ? stdout.slice(stdout.indexOf('\n--- ') + 1).replace(/^--- .*\n\+\+\+ .*/, '--- a/src/f.txt\n+++ b/src/f.txt') : null
  }
  const run = (before: string, reply: string) => {
    const { changed, rejected } = applyEdits(new Map([['src/f.txt', before], ['other', 'old\n']]), readReply(reply))
    return { text: changed.get('src/f.txt') ?? before, rejected }
  }
  let accepted = 0
  fc.assert(fc.property(versions(LINES), fc.constantFrom(...Object.entries(WRAPS)), ({ before, after }, [name, wrap]) => {
    const diff = diffOf(before, after)
    if (diff === null) return
    const { text, rejected } = run(before, wrap(diff))
    if (rejected.length === 0 && text !== after) throw new Error(`${name}: a third file: ${JSON.stringify(text)}`)
    if (rejected.length > 0 && name !== 'with wrong counts') throw new Error(`${name}: refused: ${rejected[0]?.detail}`)
    accepted++
  }), { numRuns: 250 })
  t.ok(accepted > 100, `${accepted} were accepted`)

  fc.assert(fc.property(versions(PLAIN), fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), fc.integer({ min: -9, max: 9 }), ({ before, after }, lost, off) => {
    const diff = diffOf(before, after)
    if (diff === null) return
    const reply = fence(eachLine((line, i) => line.startsWith(' ') && lost[i] === true ? line.slice(1) : line)(diff))
    const { text, rejected } = run(before, reply)
    if (rejected.length === 0 && text !== after) throw new Error(`lost prefixes: a third file: ${JSON.stringify(text)}\n${reply}`)
    if (new Set(before.split('\n')).size < before.split('\n').length - 1) return
    const moved = run(before, fence(diff.replace(/^@@ -(\d+)/gm, (_, at: string) => `@@ -${Math.max(1, Number(at) + off)}`)))
    if (moved.rejected.length === 0 && moved.text !== after) throw new Error(`wrong numbers: a third file: ${JSON.stringify(moved.text)}`)
  }), { numRuns: 150 })
})
