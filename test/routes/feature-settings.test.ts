import { test, type Test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'

const NONE = { allowed_paths: null, features: null, migrations: null, deploy_url: null, notify: null }
const SECRETS = { WEBHOOK_SECRETS: 'ci=a secret of this test' }

async function setup(t: Test, env: Record<string, string> = {}) {
  const built = await buildApp(t, { env })
  await cloneShop(t, built)
  return {
    ...built,
    patch: (body: object) => built.app.inject({ method: 'PATCH', url: '/projects/shop', body }),
    shown: async () => (await built.app.inject('/projects/shop')).json(),
  }
}

test('what a project says of features is set one by one, shown, kept over a restart, and cleared with null', async t => {
  const { root, patch, shown, close } = await setup(t, { ...SECRETS, ALLOW_PRIVATE_HOSTS: 'true' })
  t.match(await shown(), NONE)
  const settings = {
    allowed_paths: ['src/dynamic/', 'src/index.ts', 'ünï/日本'],
    features: {
      templates: 'templates/',
      branch_prefix: 'team/feat-',
      commit_style: 'plain',
      paths: { schema: 'db/{table}', tool: 'src/{entity}/{tool}.ts', test: 'tests/{tool}.test' },
    },
    migrations: { generate: 'npx drizzle-kit generate', apply: 'make up', rollback: 'make down', folder: 'drizzle' },
    deploy_url: 'http://127.0.0.1:8099/deploy?stage=1',
    notify: ['waiting', 'done'],
  }
  for (const [name, value] of Object.entries(settings)) {
    const answer = await patch({ [name]: value })
    t.equal(answer.statusCode, 200, answer.body)
    t.same(answer.json()[name], value)
  }
  t.match(await shown(), settings)
  await patch({ features: { branch_prefix: 'x' }, notify: [] })
  const changed = { ...settings, features: { branch_prefix: 'x' }, notify: [] }
  t.match(await shown(), changed, 'a setting is replaced as a whole')
  t.same((await shown()).features, { branch_prefix: 'x' })
  await close()
  const after = await buildApp(t, { root, env: { ...SECRETS, ALLOW_PRIVATE_HOSTS: 'true' } })
  t.match((await after.app.inject('/projects/shop')).json(), changed)
  const cleared = await after.app.inject({ method: 'PATCH', url: '/projects/shop', body: NONE })
  t.equal(cleared.statusCode, 200)
  t.match((await after.app.inject('/projects/shop')).json(), NONE)
})

test('what cannot be used is refused, and the answer names the field and the value', async t => {
  const { patch, shown } = await setup(t)
  const outside = [
    '../x/',
    '/etc/',
    'a/../../b',
    '.',
    './',
    '..',
    '.git/',
    'a/.git/hooks',
    '.GIT/x',
    'a\\b',
    'a//b',
    'src/*',
  ]
  const more = ['a/[b]', '{a,b}/', '~/x/../..', 'a\0b', ' ', 'C:/x']
  const bad: Array<[object, RegExp]> = [
    ...[...outside, ...more.slice(0, 4)].map((path): [object, RegExp] => [
      { allowed_paths: ['src/', path] },
      /allowed_paths/,
    ]),
    ...outside.map((path): [object, RegExp] => [{ features: { templates: path } }, /features\.templates/]),
    ...outside.map((path): [object, RegExp] => [{ migrations: { folder: path } }, /migrations\.folder/]),
    ...[
      '../{table}',
      '/{table}',
      '.git/{table}',
      'x',
      '{table}/',
      '{other}',
      'a/{table}/../../..',
      '{table',
      '{table}*',
    ].map((path): [object, RegExp] => [{ features: { paths: { schema: path } } }, /features\.paths\.schema/]),
    ...['a..b', 'feat//', 'x/.y', '.x', '-x', 'a b', 'a.lock/', 'feat/.', 'refs/heads/', 'a~', 'ä', ''].map(
      (prefix): [object, RegExp] => [{ features: { branch_prefix: prefix } }, /branch_prefix/],
    ),
    [{ allowed_paths: [] }, /allowed_paths/],
    [{ allowed_paths: 'src/' }, /allowed_paths/],
    [{ allowed_paths: [3] }, /allowed_paths/],
    [{ allowed_paths: ['x'.repeat(1025)] }, /allowed_paths/],
    [{ allowed_paths: Array.from({ length: 101 }, (_, at) => `a${at}/`) }, /allowed_paths/],
    [{ features: { commit_style: 'loud' } }, /commit_style/],
    [{ features: { colour: 'red' } }, /colour/],
    [{ features: { paths: { other: 'x/{table}' } } }, /other/],
    [{ features: 'x' }, /features/],
    [{ migrations: { generate: '  ' } }, /generate/],
    [{ migrations: { apply: 3 } }, /apply/],
    [{ migrations: { apply: 'x'.repeat(2001) } }, /apply/],
    [{ migrations: { drop: 'x' } }, /drop/],
    [{ notify: ['always'] }, /notify/],
    [{ notify: ['done', 'done', 'done'] }, /notify/],
    [{ deploy_url: '' }, /deploy_url/],
    [{ deploy_url: 3 }, /deploy_url/],
  ]
  for (const [body, names] of bad) {
    const answer = await patch(body)
    t.match(
      answer.json(),
      { status: 400, code: 'VALIDATION_FAILED' },
      `${JSON.stringify(body).slice(0, 80)} ${answer.body.slice(0, 200)}`,
    )
    t.match(answer.body, names)
  }
  const told = (await patch({ features: { branch_prefix: 'a..b' } })).json()
  t.match(told.detail, '"a..b"')
  t.match((await patch({ allowed_paths: ['src/', '../x/'] })).json().detail, '"../x/"')
  t.match(await shown(), NONE, 'nothing of it is kept')
})

test('deploy_url is held to the rules of callback_url', async t => {
  const unsigned = await setup(t)
  const url = 'https://example.com/deploy'
  t.match((await unsigned.patch({ deploy_url: url })).json(), { code: 'WEBHOOK_NOT_CONFIGURED', detail: /deploy_url/ })
  const { patch, shown } = await setup(t, SECRETS)
  t.match((await patch({ deploy_url: url })).json(), { deploy_url: url })
  for (const address of [
    'https://127.0.0.1:8099/',
    'https://[::1]/',
    'https://169.254.169.254/x',
    'https://10.0.0.1/',
    'https://2130706433/',
  ]) {
    t.match((await patch({ deploy_url: address })).json(), { code: 'ADDRESS_REFUSED', detail: /./ }, address)
  }
  for (const address of [
    'ftp://example.com/',
    'http://example.com/',
    'https://example.com:22/',
    'file:///etc/passwd',
    'javascript:1',
    '/deploy',
    'https://',
    'x',
    'https://u:p@example.com/',
  ]) {
    const refused = (await patch({ deploy_url: address })).json()
    t.match(
      refused,
      { status: 400, code: 'VALIDATION_FAILED', detail: /deploy_url/ },
      `${address} ${JSON.stringify(refused)}`,
    )
  }
  t.match(await shown(), { deploy_url: url })
})

test('settings of features are for those who may change the project', async t => {
  const { app } = await setup(t)
  for (const body of [{ allowed_paths: ['a/'] }, { deploy_url: null }]) {
    t.equal((await app.inject({ method: 'PATCH', url: '/projects/none', body })).statusCode, 404)
  }
})
