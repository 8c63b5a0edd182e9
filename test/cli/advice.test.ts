import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { test } from 'tap'
import { eventWithCommands, inCommands, projectWithCommands, withCommands } from '../../src/cli/advice.ts'
import { failureOf } from '../../src/cli/cli-error.ts'
import { createProgram } from '../../src/cli/program.ts'
import type { JobAnswer, JobEventAnswer } from '../../src/contract/job.ts'
import type { ProjectAnswer } from '../../src/contract/project.ts'
import { ERROR_HELP } from '../../src/core/error-help.ts'
import { ERROR_CODES, FaultlineError } from '../../src/core/errors.ts'
import { ROUTE, routeSentences } from '../helpers/route-sentences.ts'

/** To whoever asks for a job in place of an answer, or writes requests by hand, which no command does. */
const NEVER_PRINTED = [
  'POST /resolve with dry_run, which answers at once.',
  ERROR_HELP.NOT_FOUND.cure,
  ERROR_HELP.UNSUPPORTED_MEDIA_TYPE.cure,
]
const program = createProgram({
  version: '1.2.3',
  terminal: { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() } as never,
  run: async () => {},
  serve: async () => {},
  openMcp: async () => Promise.reject(new Error('not opened here')),
})

const sentences = routeSentences().filter(text => !NEVER_PRINTED.some(never => never.startsWith(text)))

/** The command that is meant, or null: words after it are its arguments. */
function commandOf(words: readonly string[], from: Command = program): Command {
  const [first = '', ...rest] = words
  const next = from.commands.find(command => command.name() === first)
  return next === undefined ? from : commandOf(rest, next)
}

test('no sentence of the services leaves a route in what a command prints, and each command that it names is there', t => {
  t.ok(sentences.length > 40, `${sentences.length} sentences were found`)
  for (const sentence of sentences) {
    const said = inCommands(sentence, 'ID')
    t.notMatch(said, ROUTE, sentence)
    t.notMatch(said, /\{id\}|<id>|\?wait=/, sentence)
    const named = [...said.matchAll(/faultline ([a-z][^"';.]*)/g)].map(([, words = '']) => words.trim().split(/\s+/))
    t.ok(named.length > 0, said)
    for (const words of named) {
      const command = commandOf(words)
      t.not(command, program, words.join(' '))
      for (const option of words.filter(word => word.startsWith('--'))) {
        t.ok(
          command.options.some(({ long }) => long === option),
          `${command.name()} ${option}`,
        )
      }
    }
  }
  t.end()
})

test('sentences read well as commands', t => {
  const pairs: ReadonlyArray<readonly [string, string]> = [
    [
      'GET /jobs/{id}/files and /diff have what was done.',
      '"faultline jobs files 7" and "faultline jobs diff 7" have what was done.',
    ],
    [
      'POST /jobs/{id}/retry with from_step gen_entrypoint asks again.',
      '"faultline jobs retry 7 --from-step gen_entrypoint" asks again.',
    ],
    [
      'DELETE /projects/shop, then POST /clone each of its repositories again.',
      '"faultline projects delete shop", then "faultline clone <url>" for each of its repositories again.',
    ],
    [
      `POST /clone with the repository's url and "project_name": "shop" builds the index again.`,
      '"faultline clone <url> --project shop" with the URL of the repository builds the index again.',
    ],
    ['GET /jobs/{id}?wait=60 answers when it has ended.', '"faultline jobs follow 7" ends when it has ended.'],
    [
      `PATCH /projects/shop {"checks": {"lint": "x ."}}, or leave "lint" out.`,
      `faultline projects set shop '{"checks": {"lint": "x ."}}', or leave --lint out.`,
    ],
    ['Send {"decision": "approve"} or {"decision": "reject"}.', 'Reply with --approve or --reject.'],
    ['Nothing of this.', 'Nothing of this.'],
  ]
  for (const [route, command] of pairs) t.equal(inCommands(route, '7'), command)
  t.end()
})

test('every error is told in commands, whatever its code', t => {
  const fix = 'GET /jobs/{id}/files and /diff have what was done; POST /jobs/{id}/retry goes on.'
  for (const code of ERROR_CODES) {
    const failure = failureOf(new FaultlineError(code, 'POST /clone the repository again.', fix))
    t.notMatch(`${failure.message} ${failure.fix}`, ROUTE, code)
  }
  t.end()
})

test('a job, its events and a project are told in commands, what was printed or written stays', t => {
  const job = {
    id: '7',
    progress: { step: 'index', message: 'POST /clone' },
    error: { code: 'X', message: 'GET /jobs lists', fix: 'POST /jobs/{id}/retry' },
  } as unknown as JobAnswer
  t.match(withCommands(job), {
    progress: { message: '"faultline clone <url>"' },
    error: { message: '"faultline jobs" lists', fix: '"faultline jobs retry 7"' },
  })
  t.match(withCommands({ ...job, error: null, progress: null }), { error: null, progress: null })
  const event = (name: string, data: object) => eventWithCommands({ event: name, data } as JobEventAnswer, '7').data
  t.strictSame(event('log', { text: 'PATCH /projects/shop sets them' }), {
    text: '"faultline projects set shop" sets them',
  })
  for (const data of [{ text: 'POST /clone', stream: 'stdout' }]) t.strictSame(event('log', data), data)
  t.strictSame(event('token', { text: 'POST /clone' }), { text: 'POST /clone' })
  const project = { problem: { detail: 'x', fix: 'DELETE /projects/shop' } } as unknown as ProjectAnswer
  t.match(projectWithCommands(project), { problem: { fix: '"faultline projects delete shop"' } })
  t.equal(projectWithCommands({ ...project, problem: null }).problem, null)
  t.end()
})

test('what hinders a job that asks is told in commands, too', async t => {
  const problem = 'The remote refused. GET /jobs/{id}/patch has the commit.'
  const job = { id: '7', error: null, progress: null, request: { kind: 'approve_delivery', problem } }
  t.match(withCommands(job as unknown as JobAnswer).request, {
    kind: 'approve_delivery',
    problem: 'The remote refused. "faultline jobs patch 7" has the commit.',
  })
})
