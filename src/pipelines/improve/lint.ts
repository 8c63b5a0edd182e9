import { FaultlineError } from '../../core/errors.ts'
import type { ProgramRun } from '../../contract/generation-results.ts'
import { decodeText } from '../../core/source-text.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Layer } from '../../sandbox/run.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { NO_CHANGES, type Changes } from '../steps/base/base-files.ts'
import type { EnvironmentState, NeedEnvironment } from '../steps/environment.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { runIn, type RunDeps } from '../steps/program/run-program.ts'

/** What running a linter needs. */
export interface LintDeps {
  sandbox: RunDeps & Pick<Sandbox, 'collect'>
  needEnvironment: NeedEnvironment
}

/** What installing leaves; none of it is the project's. */
const NOT_COLLECTED = ['node_modules', '.git', '.venv', 'venv', '__pycache__', 'vendor', 'target']

/** What a shell says of a command that is not there, or may not be run. */
const NOT_RUN: ReadonlySet<number | null> = new Set([126, 127, null])

const LEAVE_OUT = 'or leave "lint" out.'

function failed({ exitCode, killedBy, stdout, stderr }: ProgramRun): FaultlineError {
  const code = exitCode ?? 'unknown'
  const how = killedBy === null ? `ended with exit code ${code}` : `was killed (${killedBy})`
  const words = `${stderr}\n${stdout}`.trim().slice(-500)
  const said = words === '' ? '.' : `: ${words}`
  return new FaultlineError(
    'LINT_FAILED',
    `The project's lint command ${how}${said}`,
    `Change checks.lint with PATCH /projects/{name}, ${LEAVE_OUT} GET /jobs/{id}/transcript has its output.`,
  )
}

function requireStart(run: ProgramRun): void {
  if (NOT_RUN.has(run.exitCode)) throw failed(run)
}

/** What the linter runs on; undefined where nothing is to be installed. */
function layerOf(state: EnvironmentState): Layer | undefined {
  if (state.status === 'failed') throw new FaultlineError('LINT_FAILED', state.reason, `${state.fix} Or ${LEAVE_OUT}`)
  return state.status === 'ready' ? state.layer : undefined
}

/**
 * Runs the project's own linter over its files, in the sandbox and without a network, with what is installed for it;
 * what it changed of them is what the job begins with. A linter that finds faults is none; one that cannot be run ends
 * the job.
 *
 * @throws {FaultlineError} LINT_FAILED, SANDBOX_UNAVAILABLE.
 */
export async function lint(
  job: JobContext,
  { sandbox, needEnvironment }: LintDeps,
  { at, base, refusal }: ProjectBase,
  command: string,
): Promise<Changes> {
  return job.step('lint', async () => {
    const workspace = await job.workspace('lint')
    try {
      await base.place(workspace, new Set())
      const layer = layerOf(await needEnvironment(job, at))
      const argv = ['/bin/bash', '-c', command]
      requireStart(await runIn(job, sandbox, { workspace, layer, argv, network: 'none' }))
      const { files, skipped } = await sandbox.collect(workspace, { ignore: NOT_COLLECTED })
      if (skipped.some(({ reason }) => reason === 'too_many' || reason === 'total_too_large')) {
        job.log('The project is too large for all that the linter changed to be taken: some of it is left out.')
      }
      const changed = new Map<string, string>()
      for (const { path, content } of files) {
        const text = (await base.differs(path, content)) ? decodeText(content) : null
        if (text === null) continue
        const reason = await refusal(path)
        if (reason === null) changed.set(path, text)
        else job.log(`What the linter changed of it is left out: ${reason}`)
      }
      await job.files.put(changed)
      const paths = [...changed.keys()].sort()
      job.log(
        paths.length === 0 ? 'The linter changed nothing.' : `The linter changed ${paths.join(', ')}.`.slice(0, 4000),
      )
      return paths.length === 0 ? NO_CHANGES : { changed: paths, deleted: [] }
    } finally {
      await sandbox.remove(workspace)
    }
  })
}
