import { test } from 'tap'
import { askForReview } from '../../src/forges/ask-reviewers.ts'
import { createGlobTest } from '../../src/indexer/path-globs.ts'
import { forgeOf, SIGNAL } from '../helpers/forge-client.ts'

const REQUEST = { head: 'faultline/1', base: 'main', title: 'Fix it', body: '', isDraft: true }
const SUSPECT = 'a'.repeat(40)

test('owners of the changed files and the author of the suspect are asked, once each and never oneself', async t => {
  for (const kind of ['github', 'gitlab'] as const) {
    const { forge, server } = await forgeOf(t, kind)
    await forge.open(REQUEST, SIGNAL)
    server.state.authors.set(SUSPECT, 'bob')
    const read: string[] = []
    const readText = async (path: string): Promise<string | null> => {
      read.push(path)
      return path === 'docs/CODEOWNERS'
        ? 'src/ @ann @faultline-bot @acme/core @acme/secret @other/core ann@example.com @nobody @bob\n'
        : null
    }
    const request = { number: 1, paths: ['src/a.py', 'README.md'], commits: [SUSPECT, 'b'.repeat(40)] }
    const asked = await askForReview(forge, request, { readText, globTest: createGlobTest }, SIGNAL)
    const teams = kind === 'github' ? ['core'] : []
    t.same(asked.map(({ name }) => name).sort(), [...teams.map(slug => `acme/${slug}`), 'ann', 'bob'], kind)
    t.equal(read.at(-1), 'docs/CODEOWNERS')
    t.same([...(server.state.requests[0]?.reviewers ?? [])].sort(), ['ann', 'bob'])
    t.same(server.state.requests[0]?.teams ?? [], teams)
    t.same(server.violations, [])
  }
})

test('without owners and a known author nobody is asked', async t => {
  const { forge, server } = await forgeOf(t, 'gitea')
  await forge.open(REQUEST, SIGNAL)
  const request = { number: 1, paths: ['a.py'], commits: [SUSPECT] }
  t.same(await askForReview(forge, request, { readText: async () => null, globTest: createGlobTest }, SIGNAL), [])
  t.same(server.state.requests[0]?.reviewers, [])
})

test('the author of the first commit is asked where nobody owns the files, but never oneself', async t => {
  const { forge, server } = await forgeOf(t, 'github')
  await forge.open(REQUEST, SIGNAL)
  const commits = ['a', 'b'].map(digit => digit.repeat(40))
  const asked = async (first: string | null, second: string) => {
    server.state.authors.clear()
    if (first !== null) server.state.authors.set('a'.repeat(40), first)
    server.state.authors.set('b'.repeat(40), second)
    const request = { number: 1, paths: ['a.py'], commits }
    const people = await askForReview(forge, request, { readText: async () => null, globTest: createGlobTest }, SIGNAL)
    return people.map(({ name }) => name)
  }
  t.same(await asked('ann', 'bob'), ['ann'])
  t.same(await asked((await forge.me(SIGNAL)) ?? '', 'bob'), [])
  t.same(await asked(null, 'bob'), [])
  t.same(server.violations, [])
})
