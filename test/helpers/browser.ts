import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { Test } from 'tap'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a browser is; null on a machine without one. */
export const chromiumPath = (): string | null => PATHS.find(path => existsSync(path)) ?? null

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
]

/** A page is there in far less, also beside other tests. */
const PATIENCE_MS = 15_000

interface TestBrowser {
  browser: Browser
  /** A new page; what its script throws or its console reports, other than a 4xx answer, fails the test. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
}

/** A real browser, closed in the test's teardown. */
export async function startBrowser(t: Test): Promise<TestBrowser> {
  const executablePath = chromiumPath()
  if (executablePath === null) throw new Error('There is no Chromium: apt-get install chromium')
  const home = mkdtempSync(join(tmpdir(), 'faultline-browser-'))
  const browser = await chromium.launch({
    executablePath,
    args: [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    env: { ...process.env, HOME: home },
  })
  t.teardown(async () => {
    await browser.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 }) // a process of it may still write
  })
  return {
    browser,
    async open(url, options = {}) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      page.on('pageerror', error => t.fail(`a script of ${page.url()} failed`, { found: error }))
      page.on('console', message => {
        const isRefusal = message.text().includes('the server responded with a status of 4')
        if (message.type() === 'error' && !isRefusal) {
          t.fail(`the console of ${page.url()} has an error`, { found: message.text() })
        }
      })
      await page.goto(url)
      return page
    },
  }
}

/** What axe finds wrong with a page, against WCAG 2.2 AA: the rule, and where. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html: markup }) => `${id}: ${markup.slice(0, 200)}`))
}
