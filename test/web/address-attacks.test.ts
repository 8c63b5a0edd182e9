import { test, type Test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'
import { ATTACKS, madeBy } from '../helpers/markup-attacks.ts'
import { createVisitor, formsOf, linksOf, type Visitor } from '../helpers/page-forms.ts'
import { buildPageWorld } from '../helpers/page-world.ts'

/** What pages take in their address that no link and no form of this small world shows. */
const RARE_NAMES = ['cursor', 'thanks', 'limit', 'type', 'from', 'next', 'asked']

/** Addresses of one kind of page have one shape: ids and commits are left out of it. */
const shapeOf = (address: string): string =>
  address
    .replace(/#.*/, '')
    .replaceAll(/[0-9a-f-]{24,}/g, '*')
    .replaceAll(/=[^&]*/g, '')

const nameOf = (parameter: string): string => parameter.replace(/=.*/, '')
const namesIn = (address: string): string[] => (address.replace(/#.*/, '').split('?')[1] ?? '').split('&').map(nameOf)

interface Site {
  /** The path of a page of each kind. */
  paths: Set<string>
  /** The names of parameters of all queries. */
  names: Set<string>
}

/** Follows all links from some pages. */
async function crawl(visitor: Visitor, from: readonly string[]): Promise<Site> {
  const shapes = new Set<string>()
  const site = { paths: new Set<string>(), names: new Set(RARE_NAMES) }
  const left = [...from]
  for (let address = left.shift(); address !== undefined; address = left.shift()) {
    if (shapes.has(shapeOf(address))) continue
    shapes.add(shapeOf(address))
    site.paths.add(address.replace(/[?#].*/, ''))
    namesIn(address).forEach(name => site.names.add(name))
    const { body } = await visitor.open(address)
    left.push(...linksOf(body))
    const searches = formsOf(body).filter(({ method }) => method === 'GET')
    left.push(
      ...searches.map(({ action, fields }) => `${action}?${[...fields.keys()].map(name => `${name}=a.py`).join('&')}`),
    )
  }
  site.names.delete('')
  return site
}

/** The names that a page takes in its query; none for a page that reads no query, and so refuses nothing in it. */
async function readBy(visitor: Visitor, path: string, names: Iterable<string>): Promise<string[]> {
  const refuses = async (name: string) =>
    (await visitor.open(`${path}?${name}=x`)).body.includes(`querystring/${name} is not a known field`)
  const read: string[] = []
  if (!(await refuses('nothing'))) return read
  for (const name of names) if (!(await refuses(name))) read.push(name)
  return read
}

/** What the attacks make of a page, each put into its address; downloads and the answers of the API are no pages. */
async function attack(t: Test, visitor: Visitor, what: string, addressWith: (attack: string) => string): Promise<void> {
  const found: string[] = []
  for (const text of ATTACKS) {
    const { headers, body } = await visitor.open(addressWith(encodeURIComponent(text)))
    if (/html|xml|svg/.test(String(headers['content-type']))) found.push(...madeBy(body))
  }
  t.same(found, [], what)
}

const withPart = (parts: readonly string[], at: number, text: string): string => parts.with(at, text).join('/')

test('an attack in any part of the address of a page is text', async t => {
  const world = await buildPageWorld(t)
  const visitor = createVisitor(world.app)
  const job = await world.begin('diff')
  const { paths, names } = await crawl(visitor, ['/ui', world.located, job, `${job}/live`, `${job}/archive`])
  t.ok(paths.size >= 12 && names.size >= 16, [...paths, ...names].join(' '))
  for (const path of paths) {
    const parts = path.split('/')
    for (const at of parts.keys()) {
      if (at > 1) await attack(t, visitor, `${path} ${at}`, text => withPart(parts, at, text))
    }
    await attack(t, visitor, `${path}: the name of a parameter`, text => `${path}?${text}=x`)
    for (const name of await readBy(visitor, path, names)) {
      await attack(t, visitor, `${path}: ${name}`, text => `${path}?${name}=${text}`)
    }
  }
})

test('an attack in an address is text on the page that asks for a key first', async t => {
  const { app } = await buildApp(t, { env: { API_KEYS: 'ada:ada-key-0123456789-0123456789' } })
  const visitor = createVisitor(app)
  await attack(t, visitor, 'where to go afterwards', text => `/ui/sign-in?next=${text}`)
  await attack(t, visitor, 'a path', text => `/ui/jobs/${text}`)
  await attack(t, visitor, 'a search', text => `/ui/projects/shop?q=${text}`)
})
