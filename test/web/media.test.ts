import { test } from 'tap'
import { chromiumPath, startBrowser } from '../helpers/browser.ts'
import { buildApp, listen } from '../helpers/build-app.ts'
import { buildPageWorld } from '../helpers/page-world.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false

/** Of a sheet of A4 between its margins, at 96 pixels an inch. */
const PAPER = { width: 718, height: 1_047 }

/** What is cut off on paper, or has no place there. */
const FAULTS = `[...document.querySelectorAll('body, body *')].filter(element => element.checkVisibility()).flatMap(
  ({ tagName, className, scrollWidth, clientWidth, scrollHeight, clientHeight, ...element }, index, all) => {
    const style = getComputedStyle(all[index])
    const isCut = scrollWidth > clientWidth + 1 && style.overflowX !== 'visible'
    const isShort = scrollHeight > clientHeight + 1 && style.overflowY !== 'visible'
    const isControl = ['BUTTON', 'FORM', 'INPUT', 'TEXTAREA', 'HEADER'].includes(tagName)
    return isCut || isShort || isControl ? [tagName + '.' + className] : []
  },
)`

test('a page is printed whole, in light colours and without what can only be pressed', { skip }, async t => {
  const world = await buildPageWorld(t)
  const { id } = (await world.post('/generate', { prompt: `${'snake '.repeat(50)}`, execute: 'never' })).json()
  const addresses = [world.located, await world.begin('diff'), `/ui/jobs/${id}`, '/ui/projects/shop', '/ui/activity']
  const url = await listen(t, world)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`, { viewport: PAPER, colorScheme: 'dark' })
  const ground = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
  t.equal(await ground(), 'light dark')
  for (const address of addresses) {
    await page.emulateMedia({ media: null })
    await page.goto(`${url}${address}`)
    const folded = page.locator('details:not([open]) > :not(summary)').first()
    if ((await folded.count()) > 0) t.notOk(await folded.isVisible(), `${address} folds it on a screen`)
    t.not(((await page.evaluate(FAULTS)) as string[]).length, 0, 'there is something to press')
    await page.emulateMedia({ media: 'print' })
    if ((await folded.count()) > 0) t.ok(await folded.isVisible(), `${address} unfolds it on paper`)
    t.same(await page.evaluate(FAULTS), [], address)
    const needed = Number(await page.evaluate('document.documentElement.scrollWidth'))
    t.ok(needed <= PAPER.width, `${address} needs ${needed} pixels`)
    t.equal(await ground(), 'light')
  }
  await page.goto(`${url}${world.located}`)
  t.same(
    await page.locator('h2:visible').allTextContents(),
    ['ZeroDivisionError: integer division or modulo by zero', 'Sources', 'Suspect commits'],
    'a heading of nothing but a form is left out',
  )
})

test('nothing moves for who does not want it', { skip }, async t => {
  const url = await listen(t, await buildApp(t))
  const { open } = await startBrowser(t)
  for (const [reducedMotion, animations] of [
    ['no-preference', 1],
    ['reduce', 0],
  ] as const) {
    const page = await open(`${url}/ui`, { reducedMotion })
    await page.evaluate(`document.querySelector('h1').innerHTML = '<span class="state running">running</span>'`)
    t.equal(await page.evaluate('document.getAnimations().length'), animations, reducedMotion)
  }
})
