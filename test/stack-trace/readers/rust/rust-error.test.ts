import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { shown } from '../../../helpers/shown-trace.ts'
// the place behind the message, and before it

const read = (name: string) => readExceptions(readTrace(name))

test('a returned error and the list of its causes', async t => {
  t.same(read('rust-1.95-wrapped'), [
    { head: 'root null: cannot load\nthe prices', frames: [] },
    { head: 'cause null: cannot read', frames: [] },
    { head: 'cause null: No such file or directory (os error 2)', frames: [] },
  ])
  t.same(
    readExceptions('error: failed to get `a`\n\nCaused by:\n  failed to load source\n\nCaused by:\n  no network').map(
      ({ head }) => head,
    ),
    ['root null: failed to get `a`', 'cause null: failed to load source', 'cause null: no network'],
  )
  t.same(readExceptions('Error: x\n\nCaused by:\n    y\n\nLocation:\n    src/main.rs:5:10\n'), [
    { head: 'root null: x', frames: ['null src/main.rs:5:10'] },
    { head: 'cause null: y', frames: [] },
  ])
  t.same(
    readExceptions(
      'Error: x\n\nCaused by:\n    0: y\n\nStack backtrace:\n   0: shop::load\n' +
        '             at ./src/lib.rs:3:4\n   1: main\n',
    ).map(({ frames }) => frames),
    [['main null:null', 'shop::load ./src/lib.rs:3:4'], []],
  )
})

test("the compiler's own errors", async t => {
  t.same(read('rust-1.50-ice'), [
    {
      head: 'root panic: called `Option::unwrap()` on a `None` value',
      frames: ['null compiler/rustc_middle/src/ty/query/mod.rs:235:5'],
    },
  ])
  t.equal(read('rust-1.71-ice')[0]?.frames.at(-1), 'null compiler/rustc_middle/src/util/bug.rs:36:26')
  t.same(readExceptions('error: internal compiler error: compiler/rustc_middle/src/ty/mod.rs:12:3: no type'), [
    { head: 'root internal compiler error: no type', frames: ['null compiler/rustc_middle/src/ty/mod.rs:12:3'] },
  ])
})

test('a cause may go on in a deeper line', async t => {
  t.same(
    shown(
      [
        'Error: could not open the till',
        '',
        'Caused by:',
        '    0: the drawer is stuck',
        '       push harder',
        '    1: No such file or directory (os error 2)',
      ].join('\n'),
    ),
    [
      { head: 'root null: could not open the till', frames: [] },
      { head: 'cause null: the drawer is stuck\npush harder', frames: [] },
      { head: 'cause null: No such file or directory (os error 2)', frames: [] },
    ],
  )
})
