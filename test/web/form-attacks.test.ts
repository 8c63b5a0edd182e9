import { test, type Test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'
import { ATTACKS, madeBy } from '../helpers/markup-attacks.ts'
import { createVisitor, formsOf, type PageForm, type Visitor } from '../helpers/page-forms.ts'
import { buildPageWorld, PAGE_TRACE, type PageWorld } from '../helpers/page-world.ts'

const KEY = 'ada-key-0123456789-0123456789'

/** The forms of a page as they are now: those of another one once what was sent has used them up. */
type Forms = () => Promise<PageForm[]>
type Values = Readonly<Record<string, string>>

/** Who attacks, and what. */
interface Attack {
  world: PageWorld
  visitor: Visitor
}

async function begin(t: Test): Promise<Attack> {
  const world = await buildPageWorld(t, { message: ATTACKS.join(' ') })
  return { world, visitor: createVisitor(world.app) }
}

/** The forms of each of these pages. They come in turn, as a visitor without a cookie gets one with the first. */
async function formsAt(visitor: Visitor, addresses: readonly string[]): Promise<Forms[]> {
  const all: Forms[] = []
  for (const address of addresses) {
    const forms = formsOf((await visitor.open(address)).body)
    all.push(async () => forms)
  }
  return all
}

/** The forms of a job that waits; of a new one when an attack was the answer of the one before. */
function formsOfWaiting({ app, begin }: PageWorld, visitor: Visitor, kind: Parameters<PageWorld['begin']>[0]): Forms {
  let address = ''
  const waits = async () => (await app.inject(address.replace('/ui', ''))).json().status === 'waiting'
  return async () => {
    if (address === '' || !(await waits())) address = await begin(kind)
    return formsOf((await visitor.open(address)).body)
  }
}

/** Values for the fields that a page leaves empty, so that no form is refused for them. */
const filled = ({ fields }: PageForm, samples: Values): Values =>
  Object.fromEntries(Object.entries(samples).filter(([name]) => fields.get(name) === ''))

/** What each attack makes of the answer to a form that has it in a field, or as the name of one. */
async function attackField(visitor: Visitor, formNow: () => Promise<PageForm>, samples: Values, name: string | null) {
  const found: string[] = []
  let isTaken = false
  for (const attack of ATTACKS) {
    const form = await formNow()
    const values = name === null ? { [attack]: 'x' } : { [name]: attack }
    const { statusCode, body } = await visitor.submit(form, { ...filled(form, samples), ...values })
    found.push(...madeBy(body))
    isTaken ||= statusCode === 200
  }
  return { found, isTaken }
}

/** Sends each attack in each field of each form, and gives the names of the fields that took one. */
async function attackForms(t: Test, visitor: Visitor, forms: Forms, samples: Values = {}): Promise<string[]> {
  const taken: string[] = []
  for (const [at, { action, fields }] of (await forms()).entries()) {
    const formNow = async () => {
      const form = (await forms())[at]
      if (form === undefined) throw new Error(`The page of ${action} has no such form any more.`)
      return form
    }
    for (const name of [...fields.keys(), null]) {
      const { found, isTaken } = await attackField(visitor, formNow, samples, name)
      t.same(found, [], `${action}: ${name ?? 'the name of a field'}`)
      if (isTaken && name !== null) taken.push(name)
    }
  }
  return taken
}

/** Looks at pages that show what was sent earlier. */
async function look(t: Test, visitor: Visitor, addresses: readonly string[]): Promise<void> {
  const found: string[] = []
  for (const address of addresses) {
    const { statusCode, body } = await visitor.open(address)
    if (statusCode !== 200) found.push(`${address}: ${statusCode}`)
    found.push(...madeBy(body).map(made => `${address}: ${made}`))
  }
  t.same(found, [], 'later')
}

/**
 * Attacks the forms of some pages, and then looks at all pages that may show what was sent.
 *
 * @param texts - Fields of free text: if they took no attack, their forms were refused for something else.
 */
async function attackPages(t: Test, { world, visitor }: Attack, places: readonly Forms[], texts: readonly string[]) {
  const samples = { url: world.repository.dir, stacktrace: PAGE_TRACE, path: 'a.py' }
  const taken = new Set<string>()
  for (const forms of places) {
    for (const name of await attackForms(t, visitor, forms, samples)) taken.add(name)
  }
  t.same(
    texts.filter(name => !taken.has(name)),
    [],
    'each took one',
  )
  const { data } = (await world.app.inject('/jobs?limit=200')).json() as { data: Array<{ id: string }> }
  const jobs = data.flatMap(({ id }) => [`/ui/jobs/${id}`, `/ui/jobs/${id}/transcript`])
  await look(t, visitor, [
    '/ui',
    '/ui/jobs',
    '/ui/activity',
    '/ui/projects/shop',
    world.located,
    world.suspect,
    ...jobs,
  ])
}

test('an attack in a form of a list or of a job is text, in the answer and later', async t => {
  const { world, visitor } = await begin(t)
  const waiting = (['question', 'diff', 'budget'] as const).map(kind => formsOfWaiting(world, visitor, kind))
  const fixed = await formsAt(visitor, ['/ui', '/ui/jobs', '/ui/activity', await world.begin('failed')])
  await attackPages(t, { world, visitor }, [...fixed, ...waiting], ['stacktrace', 'branch', 'answer', 'comment'])
})

test('an attack in a form of a resolution or of a project is text, in the answer and later', async t => {
  const { world, visitor } = await begin(t)
  world.model.answerBy(() => ({ hang: true })) // one fix works on, the others are queued
  // the settings last: each fix would run the commands that they hold
  const forms = await formsAt(visitor, [world.located, '/ui/projects/shop'])
  const checks = ['check_test', 'in_app_exclude', 'path_mappings', 'allowed_paths', 'migration_apply', 'templates']
  await attackPages(t, { world, visitor }, forms, ['command', 'actual_path', 'comment', 'q', ...checks])
})

test('an attack in the form that one signs in with is text, and so it is in what a session adds', async t => {
  const { app } = await buildApp(t, { env: { API_KEYS: `ada:${KEY}` } })
  const visitor = createVisitor(app)
  for (const address of ['/ui/sign-in', '/ui/jobs']) {
    for (const forms of await formsAt(visitor, [address])) await attackForms(t, visitor, forms, { key: KEY })
  }
  await look(t, visitor, ['/ui', '/ui/activity'])
})
