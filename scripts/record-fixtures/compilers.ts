// Renews the fixtures of compilers, linkers and linters: node scripts/record-fixtures/compilers.ts
import { join } from 'node:path'
import { has, install, output, record } from './recorder.ts'

const cwd = install('compilers')
const BIN = join(import.meta.dirname, '../../node_modules/.bin')

function versionOf(argv: string[]): string {
  return /(\d+\.\d+)/.exec(output(argv, { cwd }))?.[1] ?? '0'
}

/** Records a tool's report with its version in the name; the tool runs in a folder of the programs. */
function report(tool: string, folder: string, argv: string[], { name = tool, versionArgs = ['--version'] } = {}): void {
  const [command = tool] = argv
  if (!has(command, ...versionArgs)) return
  record(`${name.replace(tool, `${tool}-${versionOf([command, ...versionArgs])}`)}`, argv, {
    cwd: join(cwd, folder),
    env: { NO_COLOR: '1' },
  })
}

report('gcc', 'till', ['gcc', '-Wall', '-c', 'till.c'])
report('clang', 'till', ['clang', '-Wall', '-c', 'till.c'])
report('gcc', 'cpp', ['g++', '-c', 'cart.cpp'], { name: 'gcc-template' })
report('ld', 'link', ['gcc', 'main.c'], { name: 'ld-stripped', versionArgs: ['--version'] })
report('ld', 'link', ['gcc', '-g', 'main.c'], { name: 'ld-debug' })
report('rustc', 'rust', ['rustc', 'main.rs'])
report('javac', 'java', ['javac', 'Till.java'], { versionArgs: ['-version'] })
report('kotlinc', 'kotlin', ['kotlinc', 'Till.kt', '-d', 'out'], { versionArgs: ['-version'] })
report('scalac', 'scala', ['scalac', 'Till.scala'], { versionArgs: ['-version'] })
report('go', 'go', ['go', 'build', './...'], { name: 'go-build', versionArgs: ['version'] })
report('go', 'govet', ['go', 'vet', './...'], { name: 'go-vet', versionArgs: ['version'] })
report('go', 'gotest', ['go', 'test', './...'], { name: 'go-test', versionArgs: ['version'] })
report('go', 'gotest', ['go', 'test', '-v', './...'], { name: 'go-test-verbose', versionArgs: ['version'] })
report('mcs', 'cs', ['mcs', 'Till.cs'])
report('mypy', 'py', ['mypy', 'cart.py'])
report('mypy', 'py', ['mypy', '--pretty', '--show-column-numbers', 'cart.py'], { name: 'mypy-pretty' })
report('flake8', 'py', ['flake8', '.'])
report('pylint', 'py', ['pylint', 'cart.py'])
report('rubocop', 'rb', ['rubocop', 'style.rb'])
report('ruby', 'rb', ['ruby', '-wc', 'cart.rb'], { name: 'ruby-check' })
report('cmake', 'cmake', ['cmake', '-S', '.', '-B', 'build'])
report('tsc', 'ts', [join(BIN, 'tsc'), '--noEmit', '--pretty', 'false', '--ignoreConfig', 'till.ts'])
report('tsc', 'ts', [join(BIN, 'tsc'), '--noEmit', '--pretty', '--ignoreConfig', 'till.ts'], { name: 'tsc-pretty' })
report('eslint', 'lint', [join(BIN, 'eslint'), '.'])
