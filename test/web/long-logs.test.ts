import { test } from 'tap'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { createVisitor, formsOf } from '../helpers/page-forms.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

const MIB = 1024 * 1024

const paste = async (visitor: ReturnType<typeof createVisitor>, stacktrace: string) => {
  const form = formsOf((await visitor.open('/ui')).body).find(({ action }) => action === '/ui/resolutions')
  if (form === undefined) throw new Error('There is no box')
  return await visitor.submit(form, { stacktrace })
}

test('the box takes a log of 10 MiB, also where a form writes each of its bytes as three', async t => {
  const built = await buildWithModel(t, [])
  await cloneShop(t, built)
  const visitor = createVisitor(built.app)
  const log = 'é'.repeat(5 * MIB - SHOP_TRACE.length) + SHOP_TRACE
  t.match((await paste(visitor, log)).address, /^\/ui\/resolutions\/res_/)
  const tooLong = await paste(visitor, `${log}${'é'.repeat(SHOP_TRACE.length)}`)
  t.equal(tooLong.statusCode, 413)
  t.match(tooLong.body, 'The stack trace has more than 10 MiB')
})

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
