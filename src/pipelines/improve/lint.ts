import { FaultlineError } from '../../core/errors.ts'
import type { ProgramRun } from '../../contract/generation-results.ts'
import { decodeText } from '../../core/source-text.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { NO_CHANGES, type Changes } from '../steps/base/base-files.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { runIn, type RunDeps } from '../steps/program/run-program.ts'

/** What running a linter needs. */
export interface LintDeps {
  sandbox: RunDeps & Pick<Sandbox, 'collect'>
}

/** What the project's settings say. */
export interface LintCommands {
  install?: string
  lint: string
}

/** What installing leaves; none of it is the project's. */
const NOT_COLLECTED = ['node_modules', '.git', '.venv', 'venv', '__pycache__', 'vendor', 'target']

/** What a shell says of a command that is not there, or may not be run. */
const NOT_RUN: ReadonlySet<number | null> = new Set([126, 127, null])

function failed(check: 'install' | 'lint', { exitCode, killedBy, stdout, stderr }: ProgramRun): FaultlineError {
  const code = exitCode ?? 'unknown'
  const how = killedBy === null ? `ended with exit code ${code}` : `was killed (${killedBy})`
  const words = `${stderr}\n${stdout}`.trim().slice(-500)
  const said = words === '' ? '.' : `: ${words}`
  return new FaultlineError(
    'LINT_FAILED',
    `The project's ${check} command ${how}${said}`,
    `Change checks.${check} with PATCH /projects/{name}, or leave "lint" out. ` +
      'GET /jobs/{id}/transcript has its output.',
  )
}

function requireStart(run: ProgramRun): void {
  if (NOT_RUN.has(run.exitCode)) throw failed('lint', run)
}

function requireEnd(check: 'install', run: ProgramRun): void {
  if (run.exitCode !== 0) throw failed(check, run)
}

/**
 * Runs the project's own linter over its files, in the sandbox and without a network; what it changed of them is what
 * the job begins with. Where the project has a command that installs, that runs before, with the package registries. A
 * linter that finds faults is none; one that cannot be run ends the job.
 *
 * @throws {FaultlineError} LINT_FAILED, SANDBOX_UNAVAILABLE.
 */
export async function lint(
  job: JobContext,
  { sandbox }: LintDeps,
  { base, refusal }: ProjectBase,
  commands: LintCommands,
): Promise<Changes> {
  return job.step('lint', async () => {
    const workspace = await job.workspace('lint')
    try {
      await base.place(workspace, new Set())
      if (commands.install !== undefined) {
        requireEnd(
          'install',
          await runIn(job, sandbox, { workspace, argv: ['/bin/bash', '-c', commands.install], network: 'registries' }),
        )
      }
      requireStart(await runIn(job, sandbox, { workspace, argv: ['/bin/bash', '-c', commands.lint], network: 'none' }))
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
