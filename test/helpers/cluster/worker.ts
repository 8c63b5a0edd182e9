// One worker of a cluster: runs scripted jobs and notes in a file what their bodies did, until it is ended.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { installJob, scriptedJob } from '../scripted-job.ts'
import { openNode } from './open-node.ts'
import type { WorkerNote, WorkerSettings } from './worker-process.ts'

const { url, name, root, notes, concurrency } = JSON.parse(process.argv[2] ?? '') as WorkerSettings

function note(entry: Omit<WorkerNote, 'at' | 'worker'>): void {
  appendFileSync(notes, `${JSON.stringify({ at: Date.now(), worker: name, ...entry } satisfies WorkerNote)}\n`)
}

async function body({ id, input, step }: JobContext): Promise<unknown> {
  const { steps = 1, ms = 0, hang_on: hangOn, hang_in: hangIn, kill_in: killIn } = input
  const run = randomUUID()
  note({ kind: 'begin', job: id, run })
  try {
    for (let i = 1; i <= Number(steps); i++) {
      const hangs = hangOn === name && hangIn === i
      await step(`step-${i}`, async signal => {
        note({ kind: 'step', job: id, run, step: i })
        if (killIn === i) process.kill(process.pid, 'SIGKILL')
        await delay(hangs ? 3_600_000 : Number(ms), undefined, { signal })
        return { worker: name, run }
      })
    }
    return { worker: name, run }
  } finally {
    note({ kind: 'end', job: id, run })
  }
}

const node = await openNode({
  url,
  name,
  root,
  concurrency,
  definitions: { clone: scriptedJob(body), environment: installJob(body) },
  onError: error => note({ kind: 'error', message: inspect(error) }),
})
note({ kind: 'ready' })
process.on('SIGTERM', () => {
  node.close().then(
    () => process.exit(0),
    (error: unknown) => {
      note({ kind: 'error', message: String(error) })
      process.exit(1)
    },
  )
})
