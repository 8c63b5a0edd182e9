import { test } from 'tap'
import { reportGenerated } from '../../../src/cli/commands/generate.ts'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import type { Session } from '../../../src/cli/session.ts'
import type { JobAnswer } from '../../../src/contract/job.ts'
import { plain } from '../../../src/text/paint.ts'

const USAGE = { llm_calls: 1, prompt_tokens: 7, completion_tokens: 3, usd: null }

/** Reports a generation that ended so; gives the exit code and what is said. */
function reported(run: { exit_code: number | null } | null, heal: { healed: boolean } | null = null) {
  let said = ''
  const result = (_job: unknown, text: () => string) => {
    said = text()
  }
  const session = { output: { result, paint: plain } } as unknown as Session
  const attempts = { attempts: [], stopped_because: 'same_error' }
  const job = {
    id: 'j1',
    type: 'generate',
    usage: USAGE,
    result: {
      files: [],
      run: run === null ? null : { killed_by: null, ready: false, duration_ms: 1, stdout: '', stderr: '', ...run },
      heal: heal === null ? null : { ...attempts, ...heal },
    },
  } as unknown as JobAnswer
  return { exitCode: reportGenerated(session, job), said }
}

test('a program that was generated fails the command where its run failed, or could not be healed', async t => {
  t.equal(reported(null).exitCode, EXIT.done, 'nothing was run')
  t.equal(reported({ exit_code: 0 }).exitCode, EXIT.done)
  t.equal(reported({ exit_code: 1 }).exitCode, EXIT.failed)
  t.equal(reported({ exit_code: null }).exitCode, EXIT.failed)
  t.equal(reported({ exit_code: 1 }, { healed: true }).exitCode, EXIT.done)
  t.equal(reported({ exit_code: 0 }, { healed: false }).exitCode, EXIT.failed)
  t.match(reported({ exit_code: 0 }).said, /exit code 0[^]*\nNext: faultline jobs files j1 --output FOLDER$/)
})
