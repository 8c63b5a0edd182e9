import { test } from 'tap'
import { encodeCursor } from '../../src/core/cursor.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'

test('older jobs are those that were asked for', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  await cloneShop(t, built)
  const query = 'limit=1&type=clone&project_name=shop&status=succeeded'
  const { body } = await built.app.inject(`/ui/jobs?${query}`)
  const older = /<a href="([^"]*)">Older ones/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const asked = new URL(older, 'http://shop').searchParams
  for (const [name, value] of new URLSearchParams(query)) t.equal(asked.get(name), value, name)
  t.match((await built.app.inject(older)).body, '<span class="state succeeded">')
})

test('the last of several pages of projects lets one name any of them', async t => {
  const built = await buildApp(t)
  const { dir } = await cloneShop(t, built)
  await cloneInto(t, built, { url: dir, project_name: 'zoo' })
  const fieldOn = async (address: string) =>
    /<(\w+) id="project_name"/.exec((await built.app.inject(address)).body)?.[1] ?? ''
  t.equal(await fieldOn('/ui'), 'select')
  t.equal(await fieldOn(`/ui?cursor=${encodeCursor('zoo')}`), 'input')
})
