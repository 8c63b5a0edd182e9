import type { Deployment, FeaturePlan } from '../../../contract/feature.ts'
import { shortened } from '../../../core/both-ends.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { Callbacks } from '../../../outbound/callbacks.ts'
import type { HostCommand, HostOutcome } from '../../../sandbox/host-command.ts'
import { NO_CHANGES, type BaseFiles } from '../../steps/base/base-files.ts'
import type { ProjectBase } from '../../steps/base/project-base.ts'
import { requireLayer, type NeedEnvironment } from '../../steps/environment.ts'
import { runProgram, type RunDeps } from '../../steps/program/run-program.ts'
import type { FeatureRules } from '../rules.ts'

/** What deploying needs. */
export interface DeployDeps {
  /** Posts a signed message, and reads the answer. */
  deliver: Callbacks['deliver']
  /** The operator's programs, by project in small letters. */
  deployCommands: ReadonlyMap<string, readonly string[]>
  deployEnv: Readonly<Record<string, string>>
  runOnHost: (command: HostCommand) => Promise<HostOutcome>
  /** `checks.deploy` of the settings; null for none. */
  deployCheckOf: (projectName: string) => Promise<string | null>
  /** Where a program of the operator begins. */
  dataDir: string
  sandbox: RunDeps
  needEnvironment: NeedEnvironment
  /** The files of a commit. */
  filesAt: (at: ProjectBase['at']) => BaseFiles
  redact: (text: string) => string
}

/** A feature that was approved. */
interface DeployRequest {
  at: ProjectBase['at']
  rules: Pick<FeatureRules, 'deployUrl'>
  branch: string
  commit: string
  mergeCommit: string | null
  pullRequestUrl: string | null
  plan: Pick<FeaturePlan, 'understood' | 'branchName'>
}

const URL_TIMEOUT_MS = 60_000
const COMMAND_TIMEOUT_MS = 600_000
const MAX_OUTPUT_CHARS = 20_000

/** What deploys the features of a project; null: nothing. */
export async function whatDeploys(
  { deployCommands, deployCheckOf }: Pick<DeployDeps, 'deployCommands' | 'deployCheckOf'>,
  projectName: string,
  { deployUrl }: Pick<FeatureRules, 'deployUrl'>,
): Promise<Deployment['by'] | null> {
  if (deployUrl !== null) return 'url'
  if (deployCommands.has(projectName.toLowerCase())) return 'command'
  return (await deployCheckOf(projectName)) === null ? null : 'check'
}

/** Has the project's receiver deploy; its answer is the result. */
async function byUrl(
  job: JobContext,
  { deliver }: DeployDeps,
  url: string,
  request: DeployRequest,
): Promise<Deployment> {
  const { at, branch, commit, mergeCommit, pullRequestUrl, plan } = request
  const body = JSON.stringify({
    job_id: job.id,
    project_name: at.projectName,
    repository: at.repository,
    branch,
    commit,
    merge_commit: mergeCommit,
    pull_request_url: pullRequestUrl,
    plan: { understood: plan.understood, branch_name: plan.branchName },
  })
  const id = `deploy-${job.id}-${commit.slice(0, 12)}` // what was coded again since is another deployment
  const delivery = await deliver({ url, id, body, signal: job.signal, isAsking: true, timeoutMs: URL_TIMEOUT_MS })
  if (delivery.delivered) return { by: 'url', ok: true, status: delivery.status, output: delivery.answer ?? '' }
  const { status = null, answer = '', reason } = delivery
  return { by: 'url', ok: false, status, output: answer.trim() === '' ? reason : `${reason}: ${answer}` }
}

/** Runs the operator's program. */
async function byCommand(
  job: JobContext,
  { runOnHost, dataDir, deployEnv, redact }: DeployDeps,
  argv: readonly string[],
  request: DeployRequest,
): Promise<Deployment> {
  const { at, branch, commit, mergeCommit } = request
  const { exitCode, output, timedOut, durationMs } = await runOnHost({
    argv,
    env: {
      ...deployEnv,
      FAULTLINE_JOB: job.id,
      FAULTLINE_PROJECT: at.projectName,
      FAULTLINE_REPOSITORY: at.repository,
      FAULTLINE_BRANCH: branch,
      FAULTLINE_COMMIT: commit,
      FAULTLINE_MERGE_COMMIT: mergeCommit ?? '',
    },
    cwd: dataDir,
    timeoutMs: COMMAND_TIMEOUT_MS,
    signal: job.signal,
    onOutput: (stream, text) => job.log(redact(text), stream),
  })
  job.signal.throwIfAborted()
  await job.record({
    kind: 'command',
    argv: [...argv],
    exitCode,
    signal: null,
    stdout: redact(output),
    stderr: '',
    timedOut,
    durationMs,
    sandboxed: false,
  })
  const said = timedOut ? `${output}\nIt was ended after ${COMMAND_TIMEOUT_MS / 60_000} minutes.` : output
  return { by: 'command', ok: exitCode === 0, status: exitCode, output: said }
}

/** Runs the project's own command in the sandbox, over the files that were approved. */
async function byCheck(
  job: JobContext,
  deps: DeployDeps,
  command: string,
  { at, commit }: DeployRequest,
): Promise<Deployment> {
  const layer = requireLayer(await deps.needEnvironment(job, at))
  const base = deps.filesAt({ ...at, commit })
  const argv = ['/bin/bash', '-c', command]
  const run = await runProgram(job, deps.sandbox, { argv, base, changes: NO_CHANGES, layer, network: 'none' })
  const output = [run.stdout, run.stderr].filter(text => text !== '').join('\n')
  return { by: 'check', ok: run.exitCode === 0, status: run.exitCode, output }
}

/**
 * Deploys an approved feature, as a step: by the project's `deploy_url`, else by the operator's command, else by
 * `checks.deploy` in the sandbox. The receiver gets the same `webhook-id` when a server that was killed tries again; a
 * program may be run twice then.
 *
 * @returns Null where nothing deploys the project.
 */
export function deployFeature(job: JobContext, deps: DeployDeps, request: DeployRequest): Promise<Deployment | null> {
  const { at, rules, branch } = request
  async function deploy(): Promise<Deployment | null> {
    if (rules.deployUrl !== null) return byUrl(job, deps, rules.deployUrl, request)
    const argv = deps.deployCommands.get(at.projectName.toLowerCase())
    if (argv !== undefined) return byCommand(job, deps, argv, request)
    const command = await deps.deployCheckOf(at.projectName)
    return command === null ? null : byCheck(job, deps, command, request)
  }
  return job.step('deploy', async () => {
    const deployment = await deploy()
    if (deployment === null) return null
    const { ok, status } = deployment
    const failed = `failed (${status ?? 'no answer'})`
    const outcome = ok ? 'done' : failed
    job.log(`Deployed by ${deployment.by}: ${outcome}.`)
    await job.audit({ action: 'feature.deploy', target: branch, outcome })
    return { ...deployment, output: shortened(deps.redact(deployment.output), MAX_OUTPUT_CHARS) }
  })
}
