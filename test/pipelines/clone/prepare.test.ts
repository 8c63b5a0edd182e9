import { test } from 'tap'
import { prepareClone } from '../../../src/pipelines/clone/prepare.ts'
import { requestParts } from '../../helpers/request-parts.ts'

const { complete } = prepareClone(requestParts())
const url = 'https://example.com/cart.git'

test('a clone job keeps one address, the name of its project and where its result goes', async t => {
  t.same(await complete({ ssh_url: url, branch: 'main' }), {
    branch: 'main',
    url,
    project_name: 'cart',
    callback_url: 'https://of.project/',
  })
  t.equal((await complete({ url, project_name: 'SHOP' })).project_name, 'shop', 'as it is stored')
  t.equal((await complete({ url, callback_url: 'https://a/' })).callback_url, 'https://a/')
})

test('what cannot be cloned is refused before anything is touched', async t => {
  const invalid = { code: 'VALIDATION_FAILED' }
  await t.rejects(complete({}), invalid, 'no address')
  await t.rejects(complete({ url, ssh_url: url }), invalid, 'two addresses')
  await t.rejects(complete({ url, branch: '-x' }), invalid)
  await t.rejects(complete({ url, ref: '-x' }), invalid)
  await t.rejects(complete({ url, exclude: ['{'] }), invalid)
  await t.rejects(complete({ url, project_name: 'con' }), invalid, 'a reserved name')
  await t.rejects(complete({ url, callback_url: 'http://10.0.0.1/' }), { code: 'ADDRESS_REFUSED' })
})

test('what is not committed is read of a repository on this machine alone, on top of what is checked out', async t => {
  const local = 'file:///srv/cart'
  t.match(await complete({ url: local, uncommitted: true }), { uncommitted: true })
  const invalid = { code: 'VALIDATION_FAILED' }
  await t.rejects(complete({ url, uncommitted: true }), { ...invalid, message: /on the machine of the server/ })
  await t.rejects(complete({ url: local, uncommitted: true, branch: 'main' }), {
    ...invalid,
    message: /excludes branch/,
  })
  await t.rejects(complete({ url: local, uncommitted: true, ref: 'v1' }), { ...invalid, message: /excludes branch/ })
  t.match(await complete({ url, uncommitted: false, ref: 'v1' }), { ref: 'v1' })
})
