import { test } from 'tap'
import { FORGE_KINDS } from '../../src/core/forge-kind.ts'
import { forgeOf, SIGNAL, WORD } from '../helpers/forge-client.ts'

const REQUEST = { head: 'faultline/1', base: 'main', title: 'Fix it', body: `<!-- ${WORD} -->\n\nWhy`, isDraft: true }
const PAGE = { github: '/pull/1', gitlab: '/-/merge_requests/1', gitea: '/pulls/1', bitbucket: '/pull-requests/1' }

for (const kind of FORGE_KINDS) {
  test(`${kind}: a request is opened as a draft, found by its branch and its word, and changed`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    t.equal(await forge.defaultBranch(SIGNAL), 'main')
    t.equal(await forge.hasBranch('faultline/1', SIGNAL), true)
    t.equal(await forge.hasBranch('faultline/2', SIGNAL), false)
    t.equal(await forge.findByHead('faultline/1', SIGNAL), null)

    const made = await forge.open(REQUEST, SIGNAL)
    t.match(made, { number: 1, url: `${server.url}/acme/shop${PAGE[kind]}`, head: 'faultline/1', base: 'main' })
    const [stored] = server.state.requests
    t.match(stored, { isDraft: true, title: /Fix it$/ })
    t.same(await forge.findByHead('faultline/1', SIGNAL), made)
    t.equal((await forge.findMarked(WORD, SIGNAL))?.number, 1)
    t.match(made.body, /^<!-- faultline-fault-\w+ -->\n/, 'marks are read as they were written')
    t.equal(await forge.findMarked('faultline-fault-other', SIGNAL), null)

    await forge.update(1, { title: made.title, body: 'New' }, SIGNAL)
    t.match(server.state.requests, [{ title: stored?.title, body: 'New' }])
    t.same(server.violations, [])
  })

  test(`${kind}: a draft is made ready, merged or closed, each of which is to be seen there`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const { number, title } = await forge.open(REQUEST, SIGNAL)
    t.match(await forge.look(number, SIGNAL), { is: 'open', isDraft: true })
    if (kind === 'github') {
      await t.rejects(forge.makeReady(number, title, SIGNAL), { code: 'FORGE_REFUSED', fix: /Ready for review/ })
    } else {
      await forge.makeReady(number, title, SIGNAL)
      t.match(server.state.requests, [{ isDraft: false, title: 'Fix it', isOpen: true }])
      t.match(await forge.look(number, SIGNAL), { is: 'open', isDraft: false, title: 'Fix it' })
    }
    await forge.close(number, SIGNAL)
    t.match(server.state.requests, [{ isOpen: false }])
    t.match(await forge.look(number, SIGNAL), { is: 'closed' })
    t.equal(await forge.findByHead('faultline/1', SIGNAL), null, 'a closed one is none to go on with')
    t.equal(await forge.findMarked(WORD, SIGNAL), null)

    const other = await forge.open({ ...REQUEST, isDraft: false }, SIGNAL)
    const { head } = await forge.look(other.number, SIGNAL)
    await forge.merge({ number: other.number, commit: head ?? 'c'.repeat(40), message: 'Merge it\n' }, SIGNAL)
    t.match(await forge.look(other.number, SIGNAL), { is: 'merged' })
    t.same(server.violations, [])
  })

  test(`${kind}: a request that may be merged is no draft, and one of a fork is none of ours`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    await forge.open({ ...REQUEST, isDraft: false }, SIGNAL)
    t.match(server.state.requests, [{ isDraft: false, title: 'Fix it' }])
    for (const request of server.state.requests) request.from = 'mallory/shop'
    t.equal(await forge.findByHead('faultline/1', SIGNAL), null)
    t.equal(await forge.findMarked(WORD, SIGNAL), null)
    t.same(server.violations, [])
  })

  test(`${kind}: a person's request that quotes one of ours is none of ours`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    server.state.branches = () => ['main', 'faultline/1', 'ann/mean']
    await forge.open({ ...REQUEST, head: 'ann/mean' }, SIGNAL)
    t.equal(await forge.findMarked(WORD, SIGNAL), null)
    await forge.open(REQUEST, SIGNAL)
    t.equal((await forge.findMarked(WORD, SIGNAL))?.number, 2)
  })

  test(`${kind}: comments are listed with their authors, written and changed`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const me = await forge.me(SIGNAL)
    t.ok(me)
    await forge.addComment(7, '<!-- faultline shop -->\n\nA', SIGNAL)
    const [comment, ...others] = await forge.comments(7, SIGNAL)
    t.match(comment, { body: '<!-- faultline shop -->\n\nA', author: me })
    t.same(others, [])
    await forge.updateComment(7, comment?.id ?? '', '<!-- faultline shop -->\n\nB', SIGNAL)
    t.match(await forge.comments(7, SIGNAL), [{ body: /\n\nB$/ }])
    const shown = kind === 'bitbucket' ? /^\[\/\/\]: # \(faultline shop\)\n/ : /^<!-- faultline shop -->\n/
    t.match(server.state.comments, [{ body: shown }], 'the mark is hidden where it is shown')
    t.same(server.violations, [])
  })

  test(`${kind}: whoever the forge knows is asked for a review, others are left out`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const { state } = server
    await forge.open(REQUEST, SIGNAL)
    state.authors.set('a'.repeat(40), 'bob')
    const bob = await forge.authorOf('a'.repeat(40), SIGNAL)
    t.match(bob, { name: 'bob' })
    t.equal(await forge.authorOf('b'.repeat(40), SIGNAL), null)
    const ann = await forge.personNamed('ann', SIGNAL)
    t.equal(await forge.personNamed('nobody', SIGNAL), null)
    const people = [ann, bob].filter(person => person !== null)
    state.strangers.add('bob')
    const asked = await forge.askReviewers(1, people, SIGNAL)
    t.same(
      asked.map(({ name }) => name),
      kind === 'bitbucket' ? [] : ['ann'],
      'one who may not keeps others from it at Bitbucket alone',
    )
    state.strangers.clear()
    t.match(
      (
        await forge.askReviewers(
          1,
          [bob].filter(one => one !== null),
          SIGNAL,
        )
      )[0],
      { name: 'bob' },
    )
    t.same(await forge.askReviewers(1, [], SIGNAL), [])
    t.same(server.violations, [])
  })
}

