import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { test } from 'tap'
import { demoPicture } from '../../scripts/pages/demo-picture.ts'
import { excerptIn, withExcerpt } from '../../scripts/pages/readme-demo.ts'
import { troubleshootingPage } from '../../scripts/pages/troubleshooting.ts'
import { CLI_CODE_HELP } from '../../src/cli/cli-codes.ts'
import { ERROR_CODES } from '../../src/core/errors.ts'
import { ERROR_HELP, ERROR_TOPICS } from '../../src/core/error-help.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

test('docs/troubleshooting.md is what "npm run pages" makes of the tables', async t => {
  const file = join(ROOT, 'docs', 'troubleshooting.md')
  const made = await format(troubleshootingPage(), { ...(await resolveConfig(file)), filepath: file })
  t.equal(read('docs/troubleshooting.md'), made, 'run npm run pages')
})

test('each code has its place on the page, once, below a topic', async t => {
  const page = read('docs/troubleshooting.md')
  for (const code of [...ERROR_CODES, ...Object.keys(CLI_CODE_HELP)]) {
    t.equal(page.split(`\n### \`${code}\`\n`).length, 2, code)
  }
  t.match(page, /### `TASK_NOT_FAILED`\n\nExit code 2\. /)
  for (const title of Object.values(ERROR_TOPICS)) t.ok(page.includes(`\n## ${title}\n`), title)
})

test('cause and cure are plain sentences, and the cure says what to do', async t => {
  for (const [code, { cause, cure }] of Object.entries({ ...ERROR_HELP, ...CLI_CODE_HELP })) {
    for (const text of [cause, cure]) {
      t.match(text, /^["A-Z].{10,}[.…]$/, `${code}: ${text}`)
      t.ok(text.length <= 220, `${code} is short enough to read`)
    }
    t.not(cause, cure, code)
  }
})

test('each code that the command line makes up is explained', async t => {
  const folder = join(ROOT, 'src', 'cli')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
  const made = sources.flatMap(name =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/new CliError\(\s*'([A-Z_]+)'|\bcode: '([A-Z_]{5,})'/g)].map(
      ([, thrown, named]) => thrown ?? named ?? '',
    ),
  )
  t.ok(made.includes('USAGE') && made.includes('REPLY_NEEDED'))
  const known = new Set<string>([...ERROR_CODES, ...Object.keys(CLI_CODE_HELP)])
  t.same(
    [...new Set(made)].filter(code => !known.has(code)),
    [],
  )
})

test('docs/demo.svg is the picture of the text in the README', async t => {
  t.equal(read('docs/demo.svg'), demoPicture(excerptIn(read('README.md'))), 'run npm run pages')
})

test('a picture shows each line, escaped, the failing ones marked, and has a dark side', async t => {
  const svg = demoPicture('$ a <b> & c\n\n>>>  13 |   x\n      2 | y')
  t.match(svg, /<tspan class="command">\$ a &lt;b&gt; &amp; c<\/tspan>/)
  t.match(svg, /<rect class="mark"[^>]*\/>\n<text [^>]*><tspan class="failing">&gt;&gt;&gt; {2}13/)
  t.equal(svg.split('<text ').length - 1, 3, 'an empty line is no text')
  t.match(svg, /@media \(prefers-color-scheme: dark\)/)
  t.match(svg, /<title>[^<]{20,}<\/title>/)
})

test('a page without a place for the demo is refused', async t => {
  t.throws(() => withExcerpt('# Faultline\n', 'x'), /no place/)
})
