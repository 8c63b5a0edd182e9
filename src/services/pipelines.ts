import type { Usage } from '../core/job.ts'
import type { Outline } from '../core/outline.ts'
import { FaultlineError } from '../core/errors.ts'
import { findGuards } from '../guards/find-guards.ts'
import type { FileKinds } from '../guards/guard.ts'
import { hidingTests } from '../guards/hiding-tests.ts'
import { withoutSuppressions } from '../guards/suppressions.ts'
import { languageOf } from '../indexer/languages.ts'
import { createGlobTest } from '../indexer/path-globs.ts'
import type { Projects } from '../indexer/projects.ts'
import type { JobDefinitions } from '../jobs/job-definition.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { CloneDeps } from '../pipelines/clone/run.ts'
import type { FeatureStore } from '../jobs/store/feature-store.ts'
import { Bill } from '../llm/client/bill.ts'
import type { ModelProxyOptions } from '../llm/proxy/model-proxy.ts'
import { createChecksOf, projectFileAt, type ChecksOf } from '../pipelines/environment/plan.ts'
import { createFeatureRulesOf } from '../pipelines/feature/rules.ts'
import { committedFiles } from '../pipelines/steps/base/committed-files.ts'
import type { ProjectBase } from '../pipelines/steps/base/project-base.ts'
import { runOnHost } from '../sandbox/host-command.ts'
import type { Checks } from '../pipelines/environment/ecosystem-rules.ts'
import { createNeedEnvironment } from '../pipelines/steps/environment.ts'
import { defineJobs, prepareRequests, type PreparedRequests } from '../pipelines/registry.ts'
import { outlineOf } from '../outline/outline.ts'
import type { FindGuards } from '../pipelines/steps/guards.ts'
import type { StrictDeps } from '../pipelines/task/checks-strict.ts'
import type { TellOrigins } from '../pipelines/resolve/ci-log.ts'
import type { InvestigationParts } from '../pipelines/resolve/run.ts'
import { createDiagnose } from '../pipelines/steps/program/diagnose.ts'
import { redact } from '../llm/redaction/redact.ts'
import { redactTexts } from '../llm/redaction/redact-values.ts'
import { checkRef } from '../repos/clone/refs.ts'
import { kindOfPath } from '../resolver/code/path-kinds.ts'
import type { ResolveHooks } from '../resolver/resolver.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { FindForge } from '../forges/forge-site.ts'
import type { Config } from '../config.ts'
import { countTokens } from '../tokens/o200k.ts'
import type { Callbacks } from './callbacks.ts'
import type { CodeTools } from './code-tools.ts'
import { createInstallJobs } from './environments.ts'
import type { Git } from './git.ts'
import type { Model } from './model.ts'
import type { Resolving } from './resolving.ts'
import { taskContext } from './task-context.ts'
import { withCleanOutput, withoutSecrets } from './without-secrets.ts'

/** What pipelines are made of. */
interface PipelineServices {
  git: Git
  sandbox: Sandbox
  projects: Projects
  model: Model
  resolving: Resolving
  codeTools: CodeTools
  callbacks: Callbacks
  findForge: FindForge
  config: Pick<
    Config,
    | 'environmentsBytes'
    | 'tasks'
    | 'aider'
    | 'modelPrices'
    | 'llm'
    | 'deployCommands'
    | 'deployEnv'
    | 'dataDir'
    | 'workspacesDir'
  >
  /** The branches of features. */
  features: FeatureStore
  /** What runs the jobs that these parts define; there as soon as one runs. */
  jobs: Promise<Jobs>
  /** The name of this node; null for a process that works alone. */
  nodeName: string | null
  tellOrigins: TellOrigins
}

/** What reads the commands by which projects are installed and checked. */
const checksDeps = ({ git, projects }: Pick<PipelineServices, 'git' | 'projects'>) => ({
  git,
  async settingsOf(name: string): Promise<Checks> {
    const { deploy: _deploy, ...checks } = (await projects.settings(name)).checks
    return checks
  },
  commitOf: (name: string, repository?: string) => projects.commitOf(name, repository),
})

/** The commands by which a project is installed and checked, whoever says them. */
export const connectChecks = (services: Pick<PipelineServices, 'git' | 'projects'>): ChecksOf =>
  createChecksOf(checksDeps(services))

/** The command that lints a project. @throws {FaultlineError} VALIDATION_FAILED: it has no linter. */
async function lintCommand(services: Pick<PipelineServices, 'git' | 'projects'>, name: string, repository?: string) {
  const at = await services.projects.commitOf(name, repository)
  const { lint } = await connectChecks(services)({ projectName: name, ...at })
  if (lint !== undefined) return lint
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `The project ${JSON.stringify(name)} has no linter.`,
    `PATCH /projects/${name} {"checks": {"lint": "npx eslint --fix ."}}, or leave "lint" out.`,
  )
}

/** What a file defines, by its name and text; null where there is no scanner for its language. */
function outline(path: string, text: string): Outline | null {
  const language = languageOf(path)
  return language === null ? null : outlineOf(text, language)
}

const FILE_KINDS: FileKinds = { languageOf, isTest: path => kindOfPath(path).isTest }

/** Resolves without secrets: what it finds is kept with jobs. */
const resolveForJobs =
  (resolving: Resolving): Resolving['resolve'] =>
  async (input, { onSuspects, ...hooks } = {}) =>
    redactTexts(await resolving.resolve(input, { ...hooks, onSuspects: found => onSuspects?.(redactTexts(found)) }))

