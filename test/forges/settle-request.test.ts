import { test } from 'tap'
import type { ForgeKind } from '../../src/core/forge-kind.ts'
import { closeRequest, mergeRequest } from '../../src/forges/settle-request.ts'
import { forgeOf, SIGNAL } from '../helpers/forge-client.ts'

const REQUEST = { head: 'faultline/1', base: 'main', title: 'feat: add characters', body: 'text', isDraft: false }
const KINDS: ForgeKind[] = ['github', 'gitlab', 'gitea', 'bitbucket']
const COMMIT = 'c'.repeat(40)
const MERGED = 'e'.repeat(40)

for (const kind of KINDS) {
  test(`${kind}: an open request is closed once, and one that is closed is not merged`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const { number } = await forge.open(REQUEST, SIGNAL)
    await closeRequest(forge, number, SIGNAL)
    t.equal(server.state.requests[0]?.isOpen, false)
    const { length } = server.calls
    await closeRequest(forge, number, SIGNAL)
    t.equal(server.calls.length, length + 1, 'it is only looked at')
    await t.rejects(mergeRequest(forge, { number, commit: COMMIT, message: 'Merge it\n' }, SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /is closed/,
    })
    t.same(server.violations, [])
  })

  test(`${kind}: a request that shows the commit is merged, and found merged afterwards`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const messages: string[] = []
    server.state.merge = ({ message }) => {
      messages.push(message.trim())
      return MERGED
    }
    const { number } = await forge.open(REQUEST, SIGNAL)
    const request = { number, commit: COMMIT, message: 'Merge feat/x: store characters\n\nMore.\n' }
    const merged = await mergeRequest(forge, request, SIGNAL)
    t.equal(merged.outcome, 'merged')
    t.ok(MERGED.startsWith(merged.commit ?? 'none'))
    t.same(messages, ['Merge feat/x: store characters\n\nMore.'])
    const again = await mergeRequest(forge, request, SIGNAL)
    t.same(again, { ...merged, outcome: 'was_merged' })
    await closeRequest(forge, number, SIGNAL)
    t.equal(server.state.requests[0]?.mergeCommit, MERGED, 'what is merged is not closed')
    t.same(server.violations, [])
  })

  test(`${kind}: a request that shows something else by now is not merged`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const { number } = await forge.open(REQUEST, SIGNAL)
    server.state.tipOf = () => 'd'.repeat(40)
    await t.rejects(mergeRequest(forge, { number, commit: COMMIT, message: 'Merge it\n' }, SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /shows d{12} by now, and c{12} was approved/,
    })
    t.equal(server.state.requests[0]?.isOpen, true)
    t.same(server.violations, [])
  })

  test(`${kind}: a request that somebody merged by hand counts only with the commit that was approved`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const { number } = await forge.open(REQUEST, SIGNAL)
    const [stored] = server.state.requests
    Object.assign(stored ?? {}, { isOpen: false, mergeCommit: MERGED })
    const request = { number, commit: COMMIT, message: 'Merge it\n' }
    t.match(await mergeRequest(forge, request, SIGNAL), { outcome: 'was_merged' })
    server.state.tipOf = () => 'd'.repeat(40)
    await t.rejects(mergeRequest(forge, request, SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /was merged with d{12}, and c{12} was approved/,
      fix: /reject/i,
    })
    t.equal(await closeRequest(forge, number, SIGNAL), 'merged', 'whoever aborts hears of it')
    t.same(server.violations, [])
  })

  test(`${kind}: what the forge does not let be merged is refused with its words`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const { number } = await forge.open(REQUEST, SIGNAL)
    server.state.merge = () => null
    await t.rejects(mergeRequest(forge, { number, commit: COMMIT, message: 'Merge it\n' }, SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /did not merge a (?:pull|merge) request/,
    })
    t.same(server.violations, [])
  })
}

for (const kind of ['gitlab', 'gitea', 'bitbucket'] as const) {
  test(`${kind}: a draft is made ready, then merged`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    const { number } = await forge.open({ ...REQUEST, isDraft: true }, SIGNAL)
    const merged = await mergeRequest(forge, { number, commit: COMMIT, message: 'Merge it\n' }, SIGNAL)
    t.equal(merged.outcome, 'merged')
    t.equal(server.state.requests[0]?.title, REQUEST.title)
    t.same(server.violations, [])
  })
}

test('github: a draft is left to a person, as its REST API cannot make it ready', async t => {
  const { forge } = await forgeOf(t, 'github')
  const { number } = await forge.open({ ...REQUEST, isDraft: true }, SIGNAL)
  await t.rejects(mergeRequest(forge, { number, commit: COMMIT, message: 'Merge it\n' }, SIGNAL), {
    code: 'FORGE_REFUSED',
    fix: /Ready for review/,
  })
})

test('bitbucket: a commit that comes while a draft is made ready is not merged', async t => {
  const { forge, server } = await forgeOf(t, 'bitbucket')
  const { number } = await forge.open({ ...REQUEST, isDraft: true }, SIGNAL)
  server.state.tipOf = () => (server.state.requests[0]?.isDraft === true ? COMMIT : 'd'.repeat(40))
  await t.rejects(mergeRequest(forge, { number, commit: COMMIT, message: 'Merge it\n' }, SIGNAL), {
    code: 'FORGE_REFUSED',
    message: /shows d{12} by now, and c{12} was approved/,
  })
  t.equal(server.state.requests[0]?.isOpen, true)
})

test('bitbucket: a commit that comes at the moment of the merge is told', async t => {
  const { forge, server } = await forgeOf(t, 'bitbucket')
  const { number } = await forge.open(REQUEST, SIGNAL)
  server.state.merge = () => {
    server.state.tipOf = () => 'd'.repeat(40)
    return MERGED
  }
  await t.rejects(mergeRequest(forge, { number, commit: COMMIT, message: 'Merge it\n' }, SIGNAL), {
    code: 'FORGE_REFUSED',
    message: /was merged with d{12}, and c{12} was approved/,
  })
})
