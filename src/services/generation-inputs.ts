import type { TSchema } from 'typebox'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal, type Job, type JobType, type JsonObject } from '../core/job.ts'
import { safePath } from '../core/safe-path.ts'
import { checkSentFiles } from '../core/sent-files.ts'
import { decodeText } from '../core/source-text.ts'
import type { Projects } from '../indexer/projects.ts'
import type { JobRequestKind } from './job-inputs.ts'
import type { Estimate } from '../llm/client/estimate.ts'
import type { CallbackChoice } from '../pipelines/callback/callback-choice.ts'
import { firstFixDialogue, type FixDeps } from '../pipelines/fix/run.ts'
import { firstGenerateDialogue } from '../pipelines/generate/run.ts'
import { firstImproveDialogue, type ImproveDeps } from '../pipelines/improve/run.ts'
import { entrypointNotFound, firstHealDialogue } from '../pipelines/heal/run.ts'
import type { AskModel } from '../pipelines/steps/model/ask-model.ts'
import { sentFiles, type BaseFiles } from '../pipelines/steps/base/base-files.ts'
import { selectedFiles } from '../pipelines/improve/choose-files.ts'
import { baseAt, type ProjectBase } from '../pipelines/steps/base/project-base.ts'
import { readTomlSelection } from '../pipelines/improve/select-toml.ts'
import { ENTRYPOINT } from '../pipelines/generate/write-entrypoint.ts'
import {
  FixBody,
  GenerateBody,
  ImproveBody,
  SelfHealBody,
  type FixInput,
  type GenerateInput,
  type ImproveInput,
  type SelfHealInput,
} from '../contract/generation.ts'

/** Bodies of the pipelines that write code: what their jobs keep of them, and what a model would be asked first. */
export interface GenerationInputs {
  generate: BodyOf<GenerateInput>
  improve: BodyOf<ImproveInput>
  selfHeal: BodyOf<SelfHealInput>
  fix: BodyOf<FixInput>
  kinds: JobRequestKind[]
}

interface BodyOf<Input> {
  /**
   * The body as its job keeps it. Nothing has been called when it throws.
   *
   * @throws {FaultlineError} VALIDATION_FAILED, BAD_PATH, LLM_NOT_CONFIGURED, SANDBOX_UNAVAILABLE, and what is said of
   * projects and jobs.
   */
  complete(body: Input): Promise<Input>
  /** What a model would be sent first, and what that costs; calls nothing and needs no model. */
  dryRun(body: Input): Promise<Estimate>
}

export interface GenerationInputDeps
  extends Pick<ImproveDeps, 'git' | 'commitOf' | 'globTest' | 'search' | 'lintCommands'>, Pick<FixDeps, 'locate'> {
  model: Pick<AskModel, 'needModel' | 'estimate'>
  callback: CallbackChoice
  projects: Pick<Projects, 'needIndex'>
  filesOfJob: (id: string) => Promise<{ job: Job; files: Array<{ path: string; content: Buffer }> }>
  probeSandbox: () => Promise<{ available: boolean; reason: string | null; fix: string | null }>
}

interface Source {
  files?: Record<string, string>
  project_name?: string
  repository?: string
  allow_paths?: string[]
  push?: boolean
  lint?: boolean
  job_id?: string
  callback_url?: string
}

const SOURCES = ['files', 'project_name', 'job_id'] as const
/** Say something of a project alone. */
const OF_PROJECTS = ['repository', 'allow_paths', 'push', 'lint'] as const
/** Of a project's files for `dry_run`, as healing shows them. */
const SHOWN_CHARS = 240_000

async function firstTexts(base: BaseFiles): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  let chars = 0
  for (const path of await base.paths()) {
    const text = await base.read(path)
    if (text === null) continue
    chars += text.length
    if (chars > SHOWN_CHARS && texts.size > 0) break
    texts.set(path, text)
  }
  return texts
}

