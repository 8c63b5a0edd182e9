import { applyEdits } from '../src/edits/apply-edits.ts'
import { readReply } from '../src/edits/read-reply.ts'

/** What reading and applying replies costs, honest and hostile. Run by hand: `node bench/edits.bench.ts`. */
const LINES = 20_000
const HUNKS = 40

function measure (name: string, run: () => string): void {
  run()
  const started = performance.now()
  const told = run()
  console.log(`${name}: ${Math.round(performance.now() - started)} ms${told === '' ? '' : `, ${told}`}`)
}

const apply = (text: string, reply: string): string => {
  const { changed, applied, rejected } = applyEdits(new Map([['big.py', text]]), readReply(reply))
  return `${changed.size} files, ${applied.length} applied, ${rejected.length} rejected`
}

const lines = Array.from({ length: LINES }, (_, i) => i % 10 === 0 ? '' : i % 5 === 0 ? '    }' : `    value_${i} = compute(${i % 97})`)
const text = `${lines.join('\n')}\n`
const hunks = Array.from({ length: HUNKS }, (_, k) => {
  const at = 300 + k * 450
  const old = lines.slice(at, at + 7)
  return `@@ -${at + 200},7 +${at + 200},7 @@\n${old.map((line, i) => i === 3 ? `-${line}\n+${line} # seen` : ` ${line}`).join('\n')}\n`
}).join('')
const wrapped = (body: string): string => `\`\`\`diff\n--- a/big.py\n+++ b/big.py\n${body}\`\`\`\n`

measure(`${LINES} lines, ${HUNKS} wrongly numbered hunks`, () => apply(text, wrapped(hunks)))
measure(`${LINES} lines, ${HUNKS} hunks that are not there`, () => apply(text, wrapped(hunks.replaceAll('compute', 'computed'))))
measure('5 MB of prose', () => apply(text, 'Some words that say nothing, `code` among them.\n\n'.repeat(105_000)))
measure('5 MB of one line', () => apply(text, 'x'.repeat(5_000_000)))
measure('5 MB of blanks', () => apply(text, ' '.repeat(5_000_000)))
for (const piece of ['```\n', '```md\n', '~~~a\n````\n', '--- a/x\n+++ b/x\n', '@@ -1 +1 @@\n', '`a.py`:\n', '**`', '<think>', '</think>\n', '-x\n', '\n', '...\n', '[a](', '(', '"', '&lt;']) {
  measure(`1 MB of ${JSON.stringify(piece)}`, () => apply(text, piece.repeat(1_000_000 / piece.length)))
  measure(`1 MB of ${JSON.stringify(piece)} in a hunk`, () => apply(text, wrapped(`@@ -1,9 +1,9 @@\n ${piece.repeat(1_000_000 / piece.length)}\n`)))
}
measure('20,000 hunks that fit everywhere', () => apply('x\n'.repeat(LINES), wrapped('@@ -1,2 +1,2 @@\n x\n-x\n+y\n'.repeat(20_000))))
