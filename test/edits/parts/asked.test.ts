import { test } from 'tap'
import { readAsked } from '../../../src/edits/parts/asked.ts'

test('a request asks to remove what its verbs of removal name', async t => {
  for (const [request, name] of [
    ['Remove the function old_parse', 'old_parse'],
    ['Rename foo to bar', 'foo'],
    ['Remove foo and bar from utils.py', 'bar'],
    ['Remove from utils.py the functions foo and bar', 'foo'],
    ['In utils.py, the functions foo and bar are dead: delete them', 'foo'],
    ['old_load should be removed', 'old_load'],
    ['Delete the `run` method', 'run'],
    ['Remove the Installation section', 'Installation'],
    ['Replace moment with dayjs', 'moment'],
    ['Use dayjs instead of moment', 'moment'],
    ['Lösche die Funktion alt_laden', 'alt_laden'],
    ['Keep save, but remove load', 'load'],
    ['Merge foo_a and foo_b into one function', 'foo_b'],
    ['Drop the lodash dependency', 'lodash'],
    ['The functions add_two, add_three should be deleted.', 'add_two'],
    ['удали функцию old_load', 'old_load'],
    ['删除 old_load 函数', 'old_load'],
    ['Get rid of `Cart.total`', 'total'],
  ] as const) {
    t.ok(readAsked(request).removes(name), `${request}: ${name}`)
  }
})

test('what a request names for another reason is to stay', async t => {
  for (const [request, name] of [
    ["Replace the body of load() so that it uses pathlib; don't touch save()", 'save'],
    ["Replace the body of load() so that it uses pathlib; don't touch save()", 'load'],
    ['Replace load() so that save() works', 'save'],
    ['Remove the call to save()', 'save'],
    ['Run the tests and remove dead code', 'run'],
    ["Remove foo's second argument", 'foo'],
    ['Use dayjs instead of moment', 'dayjs'],
    ['Fix load', 'load'],
    ['Keep save, remove load', 'save'],
    ['Remove the save button', 'save'],
    ['Remove everything except main', 'main'],
    ['Rename foo to foobar', 'foobar'],
    ['', 'load'],
  ] as const) {
    t.notOk(readAsked(request).removes(name), `${request}: ${name}`)
  }
})

test('a request may ask for all of a file, or for things that it does not name', async t => {
  const told = (request: string): unknown => {
    const { removesUnnamed, reworks, file } = readAsked(request)
    return [removesUnnamed, reworks, file]
  }
  t.same(told('Rewrite utils.py from scratch'), ['no', true, 'anew'])
  t.same(told('Simplify this module'), ['no', true, 'whole'])
  t.same(told('Refactor load'), ['no', true, 'no'])
  t.same(told('Refactor the code'), ['no', true, 'whole'])
  t.same(told('Remove unused functions'), ['some', false, 'no'])
  t.same(told('Remove all print statements'), ['no', false, 'no'])
  t.same(told('Delete everything else'), ['most', false, 'no'])
  t.same(told('Add a flag'), ['no', false, 'no'])
})
