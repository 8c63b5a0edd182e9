import { Command } from 'commander'
import { test } from 'tap'
import { addPipelineOptions, bodyOf, numberOption } from '../../src/cli/pipeline-options.ts'

test('what was not given is not sent', async t => {
  t.same(bodyOf({}, { prompt: 'x', files: undefined }), { prompt: 'x' })
  t.same(bodyOf({ model: 'm', budgetTokens: 5, budgetUsd: 0.5 }, {}), { model: 'm', budget: { tokens: 5, usd: 0.5 } })
})

test('numbers are taken within their bounds only', async t => {
  const read = numberOption(0.5, 2)
  t.equal(read('1.5'), 1.5)
  for (const text of ['0.4', '3', '-1', '1e0', '', 'x', '1.']) t.throws(() => read(text), { message: /from 0.5 to 2/ })
})

test('every pipeline takes the same options', async t => {
  const command = addPipelineOptions(new Command('x'))
  command.parse(['--model', 'm', '--temperature', '1', '--budget-seconds', '9', '--yes', '--dry-run'], { from: 'user' })
  t.same(command.opts(), { model: 'm', temperature: 1, budgetSeconds: 9, yes: true, dryRun: true })
})

test('--notify takes waiting, done or both, once each', async t => {
  const read = (text: string) => {
    const command = addPipelineOptions(new Command('x'))
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
    return command.parse(['--notify', text], { from: 'user' }).opts().notify as unknown
  }
  for (const words of ['waiting', 'done', 'waiting,done', 'done,waiting']) t.same(read(words), words.split(','))
  for (const text of ['', 'ended', 'waiting,', 'waiting,waiting', 'waiting done', 'Done', 'waiting,ended']) {
    t.throws(() => read(text), /Expected waiting, done, or waiting,done/, JSON.stringify(text))
  }
  t.same(bodyOf({ notify: ['done'] }, {}), { notify: ['done'] })
})