test('github: without drafts in the plan a request is opened as one that is none', async t => {
  const { forge, server } = await forgeOf(t, 'github')
  server.state.hasDrafts = false
  await forge.open(REQUEST, SIGNAL)
  t.match(server.state.requests, [{ isDraft: false }])
})

test("github: the token of an App is nobody's", async t => {
  const { forge, server } = await forgeOf(t, 'github')
  server.script.push({ status: 403, body: { message: 'Resource not accessible by integration' } })
  t.equal(await forge.me(SIGNAL), null)
})

test('a token is shown as each forge wants it, and only its second half where it has two', async t => {
  for (const [kind, token, authorization] of [
    ['github', 'x-access-token:the-token', 'Bearer the-token'],
    ['gitlab', 'oauth2:the-token', 'Bearer the-token'],
    ['gitea', 'the-token', 'token the-token'],
    ['bitbucket', 'x-token-auth:the-token', 'Bearer the-token'],
    ['bitbucket', 'ann@example.com:secret', `Basic ${Buffer.from('ann@example.com:secret').toString('base64')}`],
  ] as const) {
    const { forge, server } = await forgeOf(t, kind, { token })
    await forge.hasBranch('main', SIGNAL).catch(() => false)
    t.match(server.calls, [{ headers: { authorization, 'user-agent': 'faultline' } }], `${kind} ${token}`)
  }
})

