// Takes pictures of the pages: npm run screenshots -- FOLDER
//
// Without a folder it writes those that README.md and docs/pages.md show, into docs/screenshots/; with one all pages,
// light and dark, wide and narrow, to be looked at.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { startShopWorld, type ShopWorld } from './screenshots/shop-world.ts'

const CHROMIUM = '/usr/bin/chromium'
const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } }
const SCHEMES = ['light', 'dark'] as const

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-screenshots-')))
const [target] = process.argv.slice(2)

/** Goes through the pages as a person would, and gives the address of each by its name. */
async function visit(world: ShopWorld, page: Page): Promise<Record<string, string>> {
  const { url, trace } = world
  await page.goto(`${url}/ui`)
  await page.getByLabel('Stack trace or log').fill(trace)
  await page.getByRole('button', { name: 'Find the code' }).click()
  const located = page.url()
  const answered = await world.post<{ id: string }>('/resolve', { project_name: 'shop', stacktrace: trace })
  const fix = await world.post<{ id: string }>('/fix?wait=60', { project_name: 'shop', stacktrace: trace })
  return {
    home: `${url}/ui`,
    located,
    answered: `${url}/ui/resolutions/${answered.id}`,
    jobs: `${url}/ui/jobs`,
    fix: `${url}/ui/jobs/${fix.id}`,
    split: `${url}/ui/jobs/${fix.id}?view=split`,
    project: `${url}/ui/projects/shop`,
    search: `${url}/ui/projects/shop?q=coupon`,
    activity: `${url}/ui/activity`,
    missing: `${url}/ui/projects/shopping`,
  }
}

async function takeAll(world: ShopWorld, into: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
    env: { ...process.env, HOME: folder },
  })
  try {
    const addresses = await visit(world, await browser.newPage())
    for (const [size, viewport] of Object.entries(SIZES)) {
      for (const colorScheme of SCHEMES) {
        const page = await browser.newPage({ viewport, colorScheme })
        for (const [name, address] of Object.entries(addresses)) {
          await page.goto(address)
          await page.screenshot({ path: join(into, `${name}-${size}-${colorScheme}.png`), fullPage: true })
        }
        await page.close()
      }
    }
  } finally {
    await browser.close()
  }
}

try {
  const world = await startShopWorld(folder)
  try {
    await takeAll(world, target ?? join(import.meta.dirname, '..', 'docs', 'screenshots'))
  } finally {
    await world.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
