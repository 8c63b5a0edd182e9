import { test } from 'tap'
import { cloneShopFor, startNodes } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { projectOf } from '../helpers/project-of.ts'

const KEY = 'ada-key-0123456789-0123456789'

const tokenOf = (markup: string): string => /name="_csrf" value="([^"]*)"/.exec(markup)?.[1] ?? ''

test(
  'pages of two nodes are as those of one: their forms hold, whichever made them',
  { skip: noPostgres(ANY_VERSION) },
  async t => {
    const server = await startPostgres()
    t.teardown(() => server.close())
    const project = projectOf('two')
    const from = await cloneShopFor(t, [project])
    const env = { API_KEYS: `ada:${KEY}:write` }
    const [one] = await startNodes(t, server, { one: { from, env }, two: { from, env } })
    if (one === undefined) throw new Error('no node')
    const jar = new Map<string, string>()
    const ask = async (url: string, form?: Record<string, string>) => {
      const res = await one.app.inject({
        method: form === undefined ? 'GET' : 'POST',
        url,
        headers: {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        body: form === undefined ? undefined : new URLSearchParams(form).toString(),
      })
      for (const { name, value } of res.cookies) jar.set(name, value)
      return res
    }
    const signIn = await ask('/ui/sign-in')
    await ask('/ui/sign-in', { _csrf: tokenOf(signIn.body), key: KEY })
    const here = await ask('/ui')
    const secret = jar.get('_csrf')
    const there = await ask(`/ui/projects/${project}`)
    t.equal(there.headers['x-faultline-node'], 'two', 'the other node makes the page')
    t.match(there.body, />ada</)
    t.equal(jar.get('_csrf'), secret)
    for (const { body } of [there, here]) {
      const trace =
        'Traceback (most recent call last):\n  File "src/shop/prices.py", line 2, in average\nValueError: x\n'
      const res = await ask('/ui/resolutions', { _csrf: tokenOf(body), project_name: project, stacktrace: trace })
      t.equal(res.statusCode, 303, res.body)
    }
  },
)
