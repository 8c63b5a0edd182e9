import { test } from 'tap'
import { FaultlineError } from '../../../../src/core/errors.ts'
import {
  continueReply,
  MAX_CONTINUATIONS,
  type ReplyPiece,
} from '../../../../src/pipelines/steps/model/continue-reply.ts'

const F = '```'
const piece = (text: string, finishReason: string, model = 'one'): ReplyPiece => ({ text, model, finishReason })
const CUT = piece(`a.js\n${F}js\nif (x) {\n  y()\n}\n`, 'length')

/** Answers with these pieces in turn, and keeps what it was asked with. */
function scripted(...pieces: Array<Parameters<typeof continueReply>[0]>) {
  const asked: string[] = []
  return {
    asked,
    goOn: async ({ text }: ReplyPiece): Promise<ReplyPiece> => {
      asked.push(text)
      return pieces[asked.length - 1] ?? piece('', 'length')
    },
  }
}

test('a whole reply is asked for nothing, a cut one for its rest', async t => {
  const none = scripted()
  t.match(await continueReply(piece('all', 'stop'), none.goOn), { text: 'all', cut: null })
  t.same(none.asked, [])
  const { goOn, asked } = scripted(piece('z()\n', 'length'), piece(`${F}\n`, 'stop', 'two'))
  const whole = await continueReply(CUT, goOn)
  t.match(whole, { text: `${CUT.text}z()\n${F}\n`, model: 'two', finishReason: 'stop', cut: null })
  t.same(asked, [CUT.text, `${CUT.text}z()\n`])
})

test('a piece whose place is not certain is asked for again, and at last left out', async t => {
  const doubtful = piece(`}\nz()\n${F}\n`, 'stop')
  const again = scripted(doubtful, piece(`z()\n${F}\n`, 'stop'))
  t.match(await continueReply(CUT, again.goOn), { text: `${CUT.text}z()\n${F}\n`, cut: null })
  t.same(again.asked, [CUT.text, CUT.text])
  const never = scripted(doubtful, doubtful, doubtful, doubtful)
  const { text, cut } = await continueReply(CUT, never.goOn)
  t.equal(text, CUT.text)
  t.match(cut, { code: 'REPLY_TRUNCATED', message: /asked to go on 3 times/ })
  t.equal(never.asked.length, MAX_CONTINUATIONS)
})

test('what the server holds back, and a call that fails, end the reply with their own error', async t => {
  t.match((await continueReply(piece('a', 'content_filter'), scripted().goOn)).cut, { code: 'REPLY_FILTERED' })
  const failure = async (code: 'LLM_REQUEST_TOO_LARGE' | 'LLM_UNAVAILABLE') =>
    (await continueReply(CUT, async () => ({ failure: { code, message: 'Why.' } }))).cut
  t.match(await failure('LLM_REQUEST_TOO_LARGE'), { code: 'REPLY_TRUNCATED', message: /Why\.$/ })
  const other = await failure('LLM_UNAVAILABLE')
  t.ok(other instanceof FaultlineError)
  t.equal(other?.code, 'LLM_UNAVAILABLE')
})
