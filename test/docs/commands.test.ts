import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { t, test } from 'tap'
import { blocksOf, commandsOf, docPages, isScript, pageCommands, type DocPage } from '../helpers/doc-pages.ts'
import { hasCommands, NOT_RUN, notRun, runPage } from '../helpers/doc-run.ts'
import { openDocWorld } from '../helpers/doc-world.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const isThere = (...path: string[]): boolean => existsSync(join(ROOT, ...path))
/** Scripts that a page gives to be saved, and the test that runs them. */
const SCRIPTS = new Map([['docs/ci.md', 'ci-snippet.test.ts']])
/** README.md sorts before docs/. */
const MIDDLE = 'docs/h'
const PAGE_TIMEOUT_MS = 600_000
t.setTimeout(PAGE_TIMEOUT_MS * 2)

const pages = docPages()
/** The others are run by more-commands.test.ts, so that neither file takes long. */
for (const page of pages.filter(({ path }) => path < MIDDLE)) {
  if (!hasCommands(page)) continue
  test(`each command of ${page.path} works as it stands`, { timeout: PAGE_TIMEOUT_MS }, async t => runPage(t, page))
}

test('what is not run says why, is still in a page, and is what it says', async t => {
  const all = pages.flatMap(pageCommands)
  for (const { command, why, check = () => true } of NOT_RUN) {
    const found = all.filter(({ text }) => command.test(text))
    t.ok(found.length > 0, `${command.source} is in a page`)
    t.ok(why.length > 10)
    for (const { text } of found) t.ok(check(text), text)
  }
})

test('scripts to be saved are read by the shell and run by a test of their own', async t => {
  const found = pages.flatMap(page =>
    blocksOf(page)
      .filter(isScript)
      .map(block => ({ page, block })),
  )
  t.same(new Set(found.map(({ page }) => page.path)), new Set(SCRIPTS.keys()))
  for (const { page, block } of found) {
    t.ok(isThere('test', 'docs', SCRIPTS.get(page.path) ?? ''), page.path)
    t.equal(spawnSync('bash', ['-n'], { input: block.text }).status, 0, page.path)
  }
})

test('a command that nobody knows fails, whatever block it is in', async t => {
  const page = (text: string): DocPage => ({ path: 'docs/x.md', text })
  const world = await openDocWorld(t, { keyed: false, cloned: false })
  const unknown = ['faultlin doctor', 'npx cowsay moo', 'npm audit', 'npx faultline reslove x', 'jq . x.json']
  for (const command of unknown) {
    const [found] = pageCommands(page(`\`\`\`sh\n${command}   # a remark\n\`\`\`\n`))
    t.equal(notRun(found?.text ?? ''), undefined, command)
    t.not((await world.run(found?.text ?? '')).exitCode, 0, command)
  }
  const wrong = [
    'curl -s http://127.0.0.1:8000/nope',
    'curl -s https://example.com/ | cat',
    'curl -s http://127.0.0.1:8000/clone -d "{}"',
  ]
  for (const command of wrong) t.not((await world.run(command)).exitCode, 0, command)
  t.throws(() => blocksOf(page('```console\n$ x\n```\n')), /unknown/)
  t.throws(() => blocksOf(page('```\nx\n```\n')), /unknown/)
  t.throws(() => blocksOf(page('```sh\nx\n')), /no end/)
  t.throws(() => blocksOf(page('Say:\n\n    npm start\n')), /outside of a block/)
  t.throws(() => commandsOf({ language: 'sh', text: 'echo "open\n', line: 1 }), /does not read/)
})

test('a session keeps variables, the folder and the id that was printed', async t => {
  const world = await openDocWorld(t, { keyed: false, cloned: false })
  await world.run("body='two words'; cd ..")
  t.match(await world.run('echo "$body" $(basename $PWD)'), { stdout: 'two words src\n' })
  await world.run('echo \'{"id": "job_1"}\'')
  t.match(await world.run('echo "$ID"'), { stdout: 'job_1\n' })
})

test('commands over several lines are one', async t => {
  const text = 'curl -s x \\\n  -d \'{"a":\n 1}\'   # why\n\n# a remark\nnpm test 2>&1 |\n  cat\nls\n'
  const commands = commandsOf({ language: 'sh', text, line: 10 })
  t.same(
    commands.map(({ line }) => line),
    [10, 15, 17],
  )
})

/** The heading of each section as GitHub makes an anchor of it. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) => title.toLowerCase())
  return new Set(headings.map(title => title.replace(/[^\w\s-]/g, '').replaceAll(' ', '-')))
}

test('links of the pages lead to files and headings that are there', async t => {
  for (const { path, text } of pages) {
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const place = file === '' ? path : join(dirname(path), file)
      t.ok(isThere(place), `${path}: ${target}`)
      if (anchor === undefined || !place.endsWith('.md')) continue
      t.ok(anchorsOf(readFileSync(join(ROOT, place), 'utf8')).has(anchor), `${path}: ${target}`)
    }
  }
})
