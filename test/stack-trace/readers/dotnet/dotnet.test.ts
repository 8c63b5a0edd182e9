import fc from 'fast-check'
import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('an unhandled exception: frames outermost first, a message of several lines whole', async t => {
  t.same(read('mono-6.8-plain'), [
    {
      // Mono prints it twice
      head: 'root System.ArgumentNullException: Value cannot be null.\nParameter name: lines ×2',
      frames: ['Acme.Shop.Program.Main /srv/app/dotnet/Shop.cs:97', 'Acme.Shop.Cart.Cart /srv/app/dotnet/Shop.cs:22'],
    },
  ])
  t.same(languagesOf(readTrace('mono-6.8-plain')), ['csharp'])
  t.equal(read('mono-6.8-recursion')[0]?.frames[1], 'Acme.Shop.Program.Depth /srv/app/dotnet/Shop.cs:89 ×20')
})

test('inner exceptions are printed first and are causes of what follows them', async t => {
  t.same(read('mono-6.8-inner'), [
    {
      head: 'root System.Exception: shop is closed ×2',
      frames: [
        'Acme.Shop.Program.Main /srv/app/dotnet/Shop.cs:101',
        'Acme.Shop.Program.Start /srv/app/dotnet/Shop.cs:82',
      ],
    },
    {
      head: 'cause System.ApplicationException: cannot sell ×2',
      frames: [
        'Acme.Shop.Program.Start /srv/app/dotnet/Shop.cs:78',
        'Acme.Shop.Program.Nested /srv/app/dotnet/Shop.cs:70',
      ],
    },
    {
      head: 'cause System.InvalidOperationException: till is locked:\n  call the manager ×2',
      frames: ['Acme.Shop.Program.Nested /srv/app/dotnet/Shop.cs:66'],
    },
  ])
  t.same(
    read('dotnet-5-inner').map(({ head, frames }) => [head.slice(0, 40), frames.length]),
    [
      ["root System.AggregateException: A Task's", 0],
      ['cause System.Net.Sockets.SocketException', 1],
    ],
  )
})

test('an inner exception that has no stack ends all the same', async t => {
  t.same(
    readExceptions(
      'System.Exception: a\n ---> System.IO.IOException: b\n   --- End of inner exception stack trace ---\n' +
        '   at A.B.C() in /srv/C.cs:line 3\n',
    ),
    [
      { head: 'root System.Exception: a', frames: ['A.B.C /srv/C.cs:3'] },
      { head: 'cause System.IO.IOException: b', frames: [] },
    ],
  )
})

test('the members of an aggregate are grouped, the one that is printed twice once', async t => {
  t.same(
    read('mono-6.8-aggregate').map(({ head, frames }) => [head.split(':')[0], frames.length, frames.at(-1)]),
    [
      ['root System.AggregateException', 2, 'System.Threading.Tasks.Task.WaitAll null:null ×3'],
      ['grouped System.InvalidOperationException', 3, 'Acme.Shop.Program.Main /srv/app/dotnet/Shop.cs:112'],
      ['grouped System.ArgumentNullException', 4, 'Acme.Shop.Cart.Cart /srv/app/dotnet/Shop.cs:22'],
    ],
  )
  t.same(
    read('dotnet-framework-aggregate').map(({ head }) => head),
    ['root System.AggregateException: One or more errors occurred.', 'grouped System.Exception: test exception'],
  )
})

test(
  'inner exceptions as xUnit marks them, whose stacks follow the outer one, and as Visual Studio lists ' + 'them',
  async t => {
    const inner = '----- Inner Stack Trace -----\n   at System.Net.Sockets.Socket.ConnectAsync(Object o)\n'
    t.same(
      readExceptions(readTrace('xunit-2-inner') + inner).map(({ head, frames }) => [head, frames]),
      [
        [
          'root System.Net.Http.HttpRequestException: No connection could be made because the target machine ' +
            'actively refused it. (127.0.0.1:8500)',
          ['System.Net.Http.ConnectHelper.ConnectAsync null:null'],
        ],
        [
          'cause System.Net.Sockets.SocketException: No connection could be made because the target machine ' +
            'actively refused it.',
          ['System.Net.Sockets.Socket.ConnectAsync null:null'],
        ],
      ],
    )
    t.same(
      read('dotnet-studio-details').map(({ head, frames }) => [head, frames.length]),
      [
        [
          'root System.AggregateException: One or more errors occurred. (No connection could be made because ' +
            'the target machine actively refused it)',
          1,
        ],
        ['cause HttpRequestException: No connection could be made because the target machine actively refused it', 0],
        ['cause SocketException: No connection could be made because the target machine actively refused it', 0],
      ],
    )
  },
)

const name = fc.stringMatching(/^[A-Z][a-zA-Z0-9]{0,10}$/)
const frame = fc.record({
  path: fc.array(name, { minLength: 2, maxLength: 5 }),
  line: fc.integer({ min: 1, max: 99_999 }),
  drive: fc.constantFrom('C:\\src\\', '/srv/', 'D:\\a\\1\\s\\My App\\'),
})

test('a rendered chain is read back as it was', async t => {
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(frame, { minLength: 1, maxLength: 6, selector: one => one.line }), {
        minLength: 1,
        maxLength: 4,
      }),
      chain => {
        const rows = chain.map(frames =>
          frames.map(one => ({ called: one.path.join('.'), place: `${one.drive}${one.path[0]}.cs`, line: one.line })),
        )
        const heads = rows
          .map((_, index) => `${index === 0 ? '' : ' ---> '}Acme.Oops${index}Exception: no stock\n`)
          .join('')
        const stacks = rows
          .map(frames => frames.map(one => `   at ${one.called}(Int32 n) in ${one.place}:line ${one.line}\n`).join(''))
          .toReversed()
          .join('   --- End of inner exception stack trace ---\n')
        t.same(
          readExceptions(heads + stacks),
          rows.map((frames, index) => ({
            head: `${index === 0 ? 'root' : 'cause'} Acme.Oops${index}Exception: no stock`,
            frames: frames.map(one => `${one.called} ${one.place}:${one.line}`).toReversed(),
          })),
        )
      },
    ),
    { numRuns: runs(40) },
  )
})
