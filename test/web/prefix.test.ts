import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { chromiumPath, startBrowser } from '../helpers/browser.ts'
import { listen } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false
const PREFIX = '/tools/faultline'

/** A proxy that has the server below a path, which it takes off; `to` is where the server listens. */
async function startProxy(t: Test, to: { url: string }): Promise<string> {
  const proxy = createServer((req, res) => {
    const path = req.url ?? ''
    if (!path.startsWith(`${PREFIX}/`)) {
      res.writeHead(404).end(`not below the prefix: ${path}`)
      return
    }
    const passed = httpRequest(
      new URL(path.slice(PREFIX.length), to.url),
      { method: req.method, headers: req.headers },
      answer => {
        res.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(res)
      },
    )
    passed.on('error', () => res.destroy())
    res.on('close', () => passed.destroy())
    req.pipe(passed)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  proxy.listen(0, '127.0.0.1', resolve)
  await promise
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${PREFIX}`
}

test('behind a proxy all is below the path of PUBLIC_URL', { skip }, async t => {
  const to = { url: '' }
  const publicUrl = await startProxy(t, to)
  const key = 'admin-has-a-key-of-some-length'
  const built = await buildWithModel(t, [{ text: '## Cause\n\nThe cart is **empty**.\n' }], {
    env: { PUBLIC_URL: publicUrl, API_KEYS: `admin:${key}` },
  })
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const headers = { authorization: `Bearer ${key}` }
  await built.app.inject({ method: 'POST', url: '/clone?wait=60', headers, body: { url: shop.dir } })
  to.url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${publicUrl}/ui`)
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  t.match(page.url(), /\/tools\/faultline\/ui\/sign-in\?next=/)
  await page.getByLabel('Key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Stack trace or log').fill(SHOP_TRACE)
  await page.getByRole('button', { name: 'Find the code' }).click()
  await page.waitForURL(/\/tools\/faultline\/ui\/resolutions\/res_/)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.locator('#answer strong').waitFor()
  await page.getByRole('link', { name: 'shop', exact: true }).click()
  await page.getByRole('button', { name: 'Clone again' }).click()
  await page.locator('.state.succeeded').waitFor()
  await page.getByRole('link', { name: 'API' }).click()
  await page
    .getByRole('link', { name: /Jobs|Resolving/ })
    .first()
    .waitFor()
  t.same(
    asked.filter(url => !url.startsWith(`${publicUrl}/`)),
    [],
    'nothing is asked of another path',
  )
})
