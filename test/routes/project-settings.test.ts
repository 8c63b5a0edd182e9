import { test } from 'tap'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'

test('settings of a project are changed one by one and survive a clone and a restart', async t => {
  const before = await buildApp(t)
  const { root } = before
  const shop = await cloneShop(t, before)
  const patch = (app: typeof before.app, body: object, name = 'shop') =>
    app.inject({ method: 'PATCH', url: `/projects/${name}`, body })
  t.match((await patch(before.app, { path_mappings: [{ from: '/app/', to: 'src/' }] })).json(), {
    path_mappings: [{ from: '/app/', to: 'src/' }],
    in_app_exclude: [],
  })
  t.match((await patch(before.app, { in_app_exclude: ['src/generated/**'] })).json(), {
    path_mappings: [{ from: '/app/' }],
    in_app_exclude: ['src/generated/**'],
  })
  await cloneInto(t, before, { url: shop.dir })
  await before.close()
  const after = await buildApp(t, { root })
  t.match((await after.app.inject('/projects/shop')).json(), {
    path_mappings: [{ from: '/app/', to: 'src/' }],
    in_app_exclude: ['src/generated/**'],
  })
  t.same((await patch(after.app, { path_mappings: [], in_app_exclude: [] })).json().path_mappings, [])
})

test('settings that cannot be used are refused', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const bodies = [
    {},
    { colour: 'red' },
    { path_mappings: [{ from: '/app/' }] },
    { path_mappings: [{ from: '', to: 'src' }] },
    { path_mappings: [{ from: '/a', to: '/etc' }] },
    { path_mappings: [{ from: '/a', to: 'x/../../y' }] },
    { in_app_exclude: ['{'] },
    { in_app_exclude: [''] },
  ]
  for (const body of bodies) {
    const res = await built.app.inject({ method: 'PATCH', url: '/projects/shop', body })
    t.equal(res.statusCode, 400, JSON.stringify(body))
  }
  t.equal(
    (await built.app.inject({ method: 'PATCH', url: '/projects/nope', body: { path_mappings: [] } })).statusCode,
    404,
  )
})

test("a path mapping wins over every rule, and an excluded file is not the project's own", async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const stacktrace =
    'Traceback (most recent call last):\n  File "/srv/x/totals.py", line 6, in average\n' +
    '    return total / len(items)\nZeroDivisionError: division by zero'
  const resolve = async () =>
    (
      await built.app.inject({
        method: 'POST',
        url: '/resolve',
        body: { stacktrace, project_name: 'shop', mode: 'context', detail: 'full' },
      })
    ).json()
  t.match((await resolve()).frames[0], { match: 'none', path: null })
  const patch = (body: object) => built.app.inject({ method: 'PATCH', url: '/projects/shop', body })
  await patch({ path_mappings: [{ from: '/srv/x/totals.py', to: 'src/shop/prices.py' }] })
  t.match((await resolve()).frames[0], {
    match: 'override',
    path: 'src/shop/prices.py',
    code_line: 6,
    in_project: true,
  })
  await patch({ in_app_exclude: ['src/shop/prices.py'] })
  t.match((await resolve()).frames[0], { in_project: false })
})
