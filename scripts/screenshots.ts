// Takes pictures of the pages: npm run screenshots -- FOLDER
//
// Without a folder it writes those that README.md and docs/pages.md show, into docs/screenshots/; with one all pages,
// light and dark, wide and narrow, to be looked at.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Locator, type Page } from 'playwright-core'
import { startShopWorld, type ShopWorld } from './screenshots/shop-world.ts'

const CHROMIUM = '/usr/bin/chromium'
const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } }
const SCHEMES = ['light', 'dark'] as const
const DOCUMENTED = { answered: { scheme: 'light', height: 1180 }, fix: { scheme: 'dark', height: 780 } } as const

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-screenshots-')))
chmodSync(folder, 0o711) // programs run as another user
const [target] = process.argv.slice(2)

const QUESTIONED = 'A game of snake for the terminal'
const TASK = 'Let an unknown coupon take nothing off'

/** Goes through the pages as a person would, and gives the address of each by its name. */
async function visit(world: ShopWorld, page: Page): Promise<Record<string, string>> {
  const { url, trace } = world
  await page.goto(`${url}/ui`)
  await page.getByLabel('Stack trace or log').fill(trace)
  await page.getByRole('button', { name: 'Find the code' }).click()
  const located = page.url()
  const answered = await world.post<{ id: string }>('/resolve', { project_name: 'shop', stacktrace: trace })
  const fix = await world.post<{ id: string }>('/fix?wait=60', {
    project_name: 'shop',
    stacktrace: trace,
    verify: { command: 'node src/main.js orders/1042.json' },
  })
  const { id: question } = await world.post<{ id: string }>('/generate?wait=60', {
    prompt: QUESTIONED,
    mode: 'clarified',
  })
  const { id: task } = await world.post<{ id: string }>('/tasks?wait=60', { project_name: 'shop', description: TASK })
  await page.goto(`${url}/ui/resolutions/${answered.id}`)
  const hrefOf = (link: Locator): Promise<string> =>
    link.first().evaluate(element => (element as { href: string }).href)
  const suspect = await hrefOf(page.locator('a[href*="/suspects/"]'))
  const file = await hrefOf(page.getByRole('link', { name: 'in its file' }))
  return {
    home: `${url}/ui`,
    located,
    answered: `${url}/ui/resolutions/${answered.id}`,
    text: `${url}/ui/resolutions/${answered.id}/text?as=prompt`,
    suspect,
    file,
    jobs: `${url}/ui/jobs`,
    fix: `${url}/ui/jobs/${fix.id}`,
    split: `${url}/ui/jobs/${fix.id}?view=split`,
    question: `${url}/ui/jobs/${question}`,
    task: `${url}/ui/jobs/${task}`,
    transcript: `${url}/ui/jobs/${task}/transcript`,
    project: `${url}/ui/projects/shop`,
    search: `${url}/ui/projects/shop?q=coupon`,
    activity: `${url}/ui/activity`,
    missing: `${url}/ui/projects/shopping`,
    'sign-in': `${world.lockedUrl}/ui/sign-in`,
  }
}

/** Every page, light and dark, wide and narrow. */
async function takeAll(browser: Browser, addresses: Record<string, string>, into: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of SCHEMES) {
      const page = await browser.newPage({ viewport, colorScheme })
      for (const [name, address] of Object.entries(addresses)) {
        await page.goto(address)
        // what is folded away is looked at, too
        await page.locator('details').evaluateAll(all => all.forEach(one => one.setAttribute('open', '')))
        await page.screenshot({ path: join(into, `${name}-${size}-${colorScheme}.png`), fullPage: true })
      }
      await page.close()
    }
  }
}

/** What the documentation shows: the top of some pages. */
async function takeForDocs(browser: Browser, addresses: Record<string, string>, into: string): Promise<void> {
  for (const [name, { scheme: colorScheme, height }] of Object.entries(DOCUMENTED)) {
    const page = await browser.newPage({ viewport: { width: 1100, height }, colorScheme })
    await page.goto(addresses[name] ?? '')
    await page.screenshot({ path: join(into, `${name}.png`) })
    await page.close()
  }
}

async function takePictures(world: ShopWorld): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
    env: { ...process.env, HOME: folder },
  })
  try {
    const addresses = await visit(world, await browser.newPage())
    const into = target ?? join(import.meta.dirname, '..', 'docs', 'screenshots')
    mkdirSync(into, { recursive: true })
    await (target === undefined ? takeForDocs : takeAll)(browser, addresses, into)
  } finally {
    await browser.close()
  }
}

try {
  const world = await startShopWorld(folder)
  try {
    await takePictures(world)
  } finally {
    await world.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
