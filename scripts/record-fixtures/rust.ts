// Renews the fixtures of Rust: node scripts/record-fixtures/rust.ts
import { existsSync } from 'node:fs'
import { build, has, install, output, record } from './recorder.ts'

const CRATES = '/usr/share/cargo/registry' // anyhow, as Debian installs it
const DISTRIBUTION = '/usr/bin/rustc'
const PROGRAMS = ['plain', 'message', 'closure', 'unwrap', 'thread', 'twice', 'recursion']

function rust(): void {
  if (!has('cargo', '--version')) return
  const cwd = install('rust')
  const version = /rustc (\d+\.\d+)/.exec(output(['rustc', '--version'], { cwd }))?.[1] ?? '0'
  const name = (program: string) => `rust-${version}-${program}`
  const isWrapped = existsSync(CRATES)
  const vendored = isWrapped
    ? [
        '--config',
        'source.crates-io.replace-with="installed"',
        '--config',
        `source.installed.directory="${CRATES}"`,
        '--features',
        'wrapped',
      ]
    : []
  build(['cargo', 'build', '--offline', ...vendored], { cwd })
  const kiosk = (program: string) => ['target/debug/kiosk', program]
  record(name('quiet'), kiosk('plain'), { cwd, env: { RUST_BACKTRACE: '0' } })
  record(name('full'), kiosk('plain'), { cwd, env: { RUST_BACKTRACE: 'full' } })
  for (const program of PROGRAMS) record(name(program), kiosk(program), { cwd, env: { RUST_BACKTRACE: '1' } })
  if (isWrapped) {
    record(name('wrapped'), kiosk('wrapped'), { cwd, env: { RUST_BACKTRACE: '0' } })
    record(name('wrapped-backtrace'), kiosk('wrapped'), { cwd, env: { RUST_BACKTRACE: '1' } })
  } else console.log('skipped: the crate anyhow is not installed')
  build(['cargo', 'build', '--offline', '--release', ...vendored], { cwd })
  record(name('release'), ['target/release/kiosk', 'plain'], { cwd, env: { RUST_BACKTRACE: '1' } })
}

/** Before 1.73 the message stood in quotes in front of the place. */
function oldRust(): void {
  if (!has(DISTRIBUTION, '--version')) return
  const cwd = install('rust')
  const version = /rustc (\d+\.\d+)/.exec(output([DISTRIBUTION, '--version'], { cwd }))?.[1] ?? '0'
  build([DISTRIBUTION, '-g', '--edition', '2021', '-o', 'kiosk', 'src/main.rs'], { cwd })
  for (const program of ['plain', 'message', 'closure', 'thread']) {
    record(`rust-${version}-${program}`, ['./kiosk', program], { cwd, env: { RUST_BACKTRACE: '1' } })
  }
}

rust()
oldRust()
