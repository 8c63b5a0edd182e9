import type { BrowserContextOptions, Page } from 'playwright-core'
import { test } from 'tap'
import { axeFindings, chromiumPath, startBrowser } from '../helpers/browser.ts'
import { buildApp, listen } from '../helpers/build-app.ts'
import { buildPageWorld, LONG_NAME, PAGE_TRACE, type PageWorld } from '../helpers/page-world.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false
const BEN = 'ben-key-0123456789-0123456789'

/** Of WCAG 1.4.10: at this width nobody has to scroll to the side to read a line. */
const NARROW_PX = 320

const VIEWS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  narrow: { colorScheme: 'light', viewport: { width: NARROW_PX, height: 800 } },
}

/** Opens what is folded, and waits for what comes into it. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate('document.querySelectorAll("details").forEach(one => { one.open = true })')
  for (const changes of await page.locator('[hx-get] .changes').all()) await changes.locator('table').waitFor()
}

/** What is wrong with the page that is open, with all that can be unfolded on it. */
async function faultsOf(page: Page): Promise<string[]> {
  await unfold(page)
  const found = await axeFindings(page)
  const { width = 0 } = page.viewportSize() ?? {}
  const needed = await page.evaluate('document.documentElement.scrollWidth')
  return Number(needed) > width ? [`it is ${needed} pixels wide in a window of ${width}`, ...found] : found
}

/** The address of a page of each kind, by what it shows. */
async function addressesOf({ post, reply, commit, located, suspect, begin }: PageWorld) {
  const question = { project_name: 'shop', stacktrace: PAGE_TRACE }
  const answered = (await post('/resolve', question)).json()
  const looked = (await post('/resolve', { ...question, investigate: true })).json()
  const approved = await begin('diff')
  await reply(approved.replace('/ui/jobs/', ''), { decision: 'approve' })
  const diff = await begin('diff')
  return {
    'a question': await begin('question'),
    'a budget': await begin('budget'),
    'a diff': diff,
    'a diff, side by side': `${diff}?view=split`,
    'a job that ended': approved,
    'a job that failed': await begin('failed'),
    'a transcript': `${approved}/transcript`,
    home: '/ui',
    'a resolution': located,
    'an answer': `/ui/resolutions/${answered.id}`,
    thanks: `/ui/resolutions/${answered.id}?thanks=yes`,
    'an investigation': `/ui/resolutions/${looked.result[0].id}`,
    'a text to copy': `${located}/text?as=markdown`,
    'a suspect commit': suspect,
    jobs: '/ui/jobs',
    project: '/ui/projects/shop',
    'a project with a long name': `/ui/projects/${LONG_NAME}`,
    'a search': '/ui/projects/shop?q=mean',
    'a file': `/ui/projects/shop/files/shop/${commit}/a.py`,
    activity: '/ui/activity',
    'what is not there': `/ui/jobs/${LONG_NAME}`,
    'what is not valid': '/ui/jobs?status=none',
  }
}

type Looked = (what: string) => Promise<void>

/** What only a server with keys has: its first page shows these in turn. */
async function lookAtSigningIn(page: Page, url: string, look: Looked): Promise<void> {
  const signIn = async (key: string) => {
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  /** Sends the first form of the page elsewhere, as one that was made before a session ended or a key was changed. */
  const sendTo = (path: string) =>
    Promise.all([
      page.waitForURL(`${url}${path}`),
      page.evaluate(
        `{ const form = document.querySelector('form[method=post]'); form.action = '${path}'; form.submit() }`,
      ),
    ])
  await page.goto(`${url}/ui/sign-in`)
  await look('signing in')
  await sendTo('/ui/resolutions')
  await page.getByRole('heading', { name: 'The session has ended' }).waitFor()
  await look('a session that has ended')
  await page.goto(`${url}/ui/sign-in`)
  await signIn('wrong')
  await page.getByText('The key is not known.').waitFor()
  await look('a wrong key')
  await signIn(BEN)
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  await look('no project yet, for a key that only reads')
  await sendTo('/ui/projects')
  await page.getByRole('heading', { name: 'Forbidden' }).waitFor()
  await look('what a key may not do')
}

for (const [view, options] of Object.entries(VIEWS)) {
  test(`axe finds nothing on any page: ${view}`, { skip }, async t => {
    const world = await buildPageWorld(t)
    const addresses = await addressesOf(world)
    const url = await listen(t, world)
    const { open } = await startBrowser(t)
    const page = await open(`${url}/ui`, options)
    for (const [name, address] of Object.entries(addresses)) {
      const response = await page.goto(`${url}${address}`)
      t.equal(response?.ok(), !name.startsWith('what is not'), address)
      t.same(await faultsOf(page), [], name)
    }
  })

  test(`axe finds nothing where keys are asked for: ${view}`, { skip }, async t => {
    const built = await buildApp(t, { env: { API_KEYS: `ben:${BEN}:read` } })
    const url = await listen(t, built)
    const { open } = await startBrowser(t)
    const page = await open(`${url}/ui`, options)
    await lookAtSigningIn(page, url, async what => {
      t.same(await faultsOf(page), [], what)
    })
  })
}

/** What has the focus, and the style of the line around it. */
const FOCUSED = `{
  const { tagName, name, href, textContent } = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
  ;({ what: [tagName, name ?? href ?? '', textContent.trim().slice(0, 40)].join(' '), outlineStyle, outlineWidth })
}`

test(
  'the Tab key first leads to a link past the head of a page, and then through all its controls',
  { skip },
  async t => {
    const world = await buildPageWorld(t)
    await world.begin('question')
    const url = await listen(t, world)
    const { open } = await startBrowser(t)
    const page = await open(`${url}/ui`)
    const controls = await page
      .locator('a[href], button, input:not([type=hidden]), select, textarea, [tabindex="0"]')
      .count()
    const seen: string[] = []
    for (let at = 0; at < controls; at++) {
      await page.keyboard.press('Tab')
      const { what, ...outline } = (await page.evaluate(FOCUSED)) as {
        what: string
        outlineStyle: string
        outlineWidth: string
      }
      t.match(outline, { outlineStyle: 'solid', outlineWidth: '3px' }, what)
      seen.push(what)
    }
    t.match(seen[0], 'Skip to the content')
    t.same(
      seen.filter(what => what.startsWith('BODY')),
      [],
      'none of them is left out',
    )
  },
)
