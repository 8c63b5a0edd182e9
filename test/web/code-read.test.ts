import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { sourcesPart } from '../../src/web/parts/trace.ts'
import { buildApp, cloneInto, listen, type TestApp } from '../helpers/build-app.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { createShop } from '../helpers/sample-repository.ts'

const frame = (file: string, line: number, name: string) => `  File "/srv/${file}", line ${line}, in ${name}\n`

async function pageOf({ app }: TestApp, stacktrace: string): Promise<string> {
  const body = { project_name: 'shop', stacktrace, mode: 'context' }
  const { id } = (await app.inject({ method: 'POST', url: '/resolve', body })).json()
  return (await app.inject(`/ui/resolutions/${id}`)).body
}

/** The text of marked lines. */
const markedIn = (markup: string): string[] =>
  [...markup.matchAll(/<mark>(.*?)<\/mark>/gs)].map(([, line = '']) => line.replaceAll(/<[^>]*>/g, '').trim())

test('a file that ends with a line feed has no line after it', async t => {
  const built = await buildApp(t)
  const files = { 'a.py': 'def fail():\n    raise KeyError\n' }
  const { dir } = createGitRepository(join(built.reposDir, 'shop.git'), { files })
  await cloneInto(t, built, { url: dir, project_name: 'shop' })
  const markup = await pageOf(built, `${frame('a.py', 2, 'fail')}KeyError: x\n`)
  const [code = ''] = /<pre class="code" .*?<\/pre>/s.exec(markup) ?? []
  t.same(code.match(/(?<=class="number">)\d+/g), ['1', '2'])
})

test('what is not committed is shown as it was indexed', async t => {
  const built = await buildApp(t)
  const dir = join(built.reposDir, 'shop')
  createGitRepository(dir, { files: { 'a.py': 'def fail():\n    raise ValueError\n' }, worktree: true })
  writeFileSync(join(dir, 'a.py'), '# new\n# newer\ndef fail():\n    raise KeyError\n')
  await cloneInto(t, built, { url: dir, project_name: 'shop', uncommitted: true })
  const markup = await pageOf(built, `${frame('a.py', 4, 'fail')}KeyError: x\n`)
  t.match(markedIn(markup), [/4▶\s+raise KeyError/])
})

test('each repository of a project is shown at its own commit', async t => {
  const built = await buildApp(t)
  for (const name of ['front', 'back']) {
    const files = { [`${name}.py`]: `def ${name}():\n    call_${name}()\n` }
    const { dir } = createGitRepository(join(built.reposDir, `${name}.git`), { files })
    await cloneInto(t, built, { url: dir, project_name: 'shop' })
  }
  const trace = `${frame('front.py', 2, 'front')}${frame('back.py', 2, 'back')}KeyError: x\n`
  t.match(markedIn(await pageOf(built, trace)).slice(0, 2), [/2▶\s+call_front/, /2▶\s+call_back/])
})

test('a file that the index does not take has no page, and a long one has several', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const long = (line: (i: number) => string) => Array.from({ length: 4_000 }, (_, i) => `${line(i)}\n`).join('')
  const commit = shop.commit({
    'long.py': long(i => `value_${i} = make_value(${i})`),
    'short.py': long(i => `x${i}`),
    'wide.ts': long(i => `export const value${i} = (a: number, b: string) => a < ${i} && b !== "it's ${i}" // more`),
    '.env': 'KEY=secret-of-the-shop\n',
  })
  await cloneInto(t, built, { url: shop.dir, project_name: 'shop' })
  const files = `/ui/projects/shop/files/shop/${commit}`
  for (const path of ['.env', 'none.py', '..%2f..%2fpackage.json']) {
    const { statusCode, body } = await built.app.inject(`${files}/${path}`)
    t.equal(statusCode === 404 || statusCode === 400 || statusCode === 422, true, `${path}: ${statusCode}`)
    t.notMatch(body, 'secret-of-the-shop')
  }
  for (const name of ['long.py', 'short.py', 'wide.ts']) {
    const numbers: number[] = []
    for (let from = 1; from > 0;) {
      const { body } = await built.app.inject(`${files}/${name}?from=${from}`)
      t.ok(body.length < 150_000, `${name} from ${from}: ${body.length} bytes`)
      numbers.push(...Array.from(body.matchAll(/ id="L(\d+)"/g), ([, number]) => Number(number)))
      from = Number(/\?from=(\d+)">Go on/.exec(body)?.[1] ?? 0)
    }
    const whole = Array.from({ length: 4_000 }, (_, at) => at + 1)
    t.same(numbers, whole, `${name} is whole`)
  }
})

