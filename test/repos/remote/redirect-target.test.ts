import { test } from 'tap'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { withServer } from '../sync-from-server.ts'

test('a redirect is not followed; the error names where it leads', async t => {
  const { server, url, sync } = await withServer(t)
  const target = await startGitHttpServer('/nonexistent')
  t.teardown(async () => await target.close())
  for (const status of [301, 302, 307, 308]) {
    server.behaviour = {
      status,
      location: `http://user:pw@127.0.0.1:${target.port}/new/home.git/info/refs?service=git-upload-pack`,
    }
    const error = await sync(url).catch(error => error)
    t.match(error, { code: 'REPOSITORY_REDIRECTED', message: `http://127.0.0.1:${target.port}/new/home.git` })
    t.notMatch(error.message + error.fix, /user|pw/)
  }
  server.behaviour = { status: 302, location: 'file:///etc/passwd' }
  await t.rejects(sync(url), { code: 'REPOSITORY_REDIRECTED', message: /^(?!.*passwd)/ })
  t.equal(target.requests.length, 0)
})
