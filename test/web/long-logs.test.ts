import { test } from 'tap'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { createVisitor, formsOf } from '../helpers/page-forms.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

const paste = async (visitor: ReturnType<typeof createVisitor>, stacktrace: string) => {
  const form = formsOf((await visitor.open('/ui')).body).find(({ action }) => action === '/ui/resolutions')
  if (form === undefined) throw new Error('There is no box')
  return await visitor.submit(form, { stacktrace })
}

test('the page of a log that was too long to be kept offers nothing that needs its text, and says why', async t => {
  const built = await buildWithModel(t, [])
  await cloneShop(t, built)
  const visitor = createVisitor(built.app)
  const actions = (markup: string) => formsOf(markup).map(({ action }) => action.replace(/^.*\//, ''))
  const short = await paste(visitor, SHOP_TRACE)
  t.same(new Set(actions(short.body)), new Set(['answer', 'investigate', 'fix', 'feedback']))
  const long = await paste(visitor, `${'checking\n'.repeat(20_000)}${SHOP_TRACE}`)
  t.same(new Set(actions(long.body)), new Set(['feedback']))
  t.match(long.body, 'The text was too long to be kept')
  const [asked = null] = formsOf(short.body)
  if (asked === null) throw new Error('There is no form')
  const refused = await visitor.submit({ ...asked, action: `${long.address}/answer` }, {})
  t.equal(refused.statusCode, 413)
  t.match(refused.body, 'Paste the part of it around the error on the first page.')
})
