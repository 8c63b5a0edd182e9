import { shortened } from '../../core/both-ends.ts'
import type { TranscriptEntry } from '../../core/job.ts'
import type { TaskWriter } from '../job-context.ts'
import type { RunKey } from '../store/run-key.ts'
import type { TaskStore } from '../store/task-store.ts'

/** What a task is written with. */
interface TaskWriterParts {
  tasks: TaskStore
  run: RunKey
  /** Writes in the order of the calls; refuses once the run has ended. */
  write: (work: () => Promise<void>) => Promise<void>
  /** Keeps an entry of the transcript. */
  record: (entry: TranscriptEntry) => Promise<void>
  /** The same data; secrets in its texts are replaced. */
  withoutSecrets: <T>(value: T) => T
}

/** Characters that are kept of a text: a task outlives its job, whose transcript has all of it. */
const MAX_CHARS = 16_384

function bounded<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? shortened(value, MAX_CHARS) : value,
  ])
  return Object.fromEntries(entries) as Fields
}

/** Writes to the task of one run of a job. Models and programs say what is written, so it is cleaned and bounded. */
export function createTaskWriter({ tasks, run, write, record, withoutSecrets }: TaskWriterParts): TaskWriter {
  return {
    async number() {
      const number = await tasks.numberOf(run.seq)
      if (number === null) throw new Error('the job works on no task')
      return number
    },
    update: fields => write(() => tasks.update(run, bounded(withoutSecrets(fields)))),
    async log(name, entry) {
      const kept = bounded(withoutSecrets(entry))
      let isNew = false
      await write(async () => {
        isNew = await tasks.log(run, name, kept)
      })
      if (isNew) await record({ kind: 'task', ...kept })
    },
  }
}
