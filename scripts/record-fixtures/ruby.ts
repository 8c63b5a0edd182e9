// Renews the fixtures of Ruby and its test runners: node scripts/record-fixtures/ruby.ts
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { has, install, output, record } from './recorder.ts'

const cwd = install('ruby')
const PROGRAMS = ['plain', 'cause', 'recursion', 'thread', 'logged', 'syntax', 'evalled']

if (has('ruby', '-v')) {
  const version = /^ruby (\d+\.\d+)/.exec(output(['ruby', '-v'], { cwd }))?.[1] ?? '0'
  for (const program of PROGRAMS) record(`ruby-${version}-${program}`, ['ruby', `${program}.rb`], { cwd })
  record(`ruby-${version}-minitest`, ['ruby', '-Itest', 'test/cart_test.rb', '--seed', '1'], { cwd })
  if (has('rspec', '-v')) record(`ruby-${version}-rspec`, ['rspec', '--no-color', 'spec'], { cwd })
}

// A newer Ruby than distributions have: CRuby compiled to WebAssembly, from npm.
const packages = mkdtempSync(join(tmpdir(), 'ruby-'))
const version = '3.4'
if (
  spawnSync('npm', ['install', '--prefix', packages, '@ruby/wasm-wasi', `@ruby/${version}-wasm-wasi`], {
    stdio: 'ignore',
  }).status === 0
) {
  for (const program of ['plain', 'cause', 'recursion', 'evalled']) {
    record(
      `ruby-${version}-${program}`,
      ['node', '--no-warnings', 'wasm.mjs', packages, version, join(cwd, `${program}.rb`)],
      { cwd },
    )
  }
} else console.log(`skipped: no @ruby/${version}-wasm-wasi`)
rmSync(packages, { recursive: true })
