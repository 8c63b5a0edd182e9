import type { ProgramRun } from '../../../contract/generation-results.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { keptFiles, NO_CHANGES } from '../base/base-files.ts'
import { runProgram, scriptArgv, type RunDeps } from './run-program.ts'

/** What is to be run, and whether a person is asked before. */
interface ExecuteOptions {
  /** The script that is run, one of the job's files. */
  entrypoint: string
  whether: 'ask' | 'always' | 'never'
}

/** Whether the job's program is to be run: with `ask` a person is shown the script first. */
export async function confirmRun(job: JobContext, { entrypoint, whether }: ExecuteOptions): Promise<boolean> {
  if (whether !== 'ask') return whether === 'always'
  const script = await job.step('confirm_run.script', async () => (await job.files.read(entrypoint)).toString())
  const { decision } = await job.ask('confirm_run', {
    kind: 'confirm_run',
    command: `bash ${entrypoint}`,
    script,
    files: await job.files.list(),
  })
  return decision === 'approve'
}

/** Runs the program that the job's files are. */
export function execute(
  job: JobContext,
  sandbox: RunDeps,
  { entrypoint, network }: { entrypoint: string; network: boolean },
): Promise<ProgramRun> {
  return job.step('execute_entrypoint', () =>
    runProgram(job, sandbox, {
      argv: scriptArgv(entrypoint),
      base: keptFiles(job, sandbox),
      changes: NO_CHANGES,
      network: network ? 'registries' : 'none',
    }),
  )
}
