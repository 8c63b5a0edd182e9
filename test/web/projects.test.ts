import { join } from 'node:path'
import { test, type Test } from 'tap'
import { buildApp, cloneInto, listen } from '../helpers/build-app.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { loseFolder } from '../helpers/lose-folder.ts'
import { createShop } from '../helpers/sample-repository.ts'
import { chromiumPath, startBrowser } from '../helpers/browser.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false

async function journey(t: Test, javaScriptEnabled: boolean): Promise<void> {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`, { javaScriptEnabled })
  /** Without a script a job is looked at again by loading its page. */
  const ended = async (): Promise<void> => {
    if (!javaScriptEnabled) {
      await built.app.inject(`${new URL(page.url()).pathname.replace('/ui', '')}?wait=30`)
      await page.reload()
    }
    await page.locator('.state.succeeded').waitFor()
  }
  await page.getByLabel('Repository').fill(` ${shop.dir} `)
  await page.getByRole('button', { name: 'Clone' }).click()
  await ended()
  t.match(await page.locator('#job').textContent(), /Indexed shop: 5 files/)
  await page.goto(`${url}/ui`)
  await page.getByRole('link', { name: 'shop' }).click()
  t.match(await page.title(), 'shop')
  await page.getByLabel('Search the code').fill('average price')
  await page.getByRole('button', { name: 'Search' }).click()
  t.match(await page.locator('main').textContent(), /hits? for “average price”/)
  t.ok((await page.locator('.hljs-keyword').count()) > 0)
  await page
    .getByRole('link', { name: /src\/shop\/prices\.py/ })
    .first()
    .click()
  t.match(page.url(), /\/ui\/projects\/shop\/files\/shop\/[0-9a-f]{40}\/src\/shop\/prices\.py#L\d+$/)
  t.match(await page.locator('pre').textContent(), 'return total / len(items)')
  await page.getByRole('link', { name: 'shop' }).click()
  await page.getByLabel('File', { exact: true }).fill(' README.md')
  await page.getByLabel('at', { exact: true }).fill('main ')
  await page.getByRole('button', { name: 'Open' }).click()
  t.match(page.url(), /\/files\/shop\/[0-9a-f]{40}\/README\.md$/)
  await page.getByRole('link', { name: 'shop' }).click()
  await page.getByText('Settings', { exact: true }).click()
  await page.getByLabel('test', { exact: true }).fill('pytest -q')
  await page.getByLabel(/Beginnings of paths/).fill('/app/ => src/')
  await page.getByRole('button', { name: 'Save the settings' }).click()
  t.match((await built.app.inject('/projects/shop')).json(), {
    checks: { test: 'pytest -q' },
    path_mappings: [{ from: '/app/', to: 'src/' }],
  })
  await page.goto(`${url}/ui/activity?action=`)
  t.match(await page.locator('main').textContent(), 'project.change')
  await page.goto(`${url}/ui/projects/shop`)
  await page.getByRole('button', { name: 'Clone again' }).click()
  await ended()
  await page.goto(`${url}/ui/projects/shop`)
  await page.getByText('Delete this project').click()
  await page.getByRole('button', { name: 'Delete shop' }).click()
  await page.waitForURL(/\/ui$/)
  t.equal((await built.app.inject('/projects/shop')).statusCode, 404)
}

for (const [how, javaScriptEnabled] of [
  ['with a script', true],
  ['without one', false],
] as const) {
  test(`a repository is cloned, searched, read, set up and deleted by its pages, ${how}`, { skip }, t =>
    journey(t, javaScriptEnabled),
  )
}

test('a wrong setting is said on a page, and nothing is changed', { skip }, async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  await built.app.inject({ method: 'POST', url: '/clone?wait=60', body: { url: shop.dir } })
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/projects/shop`, { javaScriptEnabled: false })
  await page.getByText('Settings', { exact: true }).click()
  await page.getByLabel(/Ask the remote/).fill('every day')
  await page.getByRole('button', { name: 'Save the settings' }).click()
  t.match(await page.locator('[role=alert]').textContent(), /sync/)
  t.equal((await built.app.inject('/projects/shop')).json().sync, null)
})

test('the page of a project shows the commands that hold, and who says them', async t => {
  const built = await buildApp(t)
  const files = {
    'package.json': '{"scripts": {"test": "node --test", "lint": "eslint ."}}',
    '.faultline.toml': '[checks]\nbuild = "make <all>"\n',
  }
  const { dir } = createGitRepository(join(built.reposDir, 'shop.git'), { files })
  await cloneInto(t, built, { url: dir, project_name: 'shop' })
  await built.app.inject({ method: 'PATCH', url: '/projects/shop', body: { checks: { lint: 'npx standard' } } })
  const rows = (await built.app.inject('/ui/projects/shop')).body
  t.match(rows, /test<\/th><td><code>npm (?:run )?test<\/code><\/td><td>\.faultline\.toml, or the project/)
  t.match(rows, /build<\/th><td><code>make &lt;all&gt;<\/code>/)
  t.match(rows, /lint<\/th><td><code>npx standard<\/code><\/td><td>the settings/)
  loseFolder(built.root, 'cloned_repos/shop')
  const broken = await built.app.inject('/ui/projects/shop')
  t.equal(broken.statusCode, 200)
  t.match(broken.body, /npx standard.*Its files could not be asked: /s)
})
