import { test } from 'tap'
import { FORGE_KINDS } from '../../src/core/forge-kind.ts'
import { writeOneComment } from '../../src/forges/one-comment.ts'
import { forgeOf, SIGNAL } from '../helpers/forge-client.ts'

const MARKER = '<!-- faultline shop -->'
const textWith = (said: string, isNews = true) => ({ number: 7, marker: MARKER, body: `${MARKER}\n\n${said}`, isNews })

for (const kind of FORGE_KINDS) {
  test(`${kind}: a request has one comment, which is changed`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    t.equal(await writeOneComment(forge, textWith('nothing', false), SIGNAL), 'none', 'no news is no comment')
    t.equal(await writeOneComment(forge, textWith('A'), SIGNAL), 'written')
    t.equal(await writeOneComment(forge, textWith('A'), SIGNAL), 'unchanged')
    t.equal(await writeOneComment(forge, textWith('B', false), SIGNAL), 'updated')
    t.match(server.state.comments, [{ body: /\n\nB$/ }])
    t.equal(server.state.comments.length, 1)
    t.same(server.violations, [])
  })

  test(`${kind}: a comment of somebody else with our mark stays as it is`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    server.state.comments.push({ id: 1, number: 7, body: `${MARKER}\n\nmine`, author: 'mallory' })
    t.equal(await writeOneComment(forge, textWith('A'), SIGNAL), 'written')
    t.equal(await writeOneComment(forge, textWith('B'), SIGNAL), 'updated')
    t.match(server.state.comments, [{ body: /mine$/ }, { body: /B$/ }])
  })
}

test("github: where the token is nobody's, a comment that may not be changed is passed over", async t => {
  const { forge, server } = await forgeOf(t, 'github')
  server.state.comments.push({ id: 1, number: 7, body: `${MARKER}\n\nmine`, author: 'mallory' })
  const nobodys = { to: /^GET \/user$/, status: 403 }
  server.script.push(nobodys)
  t.equal(await writeOneComment(forge, textWith('A'), SIGNAL), 'written')
  t.match(server.state.comments, [{ body: /mine$/ }, { body: /A$/ }])
  for (const outcome of ['updated', 'unchanged']) {
    server.script.push(nobodys)
    t.equal(await writeOneComment(forge, textWith('B'), SIGNAL), outcome, 'and ours is found behind it')
  }
  t.match(server.state.comments, [{ body: /mine$/ }, { body: /B$/ }])
  t.equal(server.state.comments.length, 2)
})
