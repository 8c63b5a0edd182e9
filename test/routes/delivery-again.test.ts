import { test } from 'tap'
import { buildForgeProject } from '../helpers/forge-project.ts'
import { MEAN_FILES as FILES, mendMean as mend, PUSHED_FIX as BODY } from '../helpers/mean-shop.ts'

for (const kind of ['github', 'bitbucket'] as const) {
  test(`${kind}: a second fix of the same fault joins the open request; after it is closed another one is opened`, async t => {
    const { post, repository, forge } = await buildForgeProject(t, FILES, [mend('0'), mend('1'), mend('2')], { kind })
    const first = (await post('/fix', { ...BODY, draft: false })).json()
    t.match(first.result, { pull_request_url: /\/1$/ }, JSON.stringify(first.error))
    t.match(forge.state.requests, [{ isDraft: false }])
    const second = (await post('/fix', BODY)).json()
    t.equal(second.status, 'succeeded', JSON.stringify(second.error))
    t.equal(second.result.pull_request_url, first.result.pull_request_url)
    t.equal(forge.state.requests.length, 1)
    t.match(forge.state.requests, [{ head: first.result.branch, body: new RegExp(`job \`${second.id}\``) }])
    t.match(repository.git('show', `${first.result.branch}:shop/prices.py`), /return 1\n/, 'the branch has the new fix')
    t.equal(repository.git('diff', '--shortstat', first.result.branch, second.result.branch), '')
    t.equal(
      repository.git('merge-base', '--is-ancestor', first.result.commit, first.result.branch),
      '',
      'on top of the earlier one',
    )

    for (const request of forge.state.requests) request.isOpen = false
    const third = (await post('/fix', BODY)).json()
    t.match(third.result.pull_request_url, /\/2$/)
    t.same(forge.violations, [])
  })
}

test('commits of others on the branch of the earlier request stay; it is told where the newer fix is', async t => {
  const { post, repository, forge, logsOf } = await buildForgeProject(t, FILES, [mend('0'), mend('1')])
  const first = (await post('/fix', BODY)).json()
  repository.commit({ 'review.txt': 'by a person\n' }, { branch: 'person' })
  repository.git('update-ref', `refs/heads/${first.result.branch}`, 'refs/heads/person')
  const second = (await post('/fix', BODY)).json()
  t.match(second, { status: 'succeeded', result: { pull_request_url: first.result.pull_request_url } })
  t.equal(repository.git('rev-parse', first.result.branch), repository.git('rev-parse', 'person'))
  t.match(forge.state.requests, [{ body: new RegExp(`A newer fix [^]*\`${second.result.branch}\``) }])
  t.equal(forge.state.requests.length, 1)
  t.match((await logsOf(second.id)).join('\n'), /its text tells of the new ones/)
})
