import { test } from 'tap'
import { confirmRun } from '../../../../src/pipelines/steps/program/execute.ts'

test('a person is shown the script before it is run, unless the request decides', async t => {
  const asked: unknown[] = []
  const job = (decision: string) =>
    ({
      step: async (_name: string, run: () => unknown) => run(),
      files: { read: async () => Buffer.from('python3 main.py\n'), list: async () => [] },
      ask: async (_name: string, request: unknown) => {
        asked.push(request)
        return { decision }
      },
    }) as never
  t.equal(await confirmRun(job('reject'), { entrypoint: 'run.sh', whether: 'always' }), true)
  t.equal(await confirmRun(job('approve'), { entrypoint: 'run.sh', whether: 'never' }), false)
  t.same(asked, [])
  t.equal(await confirmRun(job('approve'), { entrypoint: 'run.sh', whether: 'ask' }), true)
  t.equal(await confirmRun(job('reject'), { entrypoint: 'run.sh', whether: 'ask' }), false)
  t.match(asked, [{ kind: 'confirm_run', command: 'bash run.sh', script: 'python3 main.py\n' }, {}])
})
