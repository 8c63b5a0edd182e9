import { test } from 'tap'
import { dotnetFrame } from '../../../../src/stack-trace/readers/dotnet/dotnet-frame.ts'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('paths of Windows and of builds; "End of stack trace from previous location" ends nothing', async t => {
  t.same(read('dotnet-6-avalonia')[0]?.frames.slice(-2), [
    'iDecryptIt.App.OnFrameworkInitializationCompleted ' +
      'C:\\Users\\Cole\\Desktop\\iDecryptIt\\iDecryptIt\\App.axaml.cs:43',
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
