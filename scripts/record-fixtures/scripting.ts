// Renews the fixtures of Perl, Elixir, Erlang, shells and Terraform: node scripts/record-fixtures/scripting.ts
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { has, install, output, record } from './recorder.ts'

function perl(): void {
  const cwd = install('perl')
  if (!has('perl', '-v')) return
  const version = /\(v(\d+\.\d+)/.exec(output(['perl', '-v'], { cwd }))?.[1] ?? '0'
  for (const program of ['plain', 'confess', 'croak', 'broken', 'missing', 'evalled']) {
    record(`perl-${version}-${program}`, ['perl', `${program}.pl`], { cwd })
  }
  record(`perl-${version}-test`, ['prove', 't/cart.t'], { cwd })
}

function elixir(): void {
  const cwd = install('elixir')
  if (!has('elixir', '--version')) return
  const [, erlang = '0', version = '0'] =
    /Erlang\/OTP (\d+)[^]*Elixir (\d+\.\d+)/.exec(output(['elixir', '--version'], { cwd })) ?? []
  for (const program of ['plain', 'raise', 'undefined', 'task', 'server', 'broken', 'syntax']) {
    record(`elixir-${version}-${program}`, ['elixir', `${program}.exs`], { cwd })
  }
  record(`elixir-${version}-exunit`, ['elixir', 'cart_test.exs'], { cwd })
  output(['erlc', '+debug_info', 'till.erl'], { cwd })
  record(`erlang-${erlang}-term`, ['erl', '-noshell', '-s', 'till', 'main', '-s', 'init', 'stop'], {
    cwd,
    env: { ERL_CRASH_DUMP_BYTES: '0' },
  })
}

function shells(): void {
  const cwd = install('shell')
  for (const shell of ['bash', 'dash', 'zsh']) {
    if (!has(shell, '-c', 'true')) continue
    for (const program of ['run', 'broken', 'unset']) record(`${shell}-${program}`, [shell, `${program}.sh`], { cwd })
  }
  if (has('make', '--version')) record('make-4', ['make', '-f', 'Makefile'], { cwd })
}

function terraform(): void {
  const cwd = install('terraform')
  if (!has('terraform', 'version')) return
  writeFileSync(join(cwd, 'terraform.rc'), '')
  const env = { TF_CLI_CONFIG_FILE: join(cwd, 'terraform.rc'), CHECKPOINT_DISABLE: '1' }
  const version = /Terraform v(\d+\.\d+)/.exec(output(['terraform', 'version'], { cwd, env }))?.[1] ?? '0'
  record(`terraform-${version}-plain`, ['terraform', 'validate', '-no-color'], { cwd, env })
  record(`terraform-${version}-boxed`, ['terraform', 'validate'], { cwd, env })
}

perl()
elixir()
shells()
terraform()
