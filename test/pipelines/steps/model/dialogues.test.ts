import { test } from 'tap'
import {
  entrypointDialogue,
  filesTurn,
  fixRequest,
  replied,
  requestTurn,
  says,
} from '../../../../src/pipelines/steps/model/dialogues.ts'

const files = new Map([['a.py', 'print(1)\n']])

test('people ask, models reply', async t => {
  t.same(says('a'), { role: 'user', content: 'a' })
  t.same(replied('b'), { role: 'assistant', content: 'b' })
})

test('code and traces are marked as data, instructions are not', async t => {
  t.match(filesTurn(files).content, { label: 'files', text: /a\.py\n.*print/s })
  t.equal(requestTurn('a program', new Map()).content, 'a program')
  t.match(requestTurn('a program', files).content, ['a program', String, { label: 'files' }])
  t.match(entrypointDialogue(files), [
    { role: 'system' },
    { role: 'user', content: { slots: { files: { label: 'files' } } } },
  ])
  t.match(fixRequest('Traceback', 'code'), { slots: { stacktrace: { text: 'Traceback' }, context: { text: 'code' } } })
})
