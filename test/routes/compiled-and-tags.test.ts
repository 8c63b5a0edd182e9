import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

type Files = Record<string, string>

/** A program of three files as compilers and bundlers really wrote it, with the trace of its crash. */
const SHOP = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/compiled/shop.json'), 'utf8')) as {
  sources: Files
  builds: Record<string, { files: Files; trace: string }>
}

test(
  'a crash of a bundle that the repository tracks is resolved to its sources, which no search finds in the ' + 'bundle',
  async t => {
    const built = await buildApp(t)
    const { files = {}, trace = '' } = SHOP.builds.webpack ?? {}
    const shop = createGitRepository(join(built.reposDir, 'shop.git'), {
      files: { ...SHOP.sources, ...files, 'dist/main.js.LICENSE.txt': 'MIT\n' },
    })
    const { result } = await cloneInto(t, built, { url: shop.dir })
    t.match(result, { files_indexed: 3 }, 'neither the bundle nor its map')
    const resolve = async (body: object) =>
      (
        await built.app.inject({
          method: 'POST',
          url: '/resolve',
          body: { project_name: 'shop', mode: 'context', detail: 'full', stacktrace: trace, ...body },
        })
      ).json()
    const resolution = await resolve({})
    t.match(
      resolution.frames
        .filter((frame: { in_project: boolean }) => frame.in_project)
        .map(({ path, code_line: line, match }: { path: string; code_line: number; match: string }) => [
          path,
          line,
          match,
        ]),
      [
        ['src/main.ts', 3, 'source_map'],
        ['src/checkout.ts', 12, 'source_map'],
        ['src/cart.ts', 12, 'source_map'],
      ],
    )
    t.match(resolution.context, />>> +12 \| {3}return lines\.reduce/)
    t.equal(resolution.sources[0].path, 'src/cart.ts')

    const first = shop.git('rev-parse', 'main')
    shop.commit({
      'src/cart.ts': `// Licence\n\n${SHOP.sources['src/cart.ts']}`,
      'dist/main.js': null,
      'dist/main.js.map': null,
    })
    await cloneInto(t, built, { url: shop.dir })
    t.match((await resolve({})).frames.at(-1), { in_project: false }, 'this commit has no bundle')
    await built.services.idle() // the history
    t.match(
      (await resolve({ ref: first })).frames.at(-1),
      { path: 'src/cart.ts', code_line: 12, match: 'source_map' },
      'the bundle of the commit asked for',
    )
  },
)

test('where the code of a mapped line is gone, no line is marked by the number of the bundle', async t => {
  const built = await buildApp(t)
  const { files = {}, trace = '' } = SHOP.builds.webpack ?? {}
  const shop = createGitRepository(join(built.reposDir, 'shop.git'), {
    files: { ...SHOP.sources, ...files, 'src/cart.ts': 'export const total = () => 0\n' },
  })
  await cloneInto(t, built, { url: shop.dir })
  const { frames, sources } = (
    await built.app.inject({
      method: 'POST',
      url: '/resolve',
      body: { project_name: 'shop', mode: 'context', stacktrace: trace },
    })
  ).json()
  t.match(frames.at(-1), { path: 'src/cart.ts', line: 1, code_line: null, why: /whose code has changed since/ })
  t.match(
    sources.find(({ path }: { path: string }) => path === 'src/cart.ts'),
    { highlighted_lines: [] },
  )
})

test('a text without a fault is searched by its words, and the answer says what to post instead', async t => {
  const built = await buildApp(t)
  const shop = createGitRepository(join(built.reposDir, 'shop.git'), { files: SHOP.sources })
  await cloneInto(t, built, { url: shop.dir })
  const resolve = async (stacktrace: string) =>
    (
      await built.app.inject({
        method: 'POST',
        url: '/resolve',
        body: { project_name: 'shop', mode: 'context', stacktrace },
      })
    ).json()
  const without = await resolve('The checkout is done: the cart was charged.\nAll 12 tests passed.\n')
  t.match(without, {
    exceptions: [],
    frames: [],
    notice: /^There is no stack trace.* searched by its words\. Post what the failing command printed/,
  })
  t.ok(without.sources.length > 0)
  t.notOk('notice' in (await resolve(SHOP.builds.tsc?.trace ?? '')))
})

test('a version of the project in a trace that has a tag is read at that tag, and the answer says so', async t => {
  const built = await buildApp(t)
  const trace = (head: string) =>
    `${head}\n${SHOP.builds.tsc?.trace.replaceAll('/dist/', '/src/').replaceAll('.js:', '.ts:')}`
  const shop = createGitRepository(join(built.reposDir, 'shop.git'), {
    files: { ...SHOP.sources, 'packages/till/package.json': '{"name": "@acme/till"}\n' },
  })
  const released = shop.git('rev-parse', 'main')
  shop.commit({ 'src/other.ts': 'export {}\n' })
  shop.git('tag', 'release-1.2')
  shop.commit({ 'src/other.ts': null })
  for (const tag of ['v1.2.3', '@acme/till@2.0.1', '@acme/shelf@2.0.2']) shop.git('tag', tag, released)
  shop.commit({ 'src/cart.ts': `// Licence\n${SHOP.sources['src/cart.ts']}` })
  shop.git('tag', 'v3.0.0')
  await cloneInto(t, built, { url: shop.dir })
  const whyOf = async (head: string): Promise<string> => {
    const res = await built.app.inject({
      method: 'POST',
      url: '/resolve',
      body: { project_name: 'shop', mode: 'context', stacktrace: trace(head) },
    })
    return res
      .json()
      .frames.map(({ why }: { why: string }) => /"ref": "(\S+)"/.exec(why)?.[1] ?? '')
      .join('')
  }
  await built.services.idle()
  const at = await built.app.inject({
    method: 'POST',
    url: '/resolve',
    body: { project_name: 'shop', mode: 'context', stacktrace: trace('shop 1.2.3') },
  })
  t.match(at.json(), { commit: released, notice: 'The text names version 1.2.3: its code is read at the tag v1.2.3.' })
  t.equal(await whyOf('shop 1.2.3'), 'v1.2.3')
  t.equal(await whyOf('Shop version: 1.2'), 'release-1.2')
  t.equal(await whyOf('@acme/till@2.0.1 postinstall'), '@acme/till@2.0.1')
  for (const head of ['', 'node 1.2.3', 'shop 2.0.2', 'shop 9.9.9', 'shop 3.0.0']) t.equal(await whyOf(head), '', head)
  const then = await built.app.inject({
    method: 'POST',
    url: '/resolve',
    body: { project_name: 'shop', mode: 'context', stacktrace: trace(''), ref: '@acme/till@2.0.1' },
  })
  t.match(then.json(), { commit: released })

  shop.git('tag', 'v4.0.0', released)
  shop.commit({ 'src/more.ts': 'export {}\n' })
  await cloneInto(t, built, { url: shop.dir })
  await built.services.idle()
  t.equal(await whyOf('shop 4.0.0'), 'v4.0.0', 'a tag that came later is known once it is fetched')
})
