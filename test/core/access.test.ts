import { test } from 'tap'
import { FULL_ACCESS, NO_ACCESS, seesProject, seesWork, visibilityOf } from '../../src/core/access.ts'

const OF_SHOP = { mayWrite: true, projects: ['shop'] }

test('full access may do everything with all projects, none may do nothing', async t => {
  t.same(FULL_ACCESS, { mayWrite: true, projects: null })
  t.same(NO_ACCESS, { mayWrite: false, projects: [] })
  t.equal(seesProject(FULL_ACCESS, 'shop'), true)
  t.equal(seesProject(NO_ACCESS, 'shop'), false)
  t.equal(seesProject(OF_SHOP, 'SHOP'), true)
  t.equal(seesProject(OF_SHOP, 'shop2'), false)
})

test('work is seen by its project, and without one by the key that made it', async t => {
  const ofShop = { projectName: 'Shop', keyName: 'ann' }
  const ofNone = { projectName: null, keyName: 'ann' }
  t.equal(visibilityOf(FULL_ACCESS, 'ann'), null)
  for (const work of [ofShop, ofNone]) t.equal(seesWork(null, work), true)
  const ann = visibilityOf(OF_SHOP, 'ann')
  t.same(ann, { projects: ['shop'], keyName: 'ann' })
  t.same([seesWork(ann, ofShop), seesWork(ann, ofNone)], [true, true])
  t.same(
    [
      { ...ofShop, projectName: 'api' },
      { ...ofNone, keyName: 'bob' },
      { ...ofNone, keyName: null },
    ].map(work => seesWork(ann, work)),
    [false, false, false],
  )
  const nobody = visibilityOf(NO_ACCESS, null)
  t.same([seesWork(nobody, ofShop), seesWork(nobody, ofNone)], [false, false])
})
