import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, cloneInto, type TestApp } from '../helpers/build-app.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/cart.py", line 2, in total\n    return sum(lines)\n' +
  'TypeError: unsupported operand\n'

interface ShownSource {
  path: string
  reason: string
  why: string
}

async function sourcesOf({ app }: TestApp, body: object = {}): Promise<ShownSource[]> {
  const res = await app.inject({
    method: 'POST',
    url: '/resolve',
    body: { project_name: 'shop', mode: 'context', detail: 'full', stacktrace: TRACE, ...body },
  })
  return res.json().sources
}

test(
  'a file that used to change together with that of the trace is shown, once the history is there, also ' +
    'after a restart',
  async t => {
    const built = await buildApp(t)
    const shop = createGitRepository(join(built.reposDir, 'shop.git'), {
      files: {
        'app/cart.py': 'def total(lines):\n    return sum(lines)\n',
        'rates/vat.ini': '[vat]\nfood = 7\n',
        'web/page.py': 'def render():\n    pass\n',
        'web/menu.py': 'def menu():\n    pass\n',
      },
    })
    const change = (i: number) =>
      shop.commit({
        'app/cart.py': `def total(lines):\n    return sum(lines)\n# ${i}\n`,
        'rates/vat.ini': `[vat]\nfood = ${i + 50}\n`,
      })
    for (let i = 0; i < 4; i++) change(i)
    for (let i = 0; i < 10; i++) shop.commit({ 'web/page.py': `def render():\n    return ${i}\n` })
    await cloneInto(t, built, { url: shop.dir })
    await built.services.idle()
    const companion = (await sourcesOf(built)).find(({ path }) => path === 'rates/vat.ini')
    t.match(companion, { reason: 'history', why: /^changed together with app\/cart\.py in 4 of 4 commits/ })

    const old = await sourcesOf(built, { ref: shop.git('rev-parse', 'main~10') })
    t.notMatch(
      old.find(({ path }) => path === 'web/page.py')?.why ?? '',
      /changed lately/,
      'it changed after what the trace is of',
    )

    change(9)
    await cloneInto(t, built, { url: shop.dir })
    await built.services.idle()
    t.match((await sourcesOf(built)).find(({ path }) => path === 'rates/vat.ini')?.why, /in 5 of 5 commits/)

    const tables = join(built.root, 'cloned_repos', 'shop', 'faultline-changes')
    await built.close()
    for (const name of readdirSync(tables)) truncateSync(join(tables, name), 20)
    const again = await buildApp(t, { root: built.root, threads: 'real' }) // nothing is remembered there
    await again.services.idle()
    t.match(
      (await sourcesOf(again)).find(({ path }) => path === 'rates/vat.ini'),
      { reason: 'history' },
    )
    t.match(again.logged, [{ context: { repository: 'shop' }, message: /damaged and was made anew/ }])
  },
)
