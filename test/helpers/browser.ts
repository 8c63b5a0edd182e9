import { existsSync } from 'node:fs'
import axe, { type AxeResults } from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { testFolder } from './test-folder.ts'

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

interface TestBrowser {
  browser: Browser
  /** A new page; what its script throws or its console reports as an error fails the test. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
}

/** A real browser, closed in the test's teardown. */
export async function startBrowser(t: Test): Promise<TestBrowser> {
  const executablePath = chromiumPath()
  if (executablePath === null) throw new Error('There is no Chromium: apt-get install chromium')
  const browser = await chromium.launch({
    executablePath,
    args: [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    env: { ...process.env, HOME: testFolder(t) },
  })
  t.teardown(() => browser.close())
  return {
    browser,
    async open(url, options = {}) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      page.on('pageerror', error => t.fail(`a script of ${page.url()} failed`, { found: error }))
      page.on('console', message => {
        if (message.type() === 'error') t.fail(`the console of ${page.url()} has an error`, { found: message.text() })
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
