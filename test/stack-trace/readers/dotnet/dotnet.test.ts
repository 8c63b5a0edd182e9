import fc from 'fast-check'
import { test } from 'tap'
import { dotnetFrame } from '../../../../src/stack-trace/readers/dotnet/dotnet-frame.ts'
import { dotnetName } from '../../../../src/stack-trace/readers/dotnet/dotnet-name.ts'
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
      'System.Exception: a\n ---> System.IO.IOException: b\n   --- End of inner exception stack trace ---\n   at A.B.C() in /srv/C.cs:line 3\n',
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

test('state machines, lambdas, accessors and constructors are what the source calls them', async t => {
  t.same(read('mono-6.8-async')[1]?.frames.slice(0, 3), [
    'Acme.Shop.Program.Checkout /srv/app/dotnet/Shop.cs:53',
    'Acme.Shop.Program.Pay /srv/app/dotnet/Shop.cs:48',
    'Acme.Shop.Cart.Total /srv/app/dotnet/Shop.cs:26',
  ])
  t.ok(read('mono-6.8-iterator')[0]?.frames.includes('Acme.Shop.Program.Prices /srv/app/dotnet/Shop.cs:59'))
  t.equal(read('mono-6.8-local')[0]?.frames.at(-1), 'Acme.Shop.Program.Main /srv/app/dotnet/Shop.cs:107')
  const names: Array<[printed: string, expected: string]> = [
    ['Acme.Cart.<Pay>d__5.MoveNext', 'Acme.Cart.Pay'],
    ['Acme.Cart`1.<Pay>d__c.MoveNext', 'Acme.Cart.Pay'],
    ['Acme.Cart+<Pay>d__9.MoveNext', 'Acme.Cart.Pay'],
    ['Acme.IO.Disk.<>c.<GetDrives>b__32_0', 'Acme.IO.Disk.GetDrives'],
    ['Acme.Cart.<>c__DisplayClass43_0.<Get>b__0', 'Acme.Cart.Get'],
    ['Acme.Cart.<>c__DisplayClass1_0.<<Get>b__0>d.MoveNext', 'Acme.Cart.Get'],
    ['Acme.Cart.<Main>g__Helper|0_1', 'Acme.Cart.Helper'],
    ['Program.<Main>$', 'Program.Main'],
    ['Acme.Cart..ctor', 'Acme.Cart.Cart'],
    ['Acme.Cart.get_Total', 'Acme.Cart.Total'],
    ['Acme.Extensions.Get[T]', 'Acme.Extensions.Get'],
    ['Acme.Cart`1[[Acme.Line, Shop, Version=1.0.0.0]].Add', 'Acme.Cart.Add'],
    ['Acme.Reader.MoveNext', 'Acme.Reader.MoveNext'],
  ]
  for (const [printed, expected] of names) t.equal(dotnetName(printed), expected, printed)
})

test('paths of Windows and of builds; "End of stack trace from previous location" ends nothing', async t => {
  t.same(read('dotnet-6-avalonia')[0]?.frames.slice(-2), [
    'iDecryptIt.App.OnFrameworkInitializationCompleted C:\\Users\\Cole\\Desktop\\iDecryptIt\\iDecryptIt\\App.axaml.cs:43',
    'iDecryptIt.ViewModels.MainWindowViewModel.MainWindowViewModel null:null',
  ])
  t.same(
    read('dotnet-core-1-async').map(({ frames }) => frames.length),
    [9],
  )
})

test('the runtime speaks the language of the machine', async t => {
  t.same(
    read('dotnet-russian')[0]?.frames.map(frame => frame.split(' ')[0]?.split('.').at(-1)),
    ['InvokeActionAsync', 'GetResult', 'HandleNonSuccessAndDebuggerNotification', 'ThrowForNonSuccess', 'InvokeAsync'],
  )
  for (const line of [
    'bei A.B.C(Int32 n) in D:\\a b\\C.cs:Zeile 12.',
    'в A.B.C() в D:\\a b\\C.cs:строка 12',
    'à A.B.C() dans D:\\a b\\C.cs:ligne 12',
    '在 A.B.C() 位置 D:\\a b\\C.cs:行号 12',
    'en A.B.C() en D:\\a b\\C.cs:línea 12',
    'at A.B.C() in D:\\a b\\C.cs:line 12',
  ]) {
    t.match(dotnetFrame(`   ${line}`)?.frame, { function: 'A.B.C', file: 'D:\\a b\\C.cs', line: 12 }, line)
  }
})

