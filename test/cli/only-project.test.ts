import { test } from 'tap'
import type { Backend } from '../../src/cli/backend/backend.ts'
import { onlyProject } from '../../src/cli/only-project.ts'

const backendWith = (...names: string[]): Backend =>
  ({
    listProjects: async () => ({ data: names.map(name => ({ project_name: name })), next_cursor: null }),
  }) as unknown as Backend

test('the only project need not be named', async t => {
  t.equal(await onlyProject(backendWith('shop')), 'shop')
})

test('with none or several the error says what to type', async t => {
  await t.rejects(onlyProject(backendWith()), { code: 'USAGE', fix: /faultline clone/ })
  await t.rejects(onlyProject(backendWith('shop', 'till')), {
    code: 'USAGE',
    fix: 'Name one with --project: shop, till.',
  })
  await t.rejects(onlyProject(backendWith(...'abcdefghij'.split(''))), { code: 'USAGE', fix: /j …\.$/ })
})
