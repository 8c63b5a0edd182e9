import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { test } from 'tap'
import { createProgram } from '../../src/cli/program.ts'
import { docPages } from '../helpers/doc-pages.ts'

const nowhere = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { isTTY: false })
const program = createProgram({
  version: '0.0.0',
  terminal: { stdin: process.stdin, stdout: nowhere, stderr: nowhere },
  run: async () => {},
  serve: async () => {},
  openMcp: async () => Promise.reject(new Error('not opened here')),
})

const named = (command: Command, name: string | undefined): Command | undefined =>
  command.commands.find(one => one.name() === name || one.aliases().includes(name ?? ''))

/** The command that words name, and the words after it; undefined where there is none. */
function commandOf(words: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  const first = named(program, words[0])
  if (first === undefined) return undefined
  const second = named(first, words[1])
  return second === undefined ? { command: first, rest: words.slice(1) } : { command: second, rest: words.slice(2) }
}

function knowsOption(command: Command, option: string): boolean {
  for (let at: Command | null = command; at !== null; at = at.parent) {
    if (at.options.some(({ long, short }) => long === option || short === option)) return true
  }
  return option === '--help'
}

test('each command that a sentence names is one, with its options', async t => {
  let count = 0
  for (const { path, text } of docPages()) {
    if (path.startsWith('docs/decisions/')) continue // what was decided then
    const prose = text.replace(/^ *```[^]*?^ *```$/gm, '')
    for (const [, words = ''] of prose.matchAll(/[`"](?:npx )?faultline ([a-z][^`"]*)[`"]/g)) {
      count++
      const found = commandOf(words.split(/\s+/))
      t.ok(found, `${path}: faultline ${words}`)
      const options = (found?.rest ?? []).flatMap(word => /^--?[a-z][\w-]*/.exec(word)?.[0] ?? [])
      for (const option of options) t.ok(found && knowsOption(found.command, option), `${path}: faultline ${words}`)
    }
  }
  t.ok(count > 20, `${count} commands were found`)
})

test('docs/cli.md names each command', async t => {
  const page = docPages().find(({ path }) => path === 'docs/cli.md')
  for (const command of program.commands) t.match(page?.text, `\`${command.name()}\``, command.name())
})