test('files without a place in the sources, dynamic methods and wrappers', async t => {
  t.match(
    dotnetFrame('  at System.Threading.Tasks.Task.InnerInvoke () [0x00012] in <12b418a7818c4ca0893feeaaf67f1e7f>:0 '),
    { frame: { function: 'System.Threading.Tasks.Task.InnerInvoke', file: null, line: null } },
  )
  t.match(dotnetFrame('   at lambda_method559(Closure , Object , Object[] )'), {
    frame: { function: 'lambda_method559', file: null },
  })
  t.match(dotnetFrame('  at (wrapper managed-to-native) System.Reflection.Method.InternalInvoke(object,object[])'), {
    frame: { function: 'System.Reflection.Method.InternalInvoke' },
  })
  t.match(
    dotnetFrame('   at async Task<int> Acme.Cart.Pay(string name) in C:/src/Program Files (x86)/Cart.cs:line 3'),
    { frame: { function: 'Acme.Cart.Pay', file: 'C:/src/Program Files (x86)/Cart.cs', line: 3 } },
  )
})

test('a failed test: the message stands under a heading, a space before its colon', async t => {
  const text =
    'Failed Acme.CartTests.Total [2 s]\n  Error Message:\n   Acme.ShopException : out of stock\n  Stack Trace:\n     at Acme.Cart.Total() in D:\\a\\1\\s\\Cart.cs:line 9\n   at Acme.CartTests.Total() in D:\\a\\1\\s\\CartTests.cs:line 5\n'
  t.same(readExceptions(text), [
    {
      head: 'root Acme.ShopException: out of stock',
      frames: ['Acme.CartTests.Total D:\\a\\1\\s\\CartTests.cs:5', 'Acme.Cart.Total D:\\a\\1\\s\\Cart.cs:9'],
    },
  ])
})

test('lines of other runtimes and prose are no frames', async t => {
  for (const line of [
    'at Object.total (/srv/cart.js:2:21)',
    'at com.acme.Shop.main(Shop.java:3)',
    'at home (see below)',
    'at noon',
    'in the end.',
    'at Foo.bar (native)',
    'at /srv/a.js:1:2',
  ]) {
    t.equal(dotnetFrame(`   ${line}`), null, line)
  }
  t.same(readExceptions('it fails\nat Foo.Bar()\nnot always'), [])
})

test('a test runner prints what an assertion said between two labels', async t => {
  const text =
    '  Failed Shop.CartTest.Total [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 2\nActual:   0\n  Stack Trace:\n     at Shop.CartTest.Total() in /srv/app/CartTest.cs:line 12\n'
  t.same(readExceptions(text), [
    {
      head: 'root null: Assert.Equal() Failure: Values differ\nExpected: 2\nActual:   0',
      frames: ['Shop.CartTest.Total /srv/app/CartTest.cs:12'],
    },
  ])
})

test('Unity puts no "at" in front; what is rethrown is the failure, what was thrown its cause', async t => {
  t.same(read('unity-2018-packages'), [
    {
      head: 'root NullReferenceException: Object reference not set to an instance of an object',
      frames: [
        'Improbable.Gdk.GameObjectRepresentation.ReaderWriterBase.OnComponentUpdate Packages/com.improbable.gdk.core/GameObjectRepresentation/ReadersWriters/ReaderWriterBase.cs:216',
        'Improbable.Gdk.Core.ForwardingDispatcher.HandleLog Packages/com.improbable.gdk.core/Logging/ForwardingDispatcher.cs:68',
        'Improbable.Gdk.Core.LogEvent.WithField Packages/com.improbable.gdk.core/Logging/LogEvent.cs:52',
      ],
    },
  ])
  t.match(read('unity-bepinex-log'), [
    {
      head: 'root NullReferenceException: null',
      frames: { length: 5, 4: 'UnityEngine.Component.TryGetComponent null:null' },
    },
  ])
  const text =
    'FormatException: not a number\nShop.Till.Read (System.String text) (at Assets/My Scripts/Till.cs:9)\nRethrow as TargetInvocationException: It failed.\nShop.Loader:Run() (at Assets/Loader.cs:3)\nUnityEngine.Debug:Log(Object)\n'
  t.same(readExceptions(text), [
    { head: 'cause FormatException: not a number', frames: ['Shop.Till.Read Assets/My Scripts/Till.cs:9'] },
    {
      head: 'root TargetInvocationException: It failed.',
      frames: ['UnityEngine.Debug.Log null:null', 'Shop.Loader.Run Assets/Loader.cs:3'],
    },
  ])
  t.same(readExceptions('a button:click(here)\nfound (at home:12)'), [])
})

