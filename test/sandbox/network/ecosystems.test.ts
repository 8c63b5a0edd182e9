import { test } from 'tap'
import { hostsFor } from '../../../src/sandbox/network/ecosystems.ts'

const LISTED = ['registry.npmjs.org', 'pypi.org']

test('an install reaches the registries of its own package managers alone', async t => {
  const hosts = (...ecosystems: NonNullable<Parameters<typeof hostsFor>[0]>) =>
    hostsFor(ecosystems, { registries: LISTED, isListComplete: false })
  t.same(hosts('npm'), LISTED)
  t.same(hosts('npm', 'yarn'), [...LISTED, 'registry.yarnpkg.com'])
  t.same(hosts('go'), ['proxy.golang.org', 'sum.golang.org'])
  t.same(hosts('cargo', 'pip'), ['index.crates.io', 'static.crates.io', 'crates.io', ...LISTED])
  t.same(hosts('maven', 'gradle').filter(host => host === 'repo.maven.apache.org').length, 1)
  t.notOk(hosts('maven').some(host => LISTED.includes(host)))
  t.same(hosts(), [])
})

test('a run of no known kind reaches what npm and pip are configured for', async t => {
  t.same(hostsFor(undefined, { registries: LISTED, isListComplete: false }), LISTED)
})

test("the operator's list is all that any run may reach", async t => {
  t.same(hostsFor(['cargo', 'go'], { registries: ['mirror.example'], isListComplete: true }), ['mirror.example'])
})
