// Renews the fixtures of C and C++: node scripts/record-fixtures/native.ts
import { build, has, install, output, record } from './recorder.ts'

const SOURCES = ['main.cpp', 'cart.cpp']
const cwd = install('native')

function compile(name: string, ...options: string[]): string {
  build(['g++', '-std=c++17', '-g', ...options, '-o', name, ...SOURCES, '-lpthread', '-ldl'], { cwd })
  return `./${name}`
}

function debuggers(): void {
  const shop = compile('shop', '-Og')
  const bare = compile('bare', '-O2', '-g0')
  build(['gcc', '-g', '-Og', '-o', 'plain', 'plain.c'], { cwd })
  if (has('gdb', '--version')) {
    const version = /(\d+\.\d+)/.exec(output(['gdb', '--version'], { cwd }))?.[1] ?? '0'
    const gdb = (name: string, program: string[], ...commands: string[]) =>
      record(
        `gdb-${version}-${name}`,
        [
          'gdb',
          '-q',
          '-nx',
          ...['set width 100', 'set pagination off', 'set confirm off', 'run', ...commands, 'quit'].flatMap(command => [
            '-ex',
            command,
          ]),
          '--args',
          ...program,
        ],
        { cwd, env: { DEBUGINFOD_URLS: '' } },
      )
    gdb('null', [shop, 'null'], 'bt')
    gdb('trap', [shop, 'trap'], 'bt')
    gdb('full', [shop, 'null'], 'bt full')
    gdb('recursion', [shop, 'recursion'], 'bt')
    gdb('thrown', [shop, 'thrown'], 'thread apply all bt')
    gdb('stripped', [bare, 'null'], 'bt')
    gdb('c', ['./plain'], 'bt')
    gdb('assert', ['./plain', 'assert'], 'bt')
  }
  if (has('lldb', '--version')) {
    const version = /(\d+\.\d+)/.exec(output(['lldb', '--version'], { cwd }))?.[1] ?? '0'
    record(`lldb-${version}-null`, ['lldb', '--batch', '-o', 'run', '-k', 'bt', '-k', 'quit', '--', shop, 'null'], {
      cwd,
      env: { DEBUGINFOD_URLS: '' },
      without: /^Traceback|^ {2}File "<string>"|^ModuleNotFoundError/,
    }) // its own interpreter is not installed
  }
}

function sanitizers(): void {
  const version = /(\d+)\.\d+\.\d+$/m.exec(output(['g++', '--version'], { cwd }))?.[1] ?? '0'
  const asan = compile('asan', '-Og', '-fsanitize=address')
  record(`gcc-${version}-lsan`, [compile('lsan', '-O0', '-fsanitize=address'), 'leak'], { cwd })
  for (const program of ['freed', 'overflow', 'null']) {
    record(`gcc-${version}-asan-${program}`, [asan, program], { cwd })
  }
  record(`gcc-${version}-ubsan`, [compile('ubsan', '-O0', '-fsanitize=undefined'), 'undefined'], {
    cwd,
    env: { UBSAN_OPTIONS: 'print_stacktrace=1' },
  })
  record(`gcc-${version}-tsan`, [compile('tsan', '-Og', '-fsanitize=thread'), 'race'], { cwd })
  if (!has('clang++', '--version')) return
  const clang = /version (\d+)/.exec(output(['clang++', '--version'], { cwd }))?.[1] ?? '0'
  build(
    ['clang++', '-std=c++17', '-g', '-O1', '-fno-omit-frame-pointer', '-fsanitize=memory', '-o', 'msan', ...SOURCES],
    { cwd },
  )
  record(`clang-${clang}-msan`, ['./msan', 'uninitialised'], { cwd })
}

function symbolizers(): void {
  const glibc = compile('glibc', '-Og', '-DWITH_GLIBC', '-rdynamic')
  record('glibc-2.36-backtrace', [glibc, 'null'], { cwd })
  const pie = compile('resolved', '-Og', '-no-pie', '-DWITH_GLIBC')
  const addresses =
    output([pie, 'null'], { cwd })
      .match(/\[0x[0-9a-f]+\]/g)
      ?.map(address => address.slice(1, -1)) ?? []
  record('addr2line-2.40', ['addr2line', '-e', pie, '-f', '-C', '-p', '-i', ...addresses], { cwd })
  record(
    'boost-1.74-stacktrace',
    [compile('boost', '-Og', '-DWITH_BOOST', '-DBOOST_STACKTRACE_USE_ADDR2LINE', '-rdynamic'), 'null'],
    { cwd },
  )
  if (has('valgrind', '--version')) record('valgrind-3.19-freed', ['valgrind', './shop', 'freed'], { cwd })
}

if (has('g++', '--version')) {
  debuggers()
  sanitizers()
  symbolizers()
}
