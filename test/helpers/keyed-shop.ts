import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { buildApp, listen } from './build-app.ts'
import { createShop } from './sample-repository.ts'

/** A key with signs that a shell and curl read in their own way. */
export const CI_KEY = 'ci-key-"with"-\\quotes-$HOME-and-more'

/** A key that GitLab finds nothing to expand in. */
export const PLAIN_KEY = 'gitlab-key-of-some-length'

/** A server that wants a key, with the project `shop`, and a folder in which a CI job runs. */
export async function keyedShop(t: Test, env: Record<string, string> = {}) {
  const built = await buildApp(t, { env: { API_KEYS: `ci:${CI_KEY},gitlab:${PLAIN_KEY}`, ...env } })
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const cloned = await built.app.inject({
    method: 'POST',
    url: '/clone?wait=60',
    headers: { authorization: `Bearer ${CI_KEY}` },
    body: { url: shop.dir },
  })
  t.equal(cloned.json().status, 'succeeded', cloned.body)
  const folder = join(built.root, 'job')
  mkdirSync(folder)
  return {
    ...built,
    url: await listen(t, built),
    folder,
    sha: shop.git('rev-parse', 'main'),
    writeLog: (text: string | Buffer, name = 'test.log') => writeFileSync(join(folder, name), text),
  }
}
