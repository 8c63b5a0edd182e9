// Renews the fixtures of .NET's Mono: node scripts/record-fixtures/dotnet.ts
import { build, has, install, output, record } from './recorder.ts'

const PROGRAMS = [
  'plain',
  'lambda',
  'generic',
  'nested',
  'inner',
  'async',
  'awaited',
  'iterator',
  'local',
  'recursion',
  'aggregate',
  'reflection',
]

function mono(): void {
  if (!has('mcs', '--version')) return
  const cwd = install('dotnet')
  const version = /version (\d+\.\d+)/.exec(output(['mono', '--version'], { cwd }))?.[1] ?? '0'
  build(['mcs', '-debug', '-out:shop.exe', 'Shop.cs'], { cwd })
  for (const program of PROGRAMS) {
    record(`mono-${version}-${program}`, ['mono', '--debug', 'shop.exe', program], { cwd })
  }
  build(['rm', 'shop.exe.mdb'], { cwd })
  record(`mono-${version}-stripped`, ['mono', 'shop.exe', 'inner'], { cwd })
}

mono()
