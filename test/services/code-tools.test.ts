import { join } from 'node:path'
import { test, type Test } from 'tap'
import { CODE_TOOLS } from '../../src/contract/code-tools.ts'
import { toWire } from '../../src/contract/wire.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { fitsSchema } from '../helpers/fits-schema.ts'
import { createShop } from '../helpers/sample-repository.ts'

const LONG = Array.from({ length: 400 }, (_, index) => `const price_${index + 1} = ${index + 1}\n`).join('')

/** The shop in three commits, its history fetched; the commit before the last had another `average`. */
async function openedShop(t: Test) {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const first = shop.git('rev-parse', 'main')
  const second = shop.commit(
    {
      'src/shop/prices.py': 'def average(items):\n    return mean(items)\n\n\ndef mean(items):\n    return 0\n',
      'src/old.py': 'def gone():\n    return average([])\n',
    },
    { message: 'Count the mean' },
  )
  const third = shop.commit(
    {
      'src/shop/prices.py':
        '"""Prices."""\n\n\ndef average(items):\n    total = sum(items)\n    return total / len(items)\n',
      'src/old.py': null,
      'src/long.js': LONG,
      'lib/cart.py': 'class Basket:\n    def summary(self):\n        return average(self)\n',
    },
    { message: 'Divide by the number' },
  )
  await cloneInto(t, built, { url: shop.dir })
  await built.services.idle()
  const { codeTools } = built.services
  return { ...built, codeTools, code: await codeTools.open('shop'), shop, first, second, third }
}