test('assemblies in the brackets, places in front of the row, and files that Mono does not know', async t => {
  t.same(read('dotnet-assemblies')[0]?.frames[0], 'Microsoft.AspNetCore.Builder.RouterMiddleware.Invoke null:null')
  t.match(
    dotnetFrame(
      '   at Acme.Cart.Pay (Acme, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null: C:\\src\\Cart.cs:12)',
    ),
    { frame: { function: 'Acme.Cart.Pay', file: 'C:\\src\\Cart.cs', line: 12 } },
  )
  t.match(dotnetFrame('  at Acme.Cart.Pay () [0x00000] in <filename unknown>:0 '), {
    frame: { function: 'Acme.Cart.Pay', file: null, line: null },
  })
  const [failure] = read('xunit-2-places-first')
  t.same([failure?.head, failure?.frames.length], ['root null: Assert.Equal() Failure\nExpected: 0\nActual:   1', 4])
  t.equal(
    failure?.frames.at(-1),
    'Microsoft.AspNetCore.Server.Kestrel.FunctionalTests.HttpsTests.EmptyRequestLoggedAsInformation C:\\projects\\kestrelhttpserver\\test\\Microsoft.AspNetCore.Server.Kestrel.FunctionalTests\\HttpsTests.cs:55',
  )
})

test('inner exceptions as xUnit marks them, whose stacks follow the outer one, and as Visual Studio lists them', async t => {
  const inner = '----- Inner Stack Trace -----\n   at System.Net.Sockets.Socket.ConnectAsync(Object o)\n'
  t.same(
    readExceptions(readTrace('xunit-2-inner') + inner).map(({ head, frames }) => [head, frames]),
    [
      [
        'root System.Net.Http.HttpRequestException: No connection could be made because the target machine actively refused it. (127.0.0.1:8500)',
        ['System.Net.Http.ConnectHelper.ConnectAsync null:null'],
      ],
      [
        'cause System.Net.Sockets.SocketException: No connection could be made because the target machine actively refused it.',
        ['System.Net.Sockets.Socket.ConnectAsync null:null'],
      ],
    ],
  )
  t.same(
    read('dotnet-studio-details').map(({ head, frames }) => [head, frames.length]),
    [
      [
        'root System.AggregateException: One or more errors occurred. (No connection could be made because the target machine actively refused it)',
        1,
      ],
      ['cause HttpRequestException: No connection could be made because the target machine actively refused it', 0],
      ['cause SocketException: No connection could be made because the target machine actively refused it', 0],
    ],
  )
})

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

test("rendered rows of Unity's are read back", async t => {
  fc.assert(
    fc.property(fc.uniqueArray(frame, { minLength: 1, maxLength: 20, selector: one => one.line }), rows => {
      const places = rows.map(({ path, drive, line }) => ({
        name: path.join('.'),
        place: `${drive}${path[0]}.cs:${line}`,
      }))
      const text = `Exception: no stock\n${places.map(({ name, place }) => `${name} (System.Int32 n, Shop.Line[] lines) (at ${place})\n`).join('')}`
      t.same(readExceptions(text), [
        { head: 'root Exception: no stock', frames: places.map(({ name, place }) => `${name} ${place}`).toReversed() },
      ])
    }),
    { numRuns: runs(60) },
  )
})
