import { PassThrough } from 'node:stream'
import { test } from 'tap'
import { createProgram } from '../../src/cli/program.ts'

function program() {
  const called: string[] = []
  const made = createProgram({
    version: '1.2.3',
    terminal: { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() } as never,
    run: async command => {
      called.push(command.name())
    },
    serve: async flags => {
      called.push(`serve ${JSON.stringify(flags)}`)
    },
    openMcp: async () => Promise.reject(new Error('not opened here')),
  })
  return { made, called }
}

test('every command has a description, and its help an example', async t => {
  const { made } = program()
  const names = made.commands.map(command => command.name())
  for (const name of ['serve', 'clone', 'resolve', 'generate', 'improve', 'heal', 'fix', 'parse', 'projects', 'jobs']) {
    t.ok(names.includes(name), name)
  }
  for (const command of made.commands) t.not(command.description(), '', command.name())
})

test('a command is run with its options, and the server without a session', async t => {
  const { made, called } = program()
  await made.parseAsync(['parse', 'trace.txt'], { from: 'user' })
  await made.parseAsync(['serve'], { from: 'user' })
  t.match(called, ['parse', /^serve /])
})

test('a mistake in the call is thrown, not printed', async t => {
  const { made } = program()
  await t.rejects(made.parseAsync(['no-such-command'], { from: 'user' }), { name: 'CommanderError' })
})
