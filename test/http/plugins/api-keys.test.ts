import { createHash } from 'node:crypto'
import fastify from 'fastify'
import { test, type Test } from 'tap'
import { FULL_ACCESS, NO_ACCESS, type Access } from '../../../src/core/access.ts'
import apiKeys from '../../../src/http/plugins/api-keys.ts'
import forwarded from '../../../src/http/plugins/forwarded.ts'

const ACCESS = {
  ann: { mayWrite: true, projects: null },
  bob: { mayWrite: false, projects: ['shop'] },
  cyd: { mayWrite: true, projects: ['api'] },
} satisfies Record<string, Access>

/** What a header makes of whoever sends it, where these keys are known. */
async function whoIs(t: Test, keys: Record<string, string>) {
  const app = fastify()
  t.teardown(() => app.close())
  app.decorate('services', { node: { cluster: null } } as never)
  await app.register(forwarded)
  await app.register(apiKeys, {
    apiKeys: Object.entries(keys).map(([name, key]) => ({
      name,
      sha256: createHash('sha256').update(key).digest(),
      access: ACCESS[name as keyof typeof ACCESS],
    })),
  })
  app.get('/', async ({ keyName, access }) => ({ keyName, access }))
  return async (authorization?: string): Promise<unknown> =>
    (await app.inject({ url: '/', headers: authorization === undefined ? {} : { authorization } })).json()
}

test('a known key has its name and what it may do, wherever it stands among the keys', async t => {
  const who = await whoIs(t, { ann: 'a'.repeat(20), bob: 'b'.repeat(512), cyd: 'c'.repeat(20) })
  t.same(await who(`Bearer ${'a'.repeat(20)}`), { keyName: 'ann', access: ACCESS.ann })
  t.same(await who(`bearer ${'b'.repeat(512)}`), { keyName: 'bob', access: ACCESS.bob })
  t.same(await who(`BEARER ${'c'.repeat(20)}`), { keyName: 'cyd', access: ACCESS.cyd })
  const nobody = { keyName: null, access: NO_ACCESS }
  for (const header of [
    undefined,
    '',
    'Bearer',
    `Bearer ${'a'.repeat(21)}`,
    'a'.repeat(20),
    `Basic ${'a'.repeat(20)}`,
  ]) {
    t.same(await who(header), nobody, header ?? 'none')
  }
})

test('a key of more than 512 characters is not looked at', async t => {
  const who = await whoIs(t, { ann: 'a'.repeat(513) })
  t.same(await who(`Bearer ${'a'.repeat(513)}`), { keyName: null, access: NO_ACCESS })
})

test('where there are no keys anybody may do everything', async t => {
  const who = await whoIs(t, {})
  t.same(await who(), { keyName: null, access: FULL_ACCESS })
  t.same(await who('Bearer some-key'), { keyName: null, access: FULL_ACCESS })
})
