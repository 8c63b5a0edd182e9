import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test('a traceback: functions of every kind, native ones without a place, the row of the error not twice', async t => {
  t.same(summary(readTrace('lua-5-assertion')), [
    {
      head: 'root error: assertion failed!',
      frames: [
        'addons/starfallex/lua/autorun/server/sf_init.lua:34 main chunk',
        'null:null include',
        'addons/starfallex/lua/starfall/sflib.lua:1850 main chunk',
        'addons/starfallex/lua/starfall/sflib.lua:1845 loadModules',
        'addons/starfallex/lua/starfall/sflib.lua:1829 addModule',
        'addons/starfallex/lua/starfall/sflib.lua:1815 compileModule',
        'null:null xpcall',
        'addons/starfallex/lua/starfall/sflib.lua:1815 null',
        'starfall/libs_sv/stargate.lua:6 r',
        'null:null assert',
      ],
    },
  ])
  t.same(
    parseStackTrace(readTrace('lua-5-assertion')).exceptions.map(({ language }) => language),
    ['lua'],
  )
})

test('an editor says the number of its error first', async t => {
  t.same(summary(readTrace('lua-nvim-chunk')), [
    {
      head: "root error: attempt to index field 'uv' (a nil value)",
      frames: ['/home/ilase/.config/nvim/init.lua:7 main chunk'],
    },
  ])
})

test('an error without a traceback is told by its program or its words; prose that names a place is none', async t => {
  t.same(summary('lua: till.lua:4: no till'), [{ head: 'root error: no till', frames: ['till.lua:4 null'] }])
  t.same(summary('main.lua:67: attempt to index ? (a nil value)'), [
    { head: 'root error: attempt to index ? (a nil value)', frames: ['main.lua:67 null'] },
  ])
  t.same(parseStackTrace('stack traceback:\nnothing').frames, [])
})

test('a rendered traceback is read back as it was, reversed', async t => {
  const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/)
  const row = fc.record({ file: name.map(one => `${one}.lua`), line: fc.integer({ min: 1, max: 99_999 }), name })
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { minLength: 1, maxLength: 10, selector: one => `${one.file}:${one.line}` }),
      wanted => {
        const text = `lua: ${wanted[0]?.file}:${wanted[0]?.line}: closed\nstack traceback:\n\t[C]: in function 'error'\n${wanted.map(one => `\t${one.file}:${one.line}: in function '${one.name}'\n`).join('')}\t[C]: in ?\n`
        const { exceptions, frames } = parseStackTrace(text)
        t.same(
          exceptions.map(({ message }) => message),
          ['closed'],
        )
        t.same(
          frames.filter(({ file }) => file !== null).map(one => [one.file, one.line, one.function]),
          wanted.toReversed().map(one => [one.file, one.line, one.name]),
        )
      },
    ),
    { numRuns: runs(50) },
  )
})

test('a long path is cut at its beginning; a row that a terminal broke ends no stack', async t => {
  t.same(
    shown(
      [
        'lua: ...srv/application/shop/cart.lua:12: no price',
        'stack traceback:',
        "\t[C]: in function 'error'",
        "\t/srv/application/shop/cart.lua:12: in function 'total'",
        '\t(...tail calls...)',
        '\tmain.lua:3: in main chunk',
      ].join('\n'),
    ),
    [
      {
        head: 'root error: no price',
        frames: ['main.lua:3 main chunk', '/srv/application/shop/cart.lua:12 total', '-:- error'],
      },
    ],
  )
  t.same(
    shown(
      ['stack traceback:', '\tcart.lua:12: in function <cart', '.lua:9>', '\tmain.lua:3: in main chunk'].join('\n'),
    ),
    [{ head: 'root error: null', frames: ['main.lua:3 main chunk', 'cart.lua:12 -'] }],
  )
})
