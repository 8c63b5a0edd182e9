import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { EnvironmentInput, EnvironmentResult } from '../../contract/environment.ts'
import type { ProgramRun } from '../../contract/generation-results.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import type { CommitReader } from '../../repos/objects/commit-reader.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { runIn } from '../steps/program/run-program.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { ENVIRONMENT_REQUEST } from './body.ts'
import { createVersionsOf, planEnvironment, type EnvironmentPlan, type PlanDeps, type ProjectCommit } from './plan.ts'

/** What installing needs. */
interface EnvironmentDeps extends Omit<PlanDeps, 'sandbox' | 'git'> {
  git: PlanDeps['git'] & Pick<CommitReader, 'checkout'>
  sandbox: Pick<Sandbox, 'run' | 'remove' | 'openLayer' | 'keepLayer'>
  /** What all environments together may take on the disk. */
  environmentsBytes: number
  /** The name of this node; null for a process that works alone. */
  nodeName: string | null
}

const INSTALL_LIMIT_MS = 15 * 60_000
const MIB = 1024 * 1024
/** One install writes at most so much, whatever all of them may. */
const MAX_INSTALL_MB = 8 * 1024
const NO_SUCH_PROGRAM = 127
const SAID_CHARS = 500

/** What the proxy says of a host that is no registry, or what package managers make of that. */
const REFUSED = /package registries that may be reached|\b403 Forbidden\b|statusCode=403|\bproxy\b.*\b403\b/i

const HELP = 'Set checks.install with PATCH /projects/{name} or in .faultline.toml.'

function fixFor({ exitCode, killedBy, stdout, stderr }: ProgramRun): string {
  if (exitCode === NO_SUCH_PROGRAM) return `Install the program on the machine of the server. ${HELP}`
  if (killedBy === 'memory') return 'Raise SANDBOX_MEMORY_MB.'
  if (killedBy === 'disk') return 'Raise ENVIRONMENTS_GB, or install less with checks.install.'
  if (REFUSED.test(stdout + stderr)) {
    return 'SANDBOX_REGISTRIES names the registries that an install may reach.'
  }
  return `${HELP} The log of this job has its output.`
}

function failed(run: ProgramRun): FaultlineError {
  const { exitCode, killedBy, stdout, stderr } = run
  const code = exitCode ?? 'unknown'
  const how = killedBy === null ? `ended with exit code ${code}` : `was killed (${killedBy})`
  const words = `${stderr}\n${stdout}`.trim().slice(-SAID_CHARS)
  const said = words === '' ? '.' : `: ${words}`
  return new FaultlineError('ENVIRONMENT_FAILED', `The project's install command ${how}${said}`, fixFor(run))
}

const readInput = (input: JsonObject): EnvironmentInput =>
  readStoredBody(input, {
    type: ENVIRONMENT_REQUEST.type,
    url: '/jobs/{id}/retry',
    texts: ['project_name', 'repository', 'commit', 'key'],
  })

/** What is installed, and where: it stays on the disk of a node. */
const installedOn = ({ key, node }: EnvironmentInput): string => (node === undefined ? key : `${key}@${node}`)

/** The result of an install that made nothing. */
const NOTHING = { key: '', install: '', entries: 0, bytes: 0, reused: false }

/** Installs into two empty folders, and makes a layer of what that leaves. */
async function install(
  job: JobContext,
  { git, sandbox, environmentsBytes: limitBytes }: EnvironmentDeps,
  { plan, at }: { plan: EnvironmentPlan; at: ProjectCommit },
): Promise<{ entries: number; bytes: number; reused: boolean }> {
  if ((await sandbox.openLayer(plan.key)) !== null) return { entries: 0, bytes: 0, reused: true }
  const folder = await job.workspace('install')
  const [workspace, home] = [join(folder, 'workspace'), join(folder, 'home')]
  await mkdir(workspace, { mode: 0o700 })
  await git.checkout(
    { repository: at.repository, commit: at.commit, dir: workspace, without: plan.withheld },
    job.signal,
  )
  const run = await runIn(job, sandbox, {
    argv: ['/bin/bash', '-c', plan.install],
    workspace,
    home,
    network: 'registries',
    ecosystems: plan.ecosystems,
    timeoutMs: INSTALL_LIMIT_MS,
    diskMb: Math.min(MAX_INSTALL_MB, Math.ceil(limitBytes / MIB)),
  })
  if (run.exitCode !== 0) throw failed(run)
  const { given } = plan
  return { ...(await sandbox.keepLayer(plan.key, { folder, given, limitBytes, signal: job.signal })), reused: false }
}

/** The job that installs the dependencies of a project once, for all that run its programs. */
export function createEnvironmentPipeline(deps: EnvironmentDeps): JobDefinition {
  const versionsOf = createVersionsOf(deps)
  return {
    projectName: input => readInput(input).project_name,
    exclusiveKey: input => `environment:${installedOn(readInput(input))}`,
    isBeside: true,
    runsOn: input => readInput(input).node ?? null,
    async run(job) {
      const { project_name: projectName, repository, commit, key, node } = readInput(job.input)
      const at = { projectName, repository, commit }
      const here = deps.nodeName === null ? {} : { node: deps.nodeName }
      if (node !== undefined && node !== deps.nodeName) {
        job.log(`The node ${node}, which needed it, is gone.`)
        // also where this one fails, which says nothing of that one
        await job.setResult({ ...at, ...NOTHING, key, ...here } satisfies EnvironmentResult)
      }
      const onNotice = (notice: string) => job.log(notice)
      job.progress({ step: 'install', done: 0, total: 1, message: 'installing the dependencies' })
      const installed = await job.step('install', async () => {
        const plan = await planEnvironment(job, { ...deps, versionsOf, onNotice }, at)
        if (plan === null) return { ...NOTHING, reused: true }
        return { key: plan.key, install: plan.install, ...(await install(job, deps, { plan, at })) }
      })
      return { ...at, ...installed, ...here } satisfies EnvironmentResult
    },
  }
}
