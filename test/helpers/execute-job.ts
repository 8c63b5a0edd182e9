// The part of a pipeline that runs what a model wrote: files into a workspace, a program over them, and what came of
// it. As a program of its own (`node execute-job.ts '{"root": …, "workspacesDir": …, "script": …}'`) it opens the jobs
// of a folder, waits for the first one and prints it as JSON.
import { join } from 'node:path'
import { unifiedDiff } from '../../src/edits/write/unified-diff.ts'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { startSandbox } from '../../src/services/sandbox.ts'
import { Jobs } from '../../src/jobs/jobs.ts'
import { SqliteJobStore } from '../../src/jobs/store/sqlite/sqlite-job-store.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { JOBS_LIMITS } from './jobs-defaults.ts'
import { SANDBOX_OPTIONS } from './sandbox-defaults.ts'
import { scriptedJob } from './scripted-job.ts'

export interface ExecuteJobInput {
  root: string
  workspacesDir: string
  script: string
}

/** Runs `bash run.sh` over files and keeps what the program made of them, and the difference. */
function executeFiles(sandbox: Sandbox, given: ReadonlyMap<string, string>) {
  return async (context: JobContext) =>
    await context.step('execute', async signal => {
      const workspace = await context.workspace('run')
      await sandbox.fill(workspace, given)
      const result = await sandbox.run({
        argv: ['bash', 'run.sh'],
        workspace,
        signal,
        onOutput: (_stream, text) => context.log(text),
      })
      const { stdout, stderr, exitCode, durationMs, timedOut, sandboxed } = result
      await context.record({
        kind: 'command',
        argv: ['bash', 'run.sh'],
        exitCode,
        signal: result.signal,
        stdout,
        stderr,
        timedOut,
        durationMs,
        sandboxed,
      })
      signal.throwIfAborted()
      const { files, skipped } = await sandbox.collect(workspace, { ignore: ['node_modules'] })
      const made = new Map<string, string | null>(files.map(({ path, content }) => [path, content.toString()]))
      const left = new Set(made.keys())
      for (const path of given.keys()) if (!left.has(path)) made.set(path, null)
      const changed = new Map([...made].filter(([path, content]) => content !== given.get(path)))
      await context.files.put(changed)
      await context.setDiff(unifiedDiff(given, changed))
      return {
        exitCode,
        stdout,
        changed: [...changed.keys()].sort(),
        skipped: skipped.map(({ path, reason }) => `${path} ${reason}`),
      }
    })
}

/** Jobs and a sandbox over them, as the server connects them. */
export function openExecuteJobs({ root, workspacesDir, script }: ExecuteJobInput): {
  jobs: Jobs
  errors: unknown[]
  close: () => Promise<void>
} {
  const errors: unknown[] = []
  const onError = (error: unknown) => {
    errors.push(error)
  }
  const sandbox = startSandbox({ ...SANDBOX_OPTIONS, workspacesDir, onCrash: onError })
  const given = new Map([
    ['run.sh', script],
    ['kept.txt', 'the same\n'],
    ['counted.txt', 'one\n'],
    ['gone.txt', 'x\n'],
  ])
  const db = openJobsDatabase(join(root, 'jobs.sqlite'))
  const jobs = new Jobs({
    store: new SqliteJobStore(db),
    definitions: { task: scriptedJob(executeFiles(sandbox, given)) },
    ...JOBS_LIMITS,
    workspacesDir,
    removeFolder: sandbox.remove,
    onError,
  })
  return {
    jobs,
    errors,
    async close() {
      await jobs.stop()
      await sandbox.close()
      db.close()
    },
  }
}

async function main(input: ExecuteJobInput & { id: string }): Promise<void> {
  const { jobs, errors, close } = openExecuteJobs(input)
  await jobs.start()
  console.log(JSON.stringify({ job: await jobs.settled(input.id, 60_000), errors: errors.map(String) }))
  await close()
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as ExecuteJobInput & { id: string })
