import { test } from 'tap'
import { FORGE_KINDS } from '../../src/core/forge-kind.ts'
import { deliverRequest } from '../../src/forges/deliver-request.ts'
import { forgeOf, SIGNAL, WORD } from '../helpers/forge-client.ts'

const REQUEST = {
  head: 'faultline/1',
  base: 'main',
  title: 'Fix it',
  body: `<!-- ${WORD} -->\n\nWhy`,
  isDraft: true,
  word: WORD,
}
const never = async (): Promise<boolean> => {
  throw new Error('there is nothing to join')
}

for (const kind of FORGE_KINDS) {
  test(`${kind}: delivered twice, there is one request`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    t.match(await deliverRequest(forge, REQUEST, never, SIGNAL), { number: 1, outcome: 'opened' })
    t.match(await deliverRequest(forge, { ...REQUEST, body: 'New' }, never, SIGNAL), { number: 1, outcome: 'updated' })
    t.match(server.state.requests, [{ body: 'New', title: /Fix it$/ }])
    t.equal(server.state.requests.length, 1)
  })

  test(`${kind}: an answer that was lost opens nothing twice`, async t => {
    const { forge, server } = await forgeOf(t, kind, { timeoutMs: 300 })
    let times = 0
    server.swallow = { to: /^POST/, onDone: () => times++ }
    t.match(await deliverRequest(forge, REQUEST, never, SIGNAL), { number: 1, outcome: 'opened' })
    t.equal(times, 1)
    t.equal(server.state.requests.length, 1)
  })

  test(`${kind}: a second fix of the same fault joins the open request, or tells of itself there`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    server.state.branches = () => ['main', 'faultline/1', 'faultline/2', 'faultline/3']
    await deliverRequest(forge, REQUEST, never, SIGNAL)
    const joined: string[] = []
    const join = async (branch: string): Promise<boolean> => joined.push(branch) === 1
    const second = await deliverRequest(
      forge,
      { ...REQUEST, head: 'faultline/2', body: `${REQUEST.body} 2` },
      join,
      SIGNAL,
    )
    t.match(second, { number: 1, outcome: 'joined' })
    t.match(server.state.requests, [{ body: / 2$/, head: 'faultline/1' }])
    const third = await deliverRequest(forge, { ...REQUEST, head: 'faultline/3' }, join, SIGNAL)
    t.match(third, { number: 1, outcome: 'beside' })
    t.match(server.state.requests, [
      { body: /newer fix of the same fault is on the branch `faultline\/3`[^]*faultline-fault/ },
    ])
    t.same(joined, ['faultline/1', 'faultline/1'])
    t.equal(server.state.requests.length, 1)

    const [request] = server.state.requests
    if (request !== undefined) request.isOpen = false
    const fresh = await deliverRequest(forge, { ...REQUEST, head: 'faultline/2' }, never, SIGNAL)
    t.match(fresh, { number: 2, outcome: 'opened' }, 'a closed one is not opened again')
  })

  test(`${kind}: a moved default branch and a deleted branch are told`, async t => {
    const { forge, server } = await forgeOf(t, kind)
    server.state.branches = () => ['trunk', 'faultline/1']
    server.state.defaultBranch = 'trunk'
    await t.rejects(deliverRequest(forge, REQUEST, never, SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /The branch "main", which the project follows, is not there; the default branch is now "trunk"\.$/,
      fix: /POST \/clone with "branch": "trunk"/,
    })
    t.match(await deliverRequest(forge, { ...REQUEST, base: null }, never, SIGNAL), { number: 1 })
    t.match(server.state.requests, [{ base: 'trunk' }])

    server.state.requests.length = 0
    server.state.branches = () => ['trunk', 'main']
    await t.rejects(deliverRequest(forge, REQUEST, never, SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /The branch "faultline\/1" is not there: somebody deleted it/,
      fix: /from the step push/,
    })
    t.same(server.violations, [])
  })
}
