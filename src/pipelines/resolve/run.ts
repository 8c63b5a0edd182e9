import { setTimeout as wait } from 'node:timers/promises'
import { SuspectsSchema, type ResolveInput } from '../../contract/resolution.ts'
import { toWire } from '../../contract/wire.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/job.ts'
import type { Resolution } from '../../core/resolution.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import type { Prompts } from '../../llm/prompts.ts'
import type { ResolveHooks } from '../../resolver/resolver.ts'
import type { InvestigateDeps, LocatedQuestion } from './investigate/deps.ts'
import type { CodeToAsk } from './investigate/tools.ts'
import { CI_LOG_CONSUMES, resolveCiLog, type CiLogDeps } from './ci-log.ts'
import type { CiLogInput } from '../../contract/webhook.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { tellForge, type TellForgeDeps } from './tell-forge.ts'
import { RESOLVE_REQUEST } from './body.ts'
import { recordCalls } from '../steps/model/record-calls.ts'

/** What investigating needs beside the model. */
export type InvestigationParts = Omit<InvestigateDeps, 'openQuestion' | 'model'> & {
  openQuestion: (
    input: ResolveInput,
    hooks: Pick<ResolveHooks, 'signal' | 'onSuspects' | 'waitForSuspects'>,
  ) => Promise<LocatedQuestion>
}

/** What resolving in a job needs. */
interface ResolveDeps extends Pick<CiLogDeps, 'describeProject' | 'tellOrigins' | 'withoutSecrets'>, TellForgeDeps {
  resolve: (
    input: ResolveInput,
    hooks: Pick<ResolveHooks, 'signal' | 'asking' | 'onSuspects' | 'waitForSuspects'>,
  ) => Promise<Resolution>
  prompts: Pick<Prompts, 'sha256'>
  investigating: InvestigationParts
  model: InvestigateDeps['model']
}

const BUSY_RETRY_MS = 1_000
const LOCATED_FROM = ['project_name', 'stacktrace', 'ref', 'exception', 'detail', 'max_context_tokens', 'locale']

/**
 * A request is refused where it would wait long for a thread, which comes before a model is asked; a job has the time.
 */
async function whenThereIsRoom<T>({ log }: JobContext, signal: AbortSignal, resolve: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await resolve()
    } catch (error) {
      if (!(error instanceof FaultlineError) || error.code !== 'OVERLOADED') throw error
      if (tries === 1) log('All threads are busy; the job waits for one.')
      await wait(BUSY_RETRY_MS, undefined, { signal })
    }
  }
}

/** The same questions, which wait for a thread. */
function patientCode(code: CodeToAsk, wait: <T>(signal: AbortSignal, ask: () => Promise<T>) => Promise<T>): CodeToAsk {
  const patient =
    <Input, Answer>(ask: (input: Input, signal: AbortSignal) => Promise<Answer>): typeof ask =>
    (input, signal) =>
      wait(signal, () => ask(input, signal))
  return {
    commits: code.commits,
    searchCode: patient(code.searchCode),
    readCode: patient(code.readCode),
    findDefinition: patient(code.findDefinition),
    findReferences: patient(code.findReferences),
    explainLineHistory: patient(code.explainLineHistory),
  }
}

/** Whether a job came from `POST /webhooks/ci`. */
function isCiLog(input: JsonObject): input is CiLogInput {
  return typeof input.log === 'string' && typeof input.project_name === 'string'
}

const readInput = (input: JsonObject): ResolveInput =>
  readStoredBody(input, { type: RESOLVE_REQUEST.type, url: '/resolve', texts: ['stacktrace', 'project_name'] })

/**
 * A resolution as a job, for clients that do not want to hold a connection open, or those of a CI's log. Its result is
 * a list.
 */
export function createResolvePipeline({
  resolve,
  withoutSecrets,
  describeProject,
  tellOrigins,
  prompts,
  investigating,
  model,
  ...forge
}: ResolveDeps): JobDefinition {
  const suspectsOf = (context: JobContext) => ({
    waitForSuspects: true,
    onSuspects: (found: Parameters<NonNullable<ResolveHooks['onSuspects']>>[0]) =>
      context.suspects(toWire(SuspectsSchema, found)),
  })
  /** What a job asks a model is kept in its transcript and counted, and waits for its budget. */
  const resolveFor = (context: JobContext) => (input: ResolveInput, signal: AbortSignal) =>
    whenThereIsRoom(context, signal, () =>
      resolve(input, {
        signal,
        asking: (complete, names) => recordCalls(context, prompts, names, complete),
        ...suspectsOf(context),
      }),
    )
  async function investigateFor(context: JobContext, input: ResolveInput): Promise<Resolution> {
    const { investigate } = await import('./investigate/investigate.ts') // with the first one
    return await investigate(context, input, {
      ...investigating,
      model,
      openQuestion: (given, signal) =>
        whenThereIsRoom(context, signal, () => investigating.openQuestion(given, { signal, ...suspectsOf(context) })),
      async openCode(name, at) {
        const open = () => investigating.openCode(name, at)
        return patientCode(await whenThereIsRoom(context, at.signal, open), (signal, ask) =>
          whenThereIsRoom(context, signal, ask),
        )
      },
    })
  }
  return {
    projectName: input => (isCiLog(input) ? input.project_name : readInput(input).project_name),
    exclusiveKey: () => null,
    consumes: { ...CI_LOG_CONSUMES, locate: LOCATED_FROM, comment: ['pull_request'] },
    async run(context) {
      if (isCiLog(context.input)) {
        const found = await resolveCiLog(context, context.input, {
          resolve: resolveFor(context),
          withoutSecrets: (text, signal) => whenThereIsRoom(context, signal, () => withoutSecrets(text, signal)),
          describeProject,
          tellOrigins,
        })
        await tellForge(context, forge, context.input, found)
        return found.resolutions
      }
      const input = readInput(context.input)
      if (input.investigate === true) return [await investigateFor(context, input)] satisfies Resolution[]
      const resolution = await context.step('resolve', signal => resolveFor(context)(input, signal))
      return [resolution] satisfies Resolution[]
    },
  }
}
