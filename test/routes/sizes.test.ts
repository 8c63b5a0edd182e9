import { test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'

const LIMIT = 10 * 1024 * 1024

test('a stack trace over 10 MiB is 413, counted in bytes, as JSON and as text/plain', async t => {
  const { app } = await buildApp(t)
  const asJson = (stacktrace: string) =>
    app.inject({ method: 'POST', url: '/resolve', body: { stacktrace, project_name: 'nope' } })
  const asText = (stacktrace: string) =>
    app.inject({
      method: 'POST',
      url: '/resolve?project_name=nope',
      headers: { 'content-type': 'text/plain' },
      payload: stacktrace,
    })
  for (const [kind, post] of [
    ['JSON', asJson],
    ['text/plain', asText],
  ] as const) {
    t.match(
      (await post('x'.repeat(LIMIT))).json(),
      { status: 404, code: 'PROJECT_NOT_FOUND' },
      `${kind}: as much as is allowed`,
    )
    t.match(
      (await post('x'.repeat(LIMIT + 1))).json(),
      { status: 413, code: 'PAYLOAD_TOO_LARGE', fix: String },
      `${kind}: a byte too many`,
    )
    t.match(
      (await post('é'.repeat(LIMIT / 2 + 1))).json(),
      { status: 413, code: 'PAYLOAD_TOO_LARGE' },
      `${kind}: two bytes a letter`,
    )
    t.match(
      (await post('x'.repeat(17 * 1024 * 1024))).json(),
      { status: 413, code: 'PAYLOAD_TOO_LARGE' },
      `${kind}: more than any body`,
    )
  }
})
