import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import type { DryRunAnswer } from '../contract/dry-run.ts'
import { readCode, writeResolution } from '../contract/resolution-json.ts'
import { ResolutionSchema, SuspectsSchema, type ResolutionAnswer, type ResolveInput } from '../contract/resolution.ts'
import { fromWire, toWire } from '../contract/wire.ts'
import { renderDialogue } from '../core/dialogue.ts'
import { ERROR_HELP } from '../core/error-help.ts'
import { FaultlineError } from '../core/errors.ts'
import type { ParsedTrace } from '../core/frame.ts'
import type { Resolution, SearchAnswer } from '../core/resolution.ts'
import type { Projects } from '../indexer/projects.ts'
import type { DiagnoseDeps } from '../pipelines/steps/program/diagnose.ts'
import { RecentlyUsed } from '../core/recently-used.ts'
import type { NewResolution, ResolutionKeeper } from '../resolutions/resolution-keeper.ts'
import { cacheLocated } from '../resolver/answer/cache-located.ts'
import { shareAnswers } from '../resolver/answer/share-answers.ts'
import { findSuspectsInTime } from '../resolver/answer/suspects-in-time.ts'
import { suspectsInTurn } from '../resolver/answer/suspects-in-turn.ts'
import { findPast } from '../resolver/answer/changed-since.ts'
import {
  createResolver,
  type OpenQuestion,
  type ResolveHooks,
  type Resolver,
  type ResolveRequest,
} from '../resolver/resolver.ts'
import type { Store } from '../vecstore/store.ts'
import type { Git } from './git.ts'
import type { Log } from './log.ts'
import type { Model } from './model.ts'
import type { ResolveThreads } from './resolve-threads.ts'
import { createProvideRef, type MissingRef, type ProvideRef } from './refs.ts'
import type { Rush } from './rush.ts'

/** A text that takes longer is hostile; a caller that waits longer gets OVERLOADED (503) and may retry. */
const LOCATE_LIMITS = { timeoutMs: 10_000, queueMs: 20_000 }
const CONTEXT_TOKENS = 16_000
/** Tokens of the code behind a failed run. */
const DIAGNOSIS_TOKENS = 4_000

/** What resolving is made of. */
interface ResolvingDeps {
  projects: Pick<Projects, 'needIndex' | 'settings'>
  threads: ResolveThreads
  rush: Rush
  git: Git
  store: Store
  model: Model
  keeper: ResolutionKeeper
  /** Whether a commit that no clone has is fetched into one. */
  fetchesRefs: boolean
  log: Log
}

/** What is found out about texts with the code of projects. */
export interface Resolving extends DiagnoseDeps {
  resolve(input: ResolveInput, hooks?: ResolveHooks): Promise<Resolution>
  /** What was located, and what a model is to be asked, for a caller who asks by itself and keeps the answer. */
  openQuestion(
    input: ResolveInput,
    hooks: Pick<ResolveHooks, 'signal' | 'onSuspects' | 'waitForSuspects'>,
  ): Promise<OpenQuestion & { resolution: Resolution }>
  readReply: Resolver['readReply']
  /** Keeps an answer whose question was open. */
  keep(resolution: Resolution, stackTrace: string): Promise<void>
  /** The same as the JSON of the contract, in pieces. */
  resolveToJson(input: ResolveInput, hooks?: ResolveHooks): Promise<Uint8Array[]>
  /** What a model would be asked, and what that would cost. Calls none, nor one for embeddings. */
  dryRun(input: ResolveInput, signal?: AbortSignal): Promise<DryRunAnswer>
  /** The exceptions and frames of a text, without any project. */
  parse(stackTrace: string, signal?: AbortSignal): Promise<ParsedTrace>
  search(projectName: string, query: string, limit: number, signal?: AbortSignal): Promise<SearchAnswer>
  /** A text of megabytes without secrets, for whoever has the time. */
  withoutSecrets(text: string, signal: AbortSignal): Promise<string>
}

/** The resolver over threads that locate, a thread that works on clones, and a model where there is one. */
function createConnectedResolver({ model: { llm, prompts }, threads, rush, git, store, log }: ResolvingDeps): Resolver {
  const locate = cacheLocated(
    (request, signal) => threads.runFor(request.projectName, 'locate', { request }, { signal, ...LOCATE_LIMITS }),
    { publicationOf: store.publication },
  )
  return createResolver({
    locate: (request, signal) => rush.during(() => locate(request, signal)),
    readCode,
    complete: llm?.complete ?? null,
    findSuspects: findSuspectsInTime(
      suspectsInTurn(findPast({ suspects: git.searchSuspects, changesSince: git.searchChangesSince }), {
        untilCalm: signal => (rush.isOn ? rush.untilCalm(signal) : null),
      }),
      { onFailed: error => log.error({ err: error }, 'suspects could not be looked for') },
    ),
    renderPrompt: prompts.render,
    readFile: git.readText,
    onUnexpected: error => log.error({ err: error }, 'the model client broke'),
  })
}

