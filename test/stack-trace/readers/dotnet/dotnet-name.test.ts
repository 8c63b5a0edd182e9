import { test } from 'tap'
import { dotnetName } from '../../../../src/stack-trace/readers/dotnet/dotnet-name.ts'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const read = (name: string) => readExceptions(readTrace(name))

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