test('the code of a project is searched, read and followed, in pages, at the commit that is indexed', async t => {
  const { code, third, codeTools, first, second } = await openedShop(t)
  t.same(code.commits, [{ repository: 'shop', commit: third, readAt: third }])

  await t.test('search', async t => {
    const all = await code.searchCode({ query: 'average of items' })
    t.ok(fitsSchema(CODE_TOOLS.search_code.answer, toWire(CODE_TOOLS.search_code.answer, all)))
    t.match(all, { complete: true, offset: 0, commits: [{ repository: 'shop', commit: third }] })
    t.equal(all.data.length, Math.min(10, all.total))
    t.ok(all.tokens > 0)
    const one = await code.searchCode({ query: 'average of items', limit: 1 })
    t.equal(one.nextOffset, 1)
    t.match(one.notice, /1 of \d+ are shown; "offset": 1 goes on/)
    const two = await code.searchCode({ query: 'average of items', limit: 1, offset: 1 })
    t.same([one.data[0], two.data[0]], all.data.slice(0, 2))
    const none = await code.searchCode({ query: 'average of items', offset: 999 })
    t.same(none.data, [])
    t.match(none, { nextOffset: null, notice: /none at offset 999/ })
  })

  await t.test('read', async t => {
    const read = await code.readCode({ path: './src/shop/prices.py', startLine: 4, endLine: 5 })
    t.ok(fitsSchema(CODE_TOOLS.read_code.answer, toWire(CODE_TOOLS.read_code.answer, read)))
    t.match(read, {
      path: 'src/shop/prices.py',
      startLine: 4,
      endLine: 5,
      totalLines: 6,
      text: 'def average(items):\n    total = sum(items)',
      nextLine: null,
      notice: null,
    })
    const pages: number[] = []
    for (let startLine: number | null = 1; startLine !== null;) {
      const page = await code.readCode({ path: 'src/long.js', startLine, maxTokens: 700 })
      t.ok(page.tokens <= 720, `${page.tokens} tokens`)
      t.equal(page.text.split('\n')[0], `const price_${startLine} = ${startLine}`)
      if (page.nextLine !== null) t.match(page.notice, new RegExp(`"start_line": ${page.nextLine} goes on`))
      pages.push(page.endLine)
      startLine = page.nextLine
    }
    t.equal(pages.at(-1), 400)
    t.ok(pages.length > 3)
    t.match(await code.readCode({ path: 'src/shop/__init__.py' }), { text: '', totalLines: 0, endLine: 0 })
  })

  await t.test('definitions', async t => {
    const found = await code.findDefinition({ name: 'summary' })
    t.ok(fitsSchema(CODE_TOOLS.find_definition.answer, toWire(CODE_TOOLS.find_definition.answer, found)))
    t.same(
      found.data.map(({ path, container, startLine }) => [path, container, startLine]),
      [
        ['lib/cart.py', 'Basket', 2],
        ['src/shop/cart.py', 'Cart', 8],
      ],
    )
    t.match(found.data[1]?.code, /def summary\(self\):\n {8}return/)
    t.match(await code.findDefinition({ name: 'Cart.summary()' }), { total: 1, data: [{ path: 'src/shop/cart.py' }] })
    t.match(await code.findDefinition({ name: 'summary', path: 'lib/' }), { total: 1, data: [{ path: 'lib/cart.py' }] })
    const second = await code.findDefinition({ name: 'summary', limit: 1, offset: 1 })
    t.match(second, { total: 2, nextOffset: null, data: [{ path: 'src/shop/cart.py' }] })
  })

  await t.test('references', async t => {
    const found = await code.findReferences({ name: 'average' })
    t.ok(fitsSchema(CODE_TOOLS.find_references.answer, toWire(CODE_TOOLS.find_references.answer, found)))
    t.ok(found.complete)
    t.same(
      found.data
        .filter(({ path }) => path.endsWith('.py'))
        .map(one => [one.path, one.line, one.isDefinition, one.scope]),
      [
        ['lib/cart.py', 3, false, 'Basket.summary'],
        ['src/shop/cart.py', 1, false, null],
        ['src/shop/cart.py', 9, false, 'Cart.summary'],
        ['src/shop/prices.py', 4, true, 'average'],
        ['src/shop/report.py', 2, false, 'render'],
      ],
    )
    const paged: unknown[] = []
    for (let offset: number | null = 0; offset !== null;) {
      const page = await code.findReferences({ name: 'average', limit: 2, offset })
      t.equal(page.total, found.total)
      paged.push(...page.data)
      offset = page.nextOffset
    }
    t.same(paged, found.data)
  })

  await t.test('the history of lines, with what each commit did to them', async t => {
    const history = await code.explainLineHistory({ path: 'src/shop/prices.py', startLine: 4, endLine: 6 })
    t.ok(fitsSchema(CODE_TOOLS.explain_line_history.answer, toWire(CODE_TOOLS.explain_line_history.answer, history)))
    t.equal(history.data[0]?.commit, third)
    t.match(history.data[0], { author: 'Ada Tester', summary: 'Divide by the number', diff: /^\+ {4}return total/m })
    t.equal(history.data.at(-1)?.commit, first)
    t.match(history, { complete: true, total: 3, startLine: 4, endLine: 6 })
    const page = await code.explainLineHistory({
      path: 'src/shop/prices.py',
      startLine: 4,
      endLine: 6,
      limit: 1,
      offset: 1,
    })
    t.match(page, { nextOffset: 2, data: [{ commit: second, summary: 'Count the mean' }] })
    const cut = await code.explainLineHistory({ path: 'src/long.js', startLine: 1, endLine: 400, maxTokens: 200 })
    t.match(cut, { notice: /cut to 200 tokens/, data: [{ commit: third }] })
    t.ok(cut.tokens < 300, `${cut.tokens} tokens`)
  })

  await t.test('another commit, whatever is indexed', async t => {
    const then = await codeTools.open('shop', { ref: second.slice(0, 10) })
    t.same(then.commits, [{ repository: 'shop', commit: second, readAt: second }])
    t.match(await then.readCode({ path: 'src/shop/prices.py' }), { text: /return mean/, commits: [{ commit: second }] })
    t.match(await then.readCode({ path: 'src/shop/report.py' }), { text: /def render/ })
    t.match(await then.findDefinition({ name: 'mean' }), {
      total: 1,
      data: [{ path: 'src/shop/prices.py', startLine: 5 }],
    })
    t.same(
      (await then.findReferences({ name: 'average' })).data.map(({ path, line }) => `${path}:${line}`),
      [
        'README.md:3',
        'src/old.py:2',
        'src/shop/cart.py:1',
        'src/shop/cart.py:9',
        'src/shop/prices.py:1',
        'src/shop/report.py:2',
      ],
    )
    const hits = (await then.searchCode({ query: 'average' })).data
    t.notOk(
      hits.some(({ path }) => path === 'lib/cart.py'),
      'what is not there is no hit',
    )
    t.equal(hits.find(({ path }) => path === 'src/shop/prices.py')?.differs, true)
    await t.rejects(then.readCode({ path: 'lib/cart.py' }), { code: 'FILE_NOT_FOUND' })
  })
})