test('a settings form changes what was changed in it, and keeps the lines of a command', async t => {
  const built = await buildProject(t, { 'a.py': 'x = 1\n' }, [])
  const { app } = built
  const change = (body: object) => app.inject({ method: 'PATCH', url: '/projects/shop', body })
  await change({ checks: { test: 'npm ci\nnpm test' }, in_app_exclude: ['a/**'] })
  const page = (await app.inject('/ui/projects/shop')).body
  const shown = /name="shown" value="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const { checks } = JSON.parse(shown) as { checks: { test: string } }
  await change({ in_app_exclude: ['b/**'] }) // by somebody else
  const save = (fields: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/ui/projects/shop/settings',
      headers: { authorization: 'Bearer x' },
      body: { _csrf: '', shown, check_test: checks.test, in_app_exclude: 'a/**', ci_comments: 'yes', ...fields },
    })
  t.equal((await save({ sync: '2h' })).statusCode, 303)
  t.match((await app.inject('/projects/shop')).json(), {
    sync: { every: '2h' },
    in_app_exclude: ['b/**'],
    checks: { test: 'npm ci\nnpm test' },
  })
  t.match((await save({})).body, 'No setting was changed.')
})

test('who comes again is not sent the question that the page has, and may be answering', async t => {
  const diff = '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n```\n'
  const built = await buildProject(t, { 'a.py': 'x = 1\n' }, [{ text: diff }])
  const { id } = (await built.post('/improve', { prompt: 'Two', project_name: 'shop', select: ['*.py'] })).json()
  const url = await listen(t, built)
  const page = (await built.app.inject(`/ui/jobs/${id}`)).body
  const live = /hx-sse:connect="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  async function firstMessage(headers: Record<string, string>, path = live): Promise<string> {
    const hangUp = new AbortController()
    const answer = await fetch(`${url}${path}`, {
      headers: { accept: 'text/html, text/event-stream', ...headers },
      signal: hangUp.signal,
    })
    let text = ''
    for await (const bytes of answer.body ?? []) {
      text += Buffer.from(bytes).toString()
      if (/^data: [^]*\n\n$/m.test(text)) break
    }
    hangUp.abort()
    return text
  }
  t.notMatch(await firstMessage({}), 'job-question')
  const early = await firstMessage({}, `/ui/jobs/${id}/live?asked=-`)
  t.match(early, 'job-question', 'a page that was made before the question gets it')
  const [, shown = ''] = /^id: (.*)$/m.exec(early) ?? []
  t.notMatch(await firstMessage({ 'last-event-id': shown }, `/ui/jobs/${id}/live?asked=-`), 'job-question')
})

test('a source of which a part is shown says where the rest is', async t => {
  const place = { repository: 'shop', path: 'rates.py', start_line: 11, end_line: 200, symbol: null }
  const source = { ...place, reason: 'lexical', why: 'shares words', score: 1 } as Parameters<typeof sourcesPart>[0][0]
  const shownWith = (count: number): string => {
    const code = { startLine: 11, lines: Array.from({ length: count }, () => 'x = 1'), marked: [] }
    return String(
      sourcesPart([source], { excerpts: new Map([[source, code]]), pagesOf: () => ({ file: null, forge: null }) }),
    )
  }
  t.match(shownWith(120), 'Lines 131 to 200 are in its file.')
  t.notMatch(shownWith(190), 'are in its file')
})