/** The schema says that a body has the fields of an input; `dry_run` makes no job. */
function kind<Input extends JsonObject>(
  type: JobType,
  schema: TSchema,
  complete: (body: Input) => Promise<Input>,
  oneOf?: readonly string[],
): JobRequestKind {
  return {
    type,
    schema,
    oneOf,
    async complete(body) {
      const { dry_run: isDryRun, ...rest } = body as JsonObject
      if (isDryRun === true) {
        throw new FaultlineError('VALIDATION_FAILED', 'A dry run makes no job.', 'Leave dry_run out.')
      }
      return complete(rest as Input)
    },
  }
}

export function createGenerationInputs(deps: GenerationInputDeps): GenerationInputs {
  const { model, callback, projects, filesOfJob, probeSandbox } = deps

  async function needSandbox(): Promise<void> {
    const { available, reason, fix } = await probeSandbox()
    if (!available) {
      throw new FaultlineError(
        'SANDBOX_UNAVAILABLE',
        `Programs cannot be run: ${reason ?? 'there is no sandbox'}`,
        fix ?? undefined,
      )
    }
  }

  /** The files of an earlier job are copied into the body: that job may be deleted at any time. */
  async function withSource<Body extends Source>(body: Body): Promise<Body> {
    const given = SOURCES.filter(field => body[field] !== undefined)
    if (given.length !== 1) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        `Exactly one of ${SOURCES.join(', ')} is needed; this body has ${given.join(' and ') || 'none'}.`,
        'Send files ({"path": "content"}), the name of a project, or the id of an ended job.',
      )
    }
    const misplaced =
      body.project_name === undefined
        ? OF_PROJECTS.find(field => body[field] !== undefined && body[field] !== false)
        : undefined
    if (misplaced !== undefined) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        `${misplaced} needs a project; this body has ${given[0]}.`,
        `Leave ${misplaced} out, or POST /clone the repository and send its project_name.`,
      )
    }
    const { job_id: jobId, ...rest } = body
    if (body.files !== undefined) return { ...body, files: checkSentFiles(body.files) }
    if (jobId !== undefined) return { ...rest, files: await textsOfJob(jobId) } as Body
    const { projectName } = await projects.needIndex(body.project_name ?? '')
    return { ...body, project_name: projectName, ...(await callback.of({ ...body, project_name: projectName })) }
  }

  async function textsOfJob(id: string): Promise<Record<string, string>> {
    const { job, files } = await filesOfJob(id)
    if (!isTerminal(job.status)) {
      throw new FaultlineError(
        'JOB_NOT_FINISHED',
        `The job ${id} is ${job.status}; its files may still change.`,
        'GET /jobs/{id}?wait=60 answers when it has ended.',
      )
    }
    if (files.length === 0) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        `The job ${id} keeps no files.`,
        'GET /jobs/{id}/files lists the files of a job.',
      )
    }
    return Object.fromEntries(
      files.map(({ path, content }) => {
        const text = decodeText(content)
        if (text === null) {
          throw new FaultlineError(
            'VALIDATION_FAILED',
            `The file ${JSON.stringify(path)} of the job ${id} is not UTF-8.`,
            'Send the files that matter with "files".',
          )
        }
        return [path, text]
      }),
    )
  }

  /** The files that a job of this body begins with, as they are now. */
  async function filesNow(body: Source): Promise<{ base: BaseFiles; project: ProjectBase | null }> {
    const { files = {}, project_name: projectName, repository, allow_paths: allowPaths } = body
    if (projectName === undefined) {
      return { base: sentFiles(new Map(Object.entries(files)), { fill: async () => {} }), project: null }
    }
    const project = baseAt(deps, { projectName, allowPaths }, await deps.commitOf(projectName, repository))
    return { base: project.base, project }
  }

  const generate: BodyOf<GenerateInput> = {
    async complete(body) {
      callback.check(body.callback_url)
      if (body.self_heal === true && body.execute === 'never') {
        throw new FaultlineError(
          'VALIDATION_FAILED',
          'A program that is not run cannot be healed.',
          'Leave execute out, or self_heal.',
        )
      }
      if (body.max_questions !== undefined && body.mode !== 'clarified') {
        throw new FaultlineError(
          'VALIDATION_FAILED',
          'max_questions is of the mode clarified.',
          'Add "mode": "clarified", or leave max_questions out.',
        )
      }
      const files = body.files === undefined ? {} : { files: checkSentFiles(body.files) }
      model.needModel()
      if (body.execute === 'always' || body.self_heal === true) await needSandbox()
      return { ...body, ...files }
    },
    dryRun: async body => model.estimate({ messages: firstGenerateDialogue(body), model: body.model }),
  }

  /** Globs, gpt-engineer's file and the linter: what can be told to be wrong before there is a job. */
  async function withSelection(body: ImproveInput): Promise<ImproveInput> {
    deps.globTest([...(body.select ?? []), ...(body.allow_paths ?? [])]) // throws for a glob that cannot be used
    if (body.select !== undefined && body.select_toml !== undefined) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        'select and select_toml say the same in two ways.',
        'Send one of them.',
      )
    }
    const linting = body.select_toml === undefined ? null : readTomlSelection(body.select_toml).linting
    if (linting === 'off' && body.lint === true) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        'select_toml turns linting off, and lint turns it on.',
        'Leave one of them out.',
      )
    }
    const input = await withSource(linting === 'on' ? { ...body, lint: true } : body)
    if (input.select !== undefined || input.select_toml !== undefined) {
      selectedFiles(deps, input, await (await filesNow(input)).base.paths())
    } else if (input.project_name !== undefined) await deps.commitOf(input.project_name, input.repository)
    if (input.lint === true) await deps.lintCommands(input.project_name ?? '')
    return input
  }

  const improve: BodyOf<ImproveInput> = {
    async complete(body) {
      callback.check(body.callback_url)
      const input = await withSelection(body)
      model.needModel()
      if (input.lint === true) await needSandbox()
      return input
    },
    async dryRun(body) {
      const input = await withSelection(body)
      return model.estimate({
        messages: await firstImproveDialogue(deps, input, await filesNow(input)),
        model: body.model,
      })
    },
  }

  const selfHeal: BodyOf<SelfHealInput> = {
    async complete(body) {
      callback.check(body.callback_url)
      const input = await withSource(body)
      const given = input.entrypoint ?? ENTRYPOINT
      const entrypoint = safePath(given) ?? given
      if (!(await (await filesNow(input)).base.paths()).includes(entrypoint)) throw entrypointNotFound(given)
      model.needModel()
      await needSandbox()
      return { ...input, entrypoint }
    },
    async dryRun(body) {
      const input = await withSource(body)
      return model.estimate({
        messages: firstHealDialogue(input, await firstTexts((await filesNow(input)).base)),
        model: body.model,
      })
    },
  }

  async function withProject(body: FixInput): Promise<FixInput> {
    deps.globTest(body.allow_paths ?? []) // throws for a glob that cannot be used
    const { projectName } = await projects.needIndex(body.project_name)
    await deps.commitOf(projectName, body.repository)
    return { ...body, project_name: projectName }
  }

  const fix: BodyOf<FixInput> = {
    async complete(body) {
      callback.check(body.callback_url)
      const input = await withProject(body)
      model.needModel()
      if (input.verify !== undefined) await needSandbox()
      return { ...input, ...(await callback.of(input)) }
    },
    async dryRun(body) {
      const input = await withProject(body)
      const project = baseAt(
        deps,
        { projectName: input.project_name, allowPaths: input.allow_paths },
        await deps.commitOf(input.project_name, input.repository),
      )
      return model.estimate({ messages: await firstFixDialogue(deps, input, project), model: body.model })
    },
  }

  return {
    generate,
    improve,
    selfHeal,
    fix,
    kinds: [
      kind('generate', GenerateBody, generate.complete),
      kind('improve', ImproveBody, improve.complete, SOURCES),
      kind('self_heal', SelfHealBody, selfHeal.complete, SOURCES),
      kind('fix', FixBody, fix.complete),
    ],
  }
}
