import { test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

test('POST /parse gives exceptions and frames without any project', async t => {
  const { app } = await buildApp(t)
  const res = await app.inject({ method: 'POST', url: '/parse', body: { stacktrace: SHOP_TRACE } })
  t.equal(res.statusCode, 200, res.body)
  t.same(res.json(), {
    exceptions: [
      {
        index: 0,
        type: 'ZeroDivisionError',
        message: 'division by zero',
        language: 'python',
        relation: 'root',
        fingerprint: null,
        count: 1,
        chain: 0,
      },
    ],
    frames: [
      ['cart', 9, 'summary'],
      ['prices', 6, 'average'],
    ].map(([module, line, name], index) => ({
      index,
      exception: 0,
      raw: `File "/app/shop/${module}.py", line ${line}, in ${name}`,
      file: `/app/shop/${module}.py`,
      line,
      column: null,
      function: name,
      repeat: 1,
      in_project: false,
      repository: null,
      path: null,
      code_line: null,
      match: 'none',
      why: 'no project was asked',
      candidates: [],
    })),
    frames_total: 2,
  })
  t.same((await app.inject({ method: 'POST', url: '/parse', body: { stacktrace: 'nothing to see' } })).json(), {
    exceptions: [],
    frames: [],
    frames_total: 0,
  })
  t.match((await app.inject({ method: 'POST', url: '/parse', body: { stacktrace: 'x', project_name: 'a' } })).json(), {
    code: 'VALIDATION_FAILED',
  })
  t.equal(
    (await app.inject({ method: 'POST', url: '/parse', body: { stacktrace: 'x'.repeat(11_000_000) } })).statusCode,
    413,
  )
})