test('GitHub is told which version of its API is meant, others are not', async t => {
  for (const kind of FORGE_KINDS) {
    const { forge, server } = await forgeOf(t, kind)
    await forge.hasBranch('main', SIGNAL).catch(() => false)
    const { accept, 'x-github-api-version': version } = server.calls[0]?.headers ?? {}
    t.equal(version, kind === 'github' ? '2022-11-28' : undefined, kind)
    t.equal(accept === 'application/vnd.github+json', kind === 'github', kind)
  }
})

test('lists are read page by page', async t => {
  for (const kind of FORGE_KINDS) {
    const { forge, server } = await forgeOf(t, kind)
    for (let number = 1; number <= 620; number++) {
      const common = { title: '', base: 'main', isDraft: false, isOpen: true, from: 'acme/shop', reviewers: [] }
      server.state.requests.push({ ...common, number, head: `faultline/${number}`, body: number === 620 ? WORD : '' })
    }
    t.equal((await forge.findMarked(WORD, SIGNAL))?.number, 620, kind)
    t.same(server.violations, [])
  }
})

test('bitbucket: a change of a request keeps what it does not speak of', async t => {
  const { forge, server } = await forgeOf(t, 'bitbucket')
  await forge.open(REQUEST, SIGNAL)
  const [request] = server.state.requests
  if (request === undefined) throw new Error('there is one')
  Object.assign(request, { reviewers: ['ann'], closesBranch: true })
  await forge.update(1, { title: 'Newer', body: `<!-- ${WORD} -->\n\nNew` }, SIGNAL)
  t.match(request, { title: 'Newer', body: /New$/, reviewers: ['ann'], isDraft: true, closesBranch: true })
  const before = { ...request }
  t.same(await forge.askReviewers(1, [{ id: '{bob}', name: 'bob' }], SIGNAL), [{ id: '{bob}', name: 'bob' }])
  t.same(request, { ...before, reviewers: ['ann', 'bob'] }, 'whoever was asked before stays')
  t.same(server.violations, [])
})

test('a page that is shorter than what was asked for is not taken for the last', async t => {
  for (const kind of ['gitea', 'bitbucket'] as const) {
    const { forge, server } = await forgeOf(t, kind)
    server.state.maxPage = 20
    for (let number = 1; number <= 50; number++) {
      const common = { title: '', base: 'main', isDraft: false, isOpen: true, from: 'acme/shop', reviewers: [] }
      server.state.requests.push({ ...common, number, head: `faultline/${number}`, body: number === 50 ? WORD : '' })
    }
    t.equal((await forge.findMarked(WORD, SIGNAL))?.number, 50, kind)
    t.equal(await forge.findMarked('faultline-fault-other', SIGNAL), null, kind)
    t.same(server.violations, [])
  }
})

test("github: teams of the repository's owner are asked, and others are none", async t => {
  const { forge, server } = await forgeOf(t, 'github')
  await forge.open(REQUEST, SIGNAL)
  const core = forge.teamNamed('Acme/Core')
  t.same(core, { id: 'core', name: 'Acme/Core', isTeam: true })
  for (const name of ['other/core', 'acme/a/b', 'acme/', 'acme/..%2f', 'acme/a b']) t.equal(forge.teamNamed(name), null)
  const people = [core, forge.teamNamed('acme/unknown'), await forge.personNamed('ann', SIGNAL)]
  const asked = await forge.askReviewers(
    1,
    people.filter(one => one !== null),
    SIGNAL,
  )
  t.same(
    asked.map(({ name }) => name),
    ['Acme/Core', 'ann'],
    'a team that is refused keeps nobody from it',
  )
  t.match(server.state.requests, [{ reviewers: ['ann'], teams: ['core'] }])
  t.same(server.violations, [])
  for (const kind of ['gitlab', 'gitea', 'bitbucket'] as const) {
    t.equal((await forgeOf(t, kind)).forge.teamNamed('acme/core'), null)
  }
})