test('what is not there is named, with what is near to it; nothing outside is read', async t => {
  const { code, codeTools, shop, app } = await openedShop(t)
  await t.rejects(codeTools.open('nothing'), { code: 'PROJECT_NOT_FOUND' })
  await t.rejects(codeTools.open('shop', { ref: 'no-such-branch' }), {
    code: 'REF_NOT_FOUND',
    message: /no-such-branch/,
  })
  await t.rejects(code.readCode({ path: 'prices.py' }), {
    code: 'FILE_NOT_FOUND',
    message: /"prices\.py"/,
    fix: 'Near to it: src/shop/prices.py.',
  })
  await t.rejects(code.readCode({ path: 'src/shop/pirces.py' }), {
    code: 'FILE_NOT_FOUND',
    fix: 'Near to it: src/shop/prices.py.',
  })
  await t.rejects(code.readCode({ path: 'src/shop' }), { code: 'FILE_NOT_FOUND', fix: /cart\.py, prices\.py/ })
  for (const path of ['../../etc/passwd', '/etc/passwd', 'src/../../x', 'C:\\x', '.git/config']) {
    await t.rejects(code.readCode({ path }), { code: 'BAD_PATH' }, path)
    await t.rejects(code.findReferences({ name: 'average', path }), { code: 'BAD_PATH' }, path)
  }
  await t.rejects(code.readCode({ path: '.env' }), { code: 'FILE_NOT_FOUND' }, 'a secret file is in no index')
  const at = await codeTools.open('shop', { ref: shop.git('rev-parse', 'main~1') })
  await t.rejects(at.readCode({ path: '.env' }), { code: 'FILE_NOT_FOUND' }, 'nor in the list of a commit')
  await t.rejects(code.readCode({ path: 'src/shop/cart.py', startLine: 99 }), {
    code: 'VALIDATION_FAILED',
    message: /has 9 lines/,
  })
  await t.rejects(code.readCode({ path: 'src/shop/cart.py', startLine: 5, endLine: 4 }), { code: 'VALIDATION_FAILED' })
  await t.rejects(code.findDefinition({ name: 'avarage' }), {
    code: 'NAME_NOT_FOUND',
    message: /"avarage"/,
    fix: 'Near to it: average.',
  })
  await t.rejects(code.findDefinition({ name: 'Cart.sumary' }), { code: 'NAME_NOT_FOUND', fix: /summary/ })
  await t.rejects(code.findReferences({ name: 'zzz_nothing' }), { code: 'NAME_NOT_FOUND' })
  await t.rejects(code.findReferences({ name: 'average', repository: 'other' }), { code: 'NOT_FOUND', fix: /shop/ })
  await t.rejects(code.explainLineHistory({ path: 'src/shop/cart.py', startLine: 99 }), { code: 'VALIDATION_FAILED' })
  t.equal((await app.inject('/health')).statusCode, 200)
})

test('a text is cut to tokens at the end of a line', async t => {
  const { codeTools } = await buildApp(t).then(({ services }) => services)
  t.same((await codeTools.cutToTokens('one\ntwo\n', 100)).text, 'one\ntwo\n')
  const cut = await codeTools.cutToTokens(LONG, 100)
  t.ok(cut.tokens <= 100 && cut.text.endsWith(cut.text.split('\n').length.toString()), cut.text.slice(-30))
})
