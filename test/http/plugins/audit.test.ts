import { createHash } from 'node:crypto'
import fastify from 'fastify'
import { test } from 'tap'
import { ERROR_CODES, FaultlineError, type ErrorCode } from '../../../src/core/errors.ts'
import apiKeys from '../../../src/http/plugins/api-keys.ts'
import auditPlugin from '../../../src/http/plugins/audit.ts'
import forwarded from '../../../src/http/plugins/forwarded.ts'

const KEY = 'ann-has-a-key-of-some-length'

test('who was refused is noted with route and code, the project only of a known key, and other errors are not', async t => {
  const noted: object[] = []
  const app = fastify({ genReqId: () => 'r1' })
  t.teardown(() => app.close())
  const audit = { refused: async (by: object, refusal: object) => noted.push({ ...by, ...refusal }) }
  app.decorate('services', { audit, node: { cluster: null } } as never)
  await app.register(forwarded)
  const access = { mayWrite: true, projects: null }
  const sha256 = createHash('sha256').update(KEY).digest()
  await app.register(apiKeys, { apiKeys: [{ name: 'ann', sha256, access }] })
  await app.register(auditPlugin)
  let thrown: Error = new Error('none')
  app.all('/projects/:name', async () => {
    throw thrown
  })
  app.setNotFoundHandler(async () => {
    throw thrown
  })
  const noticed = async (error: Error, url = '/projects/shop', authorization = `Bearer ${KEY}`) => {
    thrown = error
    noted.length = 0
    await app.inject({ method: 'PATCH', url, headers: { authorization } })
    return noted
  }
  const refused = (code: ErrorCode) => new FaultlineError(code, 'No.')
  const by = { keyName: 'ann', requestId: 'r1' }
  const route = 'PATCH /projects/:name'
  for (const code of ERROR_CODES) {
    const isRefusal = /^(?:UNAUTHORIZED|FORBIDDEN|ADDRESS_REFUSED|LOCAL_REPOSITORY_REFUSED)/.test(code)
    t.same(await noticed(refused(code)), isRefusal ? [{ ...by, code, route, projectName: 'shop' }] : [], code)
  }
  t.same(await noticed(new TypeError('a bug')), [])
  const code = 'FORBIDDEN'
  t.same(await noticed(refused(code), '/nowhere/at/all'), [{ ...by, code, route: 'PATCH (none)', projectName: null }])
  t.match(await noticed(refused(code), '/projects/%20x'), [{ projectName: null }], 'no name of a project')
  t.match(await noticed(refused(code), '/projects/shop', 'Bearer x'), [{ keyName: null, projectName: null }])
})