const REDACTED = /\[redacted:/g
const redactedIn = (value: unknown): number => JSON.stringify(value).match(REDACTED)?.length ?? 0

/** The same data without secrets, and how many were replaced. */
function clean<T>(value: T): { value: T; redactions: number } {
  const cleaned = redactTexts(value)
  return { value: cleaned, redactions: Math.max(0, redactedIn(cleaned) - redactedIn(value)) }
}

/** What letting a model look around in code needs. What it keeps in steps has no secrets. */
const investigationParts = ({ git, resolving, codeTools }: PipelineServices): InvestigationParts => ({
  async openQuestion(input, { onSuspects, ...hooks }) {
    const { at, ...opened } = await resolving.openQuestion(input, {
      ...hooks,
      onSuspects: found => onSuspects?.(redactTexts(found)),
    })
    const { value, redactions } = clean(opened.dialogue)
    return { at, dialogue: value, resolution: redactTexts(opened.resolution), redactions }
  },
  readReply: resolving.readReply,
  keepResolution: resolving.keep,
  openCode: codeTools.open,
  readFile: git.readText,
  clean,
  countTokens,
})

/** What requests and jobs both need. */
const commonParts = ({ git, projects, model, resolving }: PipelineServices) => ({
  featureRulesOf: createFeatureRulesOf({
    settings: name => projects.settings(name),
    projectFileAt: at => projectFileAt({ git }, at),
  }),
  ...checksDeps({ git, projects }),
  git,
  model: model.asking,
  globTest: createGlobTest,
  search: resolving.search,
  lintCommand: (name: string, repository?: string) => lintCommand({ git, projects }, name, repository),
  /** For changes, which are made to a commit: where the index holds more than that, the commit is read. */
  locate: async (given: { stacktrace: string; project_name: string }, hooks: ResolveHooks) => {
    const { stacktrace, project_name: name } = given
    const ref = await projects.committedRef(name)
    const asked = { stacktrace, project_name: name, mode: 'context', detail: 'full' } as const
    return resolveForJobs(resolving)(ref === undefined ? asked : { ...asked, ref }, hooks)
  },
})

/** What features alone need. */
const featureParts = ({ git, projects, callbacks, config, features }: PipelineServices) => ({
  features,
  deliver: callbacks.deliver,
  deployCommands: config.deployCommands,
  deployEnv: config.deployEnv,
  runOnHost,
  deployCheckOf: async (name: string) => (await projects.settings(name)).checks.deploy ?? null,
  dataDir: config.dataDir,
  filesAt: (at: ProjectBase['at']) => committedFiles(git, at),
  redact: (text: string) => redactTexts(text),
  aider: {
    ...config.aider,
    configuredModel: config.llm?.model ?? null,
    priced(name: string, usage: Usage): Usage {
      const bill = new Bill(config.modelPrices)
      bill.add(name, usage)
      return { ...usage, usd: bill.usage.usd }
    },
    async openModel(options: Pick<ModelProxyOptions, 'whyNot' | 'onUsage'>) {
      const { llm: server, workspacesDir: folder } = config
      if (server === null) throw new Error('a feature without a model')
      const { startModelProxy } = await import('../llm/proxy/model-proxy.ts') // few servers have aider
      return startModelProxy({ ...options, redact, server, folder })
    },
  },
})

/** How the jobs of every pipeline are done. */
export function connectJobs(services: PipelineServices, cloning: CloneDeps): JobDefinitions {
  const { projects, model, resolving, callbacks, config, jobs, nodeName, findForge, tellOrigins } = services
  const sandbox = withCleanOutput(services.sandbox)
  const common = commonParts(services)
  const parts = {
    ...common,
    ...cloning,
    sandbox,
    environmentsBytes: config.environmentsBytes,
    nodeName,
    checksOf: createChecksOf(common),
    needEnvironment: createNeedEnvironment({
      ...common,
      sandbox,
      installJobs: createInstallJobs(jobs, { node: nodeName }),
    }),
    ...taskContext(outline),
    ...featureParts(services),
    findForge,
    findGuards: ((files, failing) => findGuards(files, failing, FILE_KINDS)) satisfies FindGuards,
    hidingTests: (files => hidingTests(files, FILE_KINDS)) satisfies StrictDeps['hidingTests'],
    withoutSuppressions,
    prompts: model.prompts,
    diagnose: createDiagnose(resolving),
    diagnoseRun: resolving.diagnoseRun,
    resolve: resolveForJobs(resolving),
    investigating: investigationParts(services),
    withoutSecrets: resolving.withoutSecrets,
    sourceOf: (name: string, repository?: string) => projects.sourceOf(name, repository),
    async sourcesOf(name: string) {
      const { repositories, ciComments } = await projects.get(name)
      return { repositories, ciComments }
    },
    tellOrigins,
    async describeProject(name: string) {
      const { projectName, indexState, repositories } = await projects.get(name)
      return { projectName, indexState, commit: repositories[0]?.commit ?? '' }
    },
  }
  return defineJobs(parts, callbacks.deliver)
}

/** What completes the requests of every pipeline. */
export function connectRequests(services: PipelineServices, jobs: Jobs): PreparedRequests {
  const { git, sandbox, projects, callbacks, config } = services
  const readFiles = async (id: string) =>
    Promise.all((await jobs.files(id)).map(async ({ path }) => ({ path, content: await jobs.readFile(id, path) })))
  return prepareRequests({
    ...commonParts(services),
    ...taskContext(outline),
    tasks: config.tasks,
    aider: config.aider,
    callback: callbacks.choice,
    withoutSecrets,
    projects,
    checkUrl: git.check,
    checkRef,
    probeSandbox: () => sandbox.probe(),
    filesOfJob: async id => ({ job: await jobs.get(id), files: await readFiles(id) }),
  })
}
