import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { cloneInto, listen } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { axeFindings, chromiumPath, startBrowser } from '../helpers/browser.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const ANSWER =
  '## Explanation\n\nThe cart is **empty**, so `len(items)` is 0.\n\n## Fix\n\nReturn 0 for an empty cart.\n'
const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false

/** From the first page to that of the trace. */
async function paste(page: Page): Promise<void> {
  await page.getByLabel('Stack trace or log').fill(SHOP_TRACE)
  await page.getByRole('button', { name: 'Find the code' }).click()
  await page.waitForURL(/\/ui\/resolutions\/res_/)
}

test('a pasted trace becomes a page with its code, and the answer streams into it', { skip }, async t => {
  const built = await buildWithModel(t, [{ text: ANSWER }])
  const shop = createShop(join(built.reposDir, 'shop.git'))
  await cloneInto(t, built, { url: shop.dir })
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`)
  await paste(page)
  t.match(await page.title(), 'ZeroDivisionError: division by zero in src/shop/prices.py:6')
  const marked = await page.locator('.frames mark').allTextContents()
  t.ok(marked.some(line => line.includes('return total / len(items)')))
  t.ok((await page.locator('.frames .hljs-keyword').count()) > 0, 'the code is coloured')
  const first = page.url()
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.locator('#answer strong').waitFor()
  t.match(await page.locator('#answer').textContent(), 'The cart is empty, so len(items) is 0.')
  await page.waitForURL(address => address.href !== first)
  t.match(page.url(), /\/ui\/resolutions\/res_/)
  t.equal(await page.getByRole('button', { name: 'Explain' }).count(), 0)
  await page.getByRole('button', { name: 'Yes' }).click()
  await page.getByText('Thank you').waitFor()
  t.match(
    await page.locator('#answer').textContent(),
    'The cart is empty, so len(items) is 0.',
    'it has its own address',
  )
  t.same(await axeFindings(page), [])
  await page.emulateMedia({ colorScheme: 'dark' })
  t.same(await axeFindings(page), [], 'dark')
})

test('an answer that comes in moves nothing', { skip }, async t => {
  const rest = Promise.withResolvers<void>()
  const built = await buildWithModel(t, [{ text: ANSWER.repeat(20), slowTokensUntil: rest.promise }])
  await cloneShop(t, built)
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`)
  await paste(page)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.locator('#answer span').first().waitFor()
  await page.evaluate(`{
    window.shifts = []
    const keep = list => shifts.push(...list.getEntries().map(entry => entry.value))
    new PerformanceObserver(keep).observe({ type: 'layout-shift' })
  }`)
  rest.resolve()
  await page.locator('#answer strong').first().waitFor()
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  t.same(await page.evaluate('window.shifts'), [])
})

test('what a model failed to explain is asked again', { skip }, async t => {
  const built = await buildWithModel(t, [{ status: 400 }, { status: 400 }, { text: ANSWER }])
  await cloneShop(t, built)
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`)
  await paste(page)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByText('The model gave no answer').waitFor()
  const first = page.url()
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.waitForURL(address => address.href !== first)
  t.equal(await page.getByText('The model gave no answer').count(), 1)
  await page.reload()
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.locator('#answer strong').waitFor()
  t.notMatch(await page.locator('#answer').textContent(), 'The model gave no answer')
  t.equal(await page.getByRole('button', { name: 'Explain' }).count(), 0)
})

test('an answer whose connection is lost says so, and is asked for again', { skip }, async t => {
  const never = Promise.withResolvers<void>()
  t.teardown(() => never.resolve())
  const built = await buildWithModel(t, [{ text: 'Words of the first', slowTokensUntil: never.promise }])
  await cloneShop(t, built)
  built.model.answerBy(() => ({ text: ANSWER }))
  const body = { project_name: 'shop', stacktrace: SHOP_TRACE, mode: 'context' }
  const { id } = (await built.app.inject({ method: 'POST', url: '/resolve', body })).json()
  const url = await listen(t, built)
  const { browser } = await startBrowser(t)
  const page = await browser.newPage() // its console has the lost connection
  await page.goto(`${url}/ui/resolutions/${id}`)
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.locator('#answer span').first().waitFor()
  built.app.server.closeAllConnections()
  await page.getByText('The connection was lost before the answer was whole').waitFor()
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.locator('#answer strong').waitFor()
  t.notMatch(await page.locator('#answer').textContent(), /was lost|Words/)
})

test('without a script the answer is a page of its own', { skip }, async t => {
  const built = await buildWithModel(t, [{ text: ANSWER }])
  const shop = createShop(join(built.reposDir, 'shop.git'))
  await cloneInto(t, built, { url: shop.dir })
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`, { javaScriptEnabled: false })
  await paste(page)
  const first = page.url()
  await page.getByRole('button', { name: 'Explain' }).click()
  t.not(page.url(), first)
  t.match(await page.locator('#answer').textContent(), 'The cart is empty, so len(items) is 0.')
})