/** What a body means, with the defaults of the contract and the settings of its project. */
async function resolveRequest(input: ResolveInput, { projects }: ResolvingDeps): Promise<ResolveRequest> {
  const { projectName, indexState } = await projects.needIndex(input.project_name)
  const { pathMappings, inAppExclude } = await projects.settings(projectName)
  return {
    projectName,
    indexState,
    stackTrace: input.stacktrace,
    mode: input.mode ?? 'answer',
    maxContextTokens: input.max_context_tokens ?? CONTEXT_TOKENS,
    detail: input.detail ?? 'short',
    ref: input.ref,
    exception: input.exception,
    locale: input.locale ?? 'en',
    model: input.model,
    temperature: input.temperature,
    pathMappings,
    inAppExclude,
  }
}

const MODEL_CURE = ERROR_HELP.LLM_NOT_CONFIGURED.cure
const NOT_KEPT = 'the suspects of a kept answer could not be added to it'
/** As long as what was located is remembered. */
const RECENT_MS = 60_000
const MAX_RECENT = 5_000
const COMMIT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** What answers depend on, by a checksum each; null for one that another may not be answered with. */
interface Questions {
  /** For answers that a model is paid for. */
  paid: (request: ResolveRequest) => Promise<string | null>
  /** For answers that cost nothing. */
  free: (request: ResolveRequest) => Promise<string | null>
}

function createQuestions({ store, model: { llm, prompts } }: Pick<ResolvingDeps, 'store' | 'model'>): Questions {
  const prompt = ['resolve-system', 'resolve-user', 'data-rule'].map(name => prompts.sha256(name))
  async function checksum(request: ResolveRequest, others: readonly unknown[]): Promise<string | null> {
    // a branch or a tag may mean another commit the next time
    if (request.ref !== undefined && !COMMIT_ID.test(request.ref)) return null
    const publication = await store.publication(request.projectName)
    if (publication === null) return null
    const { indexState: _state, ...asked } = request
    return createHash('sha256')
      .update(JSON.stringify([publication, asked, ...others]))
      .digest('base64')
  }
  return {
    free: request => checksum(request, []),
    paid: async request =>
      llm === null || request.mode === 'context' ? null : await checksum(request, [llm.model, ...prompt]),
  }
}

/** The ids of answers that were given a moment ago, by their questions. */
class RecentIds {
  readonly #ids = new RecentlyUsed<string, { id: string; until: number }>(MAX_RECENT, () => 1)

  find(question: string): string | undefined {
    const known = this.#ids.find(question)
    return known !== undefined && performance.now() < known.until ? known.id : undefined
  }

  add(question: string, id: string): void {
    this.#ids.set(question, { id, until: performance.now() + RECENT_MS })
  }
}

const newResolution = (
  resolution: Resolution,
  { question, stackTrace }: Pick<NewResolution, 'question' | 'stackTrace'>,
): NewResolution => ({
  id: resolution.id,
  question,
  stackTrace,
  bytes: resolution.context.length + stackTrace.length,
  answer: () => toWire(ResolutionSchema, resolution),
})

/** A kept answer in our names; what the contract has no field for is lost, and nobody asks for it any more. */
function readKept(kept: ResolutionAnswer): Resolution {
  // where a fault of a CI run comes from says nothing of the next one
  const { exceptions, frames, origin: _origin, originWhy: _why, ...rest } = fromWire(ResolutionSchema, kept)
  return {
    ...rest,
    exceptions: exceptions.map(exception => ({ ...exception, chain: exception.chain ?? 0 })),
    frames: frames.map(frame => ({ ...frame, sourceText: null })),
  }
}

/** The error for a name that no clone has, with why it could not be fetched. */
function refNotFetched(error: unknown, missing: MissingRef | null): unknown {
  if (missing === null || !(error instanceof FaultlineError) || error.code !== 'REF_NOT_FOUND') return error
  return new FaultlineError('REF_NOT_FOUND', `${error.message} Nor could it be fetched: ${missing.reason}.`, error.fix)
}

/** Resolves a request whose `ref`, if it has one, is fetched before where the clones lack it. */
async function withRef<T>(
  provideRef: ProvideRef,
  { projectName, ref }: ResolveRequest,
  signal: AbortSignal | undefined,
  resolve: () => Promise<T>,
): Promise<T> {
  const missing = ref === undefined ? null : await provideRef(projectName, ref, signal)
  try {
    return await resolve()
  } catch (error) {
    throw refNotFetched(error, missing)
  }
}

