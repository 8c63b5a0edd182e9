import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { createGitRepository, type TestFiles } from '../helpers/git-repository.ts'

const WIDE = `table = [${Array.from({ length: 300 }, (_, at) => `'value number ${at}'`).join(', ')}]\n`

const REPOSITORIES: Record<string, TestFiles> = {
  api: {
    'src/main.hs': 'average :: [Int] -> Int\naverage xs = sum xs `div` length xs\n',
    'src/same.js': '// api\n',
    'lib/mean.pl': '# the mean is below\nsub mean {\n  return 0;\n}\n',
  },
  web: {
    'src/wide.py': WIDE,
    'src/same.js': '// web\n',
    'src/app.js': 'function total () {\n  return average()\n}\n',
  },
}

test('questions about the code of a project of several repositories', async t => {
  const built = await buildApp(t)
  for (const [name, files] of Object.entries(REPOSITORIES)) {
    const { dir } = createGitRepository(join(built.reposDir, `${name}.git`), { files })
    await cloneInto(t, built, { url: dir, project_name: 'shop' })
  }
  const ask = async (question: string, body: object) => {
    const res = await built.app.inject({ method: 'POST', url: `/projects/SHOP/code/${question}`, body })
    return { status: res.statusCode, body: res.json() }
  }
  t.match(await ask('read', { path: 'src/same.js' }), { status: 200, body: { repository: 'api', text: '// api' } })
  t.match(await ask('read', { path: 'src/same.js', repository: 'web' }), { body: { text: '// web' } })
  t.match(await ask('read', { path: 'src/app.js', repository: 'api' }), {
    status: 404,
    body: { code: 'FILE_NOT_FOUND' },
  })
  t.match(await ask('read', { path: 'src/app.js', repository: 'none' }), { status: 404, body: { fix: /api, web/ } })

  const wide = (await ask('read', { path: 'src/wide.py', max_tokens: 100 })).body
  t.match(wide, { start_line: 1, end_line: 1, next_line: null, notice: /Line 1 is longer than max_tokens allows/ })
  t.ok(wide.tokens < 200 && WIDE.startsWith(wide.text), `${wide.tokens} tokens`)

  const found = (await ask('references', { name: 'average', limit: 1 })).body
  t.match(found, { data: [{ repository: 'api', path: 'src/main.hs' }], next_offset: 1, complete: true })
  const web = (await ask('references', { name: 'average', repository: 'web' })).body
  t.match(web, { total: 1, data: [{ path: 'src/app.js', line: 2, scope: 'total', is_definition: false }] })
  t.match(await ask('definitions', { name: 'total', path: 'src/app.js' }), {
    body: { data: [{ kind: 'function', start_line: 1, end_line: 3, code: /^function total/, code_end_line: 3 }] },
  })
  const byLook = { data: [{ kind: null, path: 'lib/mean.pl', start_line: 2 }], total: 1 }
  t.match(await ask('definitions', { name: 'mean' }), { status: 200, body: byLook }, 'no scanner knows the language')
  t.match(await ask('definitions', { name: 'total', path: 'src/nothing/' }), { status: 404 })
  t.match(await ask('search', { query: '"average()"' }), { body: { total: 1, data: [{ path: 'src/app.js' }] } })
  t.match(await ask('history', { path: 'src/app.js', start_line: 1, end_line: 3 }), { status: 200 })
  for (const [question, body] of Object.entries({
    search: { query: ' ' },
    read: { path: '' },
    definitions: { name: 'x', limit: 0 },
    references: { name: 'x', surprise: 1 },
    history: { path: 'src/app.js' },
  })) {
    t.match(await ask(question, body), { status: 400, body: { code: 'VALIDATION_FAILED' } }, question)
  }
  t.match((await built.app.inject({ method: 'POST', url: '/projects/none/code/read', body: { path: 'x' } })).json(), {
    code: 'PROJECT_NOT_FOUND',
  })
})
