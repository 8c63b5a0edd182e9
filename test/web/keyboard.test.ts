import { test } from 'tap'
import type { Page } from 'playwright-core'
import { chromiumPath, startBrowser } from '../helpers/browser.ts'
import { listen } from '../helpers/build-app.ts'
import { buildProject } from '../helpers/project-with-model.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false
const FILES = { 'a.py': 'def mean(values):\n    return sum(values) / len(values)\n' }
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/a.py", line 2, in mean\n    return sum(values) / len(values)\n' +
  'ZeroDivisionError: division by zero'
const edit = (by: string): string =>
  '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def mean(values):\n-    return sum(values) / len(values)\n' +
  `+    return sum(values) / ${by}\n\`\`\`\n`
/** The name of what has the focus. */
const FOCUSED = `{
  const { labels, textContent, ariaLabel } = document.activeElement
  ;(ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim()
}`
const MAX_TABS = 60

/** Goes on with the Tab key until this has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = []
  for (let at = 0; at < MAX_TABS; at++) {
    await page.keyboard.press('Tab')
    const focused = (await page.evaluate(FOCUSED)) as string
    if (name.test(focused)) return
    seen.push(focused.slice(0, 40))
  }
  throw new Error(`Tab does not lead to ${name}: ${seen.join(', ')}`)
}

test(
  'a trace is pasted, its code folded, and a change rejected and approved, by the keyboard alone',
  { skip },
  async t => {
    const built = await buildProject(t, FILES, [{ text: edit('max(1, 1)') }, { text: edit('max(1, len(values))') }])
    const { id } = (await built.post('/improve', { prompt: 'No crash', project_name: 'shop', select: ['*.py'] })).json()
    const url = await listen(t, built)
    const { open } = await startBrowser(t)
    const page = await open(`${url}/ui`)
    await tabTo(page, /^Stack trace or log/)
    await page.keyboard.insertText(TRACE)
    await tabTo(page, /^Find the code$/)
    await page.keyboard.press('Enter')
    await page
      .getByRole('heading', { name: /^ZeroDivisionError/ })
      .first()
      .waitFor()
    const frame = page.locator('.frames details')
    t.equal(await frame.evaluate(one => one.hasAttribute('open')), true)
    await tabTo(page, /^a\.py:2 in mean/)
    await page.keyboard.press('Enter')
    t.equal(await frame.evaluate(one => one.hasAttribute('open')), false)

    await page.goto(`${url}/ui/jobs/${id}`)
    await tabTo(page, /^What should be different/)
    await page.keyboard.type('Divide by at least one.')
    await tabTo(page, /^Reject$/)
    await page.keyboard.press('Enter')
    await page.locator('tr.added code', { hasText: 'max(1, len(values))' }).waitFor()
    await tabTo(page, /^Approve$/)
    await page.keyboard.press('Enter')
    await page.locator('.state.succeeded').waitFor()
    const { branch } = (await built.app.inject(`/jobs/${id}`)).json().result
    t.match(built.git('show', `${branch}:a.py`), 'max(1, len(values))')
  },
)