/** Resolving, parsing and searching, in threads. */
export function createResolving({ embedding }: Pick<Config, 'embedding'>, deps: ResolvingDeps): Resolving {
  const { projects, threads, model, keeper } = deps
  const resolver = createConnectedResolver(deps)
  const questions = createQuestions(deps)
  const recent = new RecentIds()
  const provideRef = createProvideRef({ ...deps, limitMs: deps.fetchesRefs ? undefined : 0 })
  /** What each answer that is being made is about; whoever asked first may have left. */
  const traces = new WeakMap<Resolution, string>()
  const share = shareAnswers({
    find: async question => {
      const kept = await keeper.answerTo(question)
      return kept === null ? null : readKept(kept)
    },
    keep: (question, resolution) =>
      keeper.keepNow(newResolution(resolution, { question, stackTrace: traces.get(resolution) ?? '' })),
  })
  /** Suspects that come after their answer are kept with it. */
  const keepingSuspects = ({ onSuspects, ...hooks }: ResolveHooks): ResolveHooks => ({
    ...hooks,
    onSuspects(found) {
      keeper.addSuspects(toWire(SuspectsSchema, found)).catch(error => deps.log.error({ err: error }, NOT_KEPT))
      onSuspects?.(found)
    },
  })

  async function resolve(request: ResolveRequest, given: ResolveHooks = {}): Promise<Resolution> {
    const hooks = keepingSuspects(given)
    const question = await questions.paid(request)
    const { stackTrace } = request
    if (question !== null) {
      return await share(question, hooks, async own => {
        const made = await resolver.resolve(request, own)
        traces.set(made, stackTrace)
        return made
      })
    }
    const resolution = await resolver.resolve(request, hooks)
    keeper.keepLater(newResolution(resolution, { question: null, stackTrace }))
    return resolution
  }

  /** Without a model an answer is made of JSON that is written once for all who ask. */
  async function resolveToJson(request: ResolveRequest, hooks: ResolveHooks = {}): Promise<Uint8Array[]> {
    const question = await questions.free(request)
    const id = question === null ? undefined : recent.find(question)
    const { own, json } = await resolver.resolveWritten(request, id === undefined ? keepingSuspects(hooks) : hooks)
    const pieces = writeResolution(id === undefined ? own : { ...own, id, cached: true }, json)
    if (id !== undefined) return pieces
    if (question !== null) recent.add(question, own.id)
    keeper.keepLater({
      id: own.id,
      question: null,
      stackTrace: request.stackTrace,
      bytes: json.length + request.stackTrace.length,
      answer: () => JSON.parse(Buffer.concat(pieces).toString()),
    })
    return pieces
  }
  const wordsOnly = embedding === null ? undefined : true
  return {
    async resolve(input, hooks) {
      const request = await resolveRequest(input, deps)
      return await withRef(provideRef, request, hooks?.signal, () => resolve(request, hooks))
    },
    async openQuestion(input, hooks) {
      const request = await resolveRequest(input, deps)
      return await withRef(provideRef, request, hooks.signal, async () => {
        const questions: OpenQuestion[] = []
        const resolution = await resolver.resolve(request, { ...hooks, onQuestion: asked => questions.push(asked) })
        const [question] = questions
        if (question !== undefined) return { ...question, resolution }
        throw new FaultlineError('LLM_NOT_CONFIGURED', 'No model is configured that could be asked.', MODEL_CURE)
      })
    },
    readReply: resolver.readReply,
    keep: (resolution, stackTrace) => keeper.keepNow(newResolution(resolution, { question: null, stackTrace })),
    async resolveToJson(input, hooks) {
      const request = await resolveRequest(input, deps)
      return await withRef(provideRef, request, hooks?.signal, async () => {
        if (model.llm === null || request.mode === 'context') return await resolveToJson(request, hooks)
        return [Buffer.from(JSON.stringify(toWire(ResolutionSchema, await resolve(request, hooks))))]
      })
    },
    async dryRun(input, signal) {
      const request = await resolveRequest(input, deps)
      const question = await withRef(provideRef, request, signal, () =>
        resolver.question({ ...request, wordsOnly }, signal),
      )
      const { render } = model.prompts
      if (input.investigate !== true) return model.estimate(renderDialogue(render, question).messages, input.model)
      const { firstMessages } = await import('../pipelines/resolve/investigate/dialogue.ts') // as the job does it
      return model.estimate(firstMessages(render, question, input), input.model)
    },
    parse: (stackTrace, signal) => threads.run('parse', { stackTrace }, { signal, ...LOCATE_LIMITS }),
    withoutSecrets: (text, signal) => threads.run('withoutSecrets', { text }, { signal }),
    async search(name, query, limit, signal) {
      const { projectName } = await projects.needIndex(name)
      return threads.runFor(projectName, 'search', { projectName, query, limit }, { signal, ...LOCATE_LIMITS })
    },
    diagnoseRun: (run, program) =>
      threads.run('diagnose', { run, program, maxTokens: DIAGNOSIS_TOKENS }, LOCATE_LIMITS),
  }
}
