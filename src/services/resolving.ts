import type { Config } from '../config.ts'
import type { DryRunAnswer } from '../contract/dry-run.ts'
import { readCode, writeResolution } from '../contract/resolution-json.ts'
import type { ResolveInput } from '../contract/resolution.ts'
import type { ParsedTrace } from '../core/frame.ts'
import type { Resolution, SearchAnswer } from '../core/resolution.ts'
import type { Projects } from '../indexer/projects.ts'
import type { DiagnoseDeps } from '../pipelines/steps/program/diagnose.ts'
import { cacheLocated } from '../resolver/answer/cache-located.ts'
import { findSuspectsInTime } from '../resolver/answer/suspects-in-time.ts'
import { suspectsInTurn } from '../resolver/answer/suspects-in-turn.ts'
import { findSuspects } from '../resolver/answer/suspects.ts'
import { createResolver, type ResolveHooks, type Resolver, type ResolveRequest } from '../resolver/resolver.ts'
import type { Store } from '../vecstore/store.ts'
import type { Git } from './git.ts'
import type { Log } from './log.ts'
import type { Model } from './model.ts'
import type { ResolveThreads } from './resolve-threads.ts'
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
  log: Log
}

/** What is found out about texts with the code of projects. */
export interface Resolving extends DiagnoseDeps {
  resolve(input: ResolveInput, hooks?: ResolveHooks): Promise<Resolution>
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
      suspectsInTurn(marked => findSuspects(marked, git.searchSuspects), {
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

/** Resolving, parsing and searching, in threads. */
export function createResolving({ embedding }: Pick<Config, 'embedding'>, deps: ResolvingDeps): Resolving {
  const { projects, threads, model } = deps
  const resolver = createConnectedResolver(deps)
  const wordsOnly = embedding === null ? undefined : true
  return {
    resolve: async (input, hooks) => resolver.resolve(await resolveRequest(input, deps), hooks),
    async resolveToJson(input, hooks) {
      const { own, json } = await resolver.resolveWritten(await resolveRequest(input, deps), hooks)
      return writeResolution(own, json)
    },
    async dryRun(input, signal) {
      const request = await resolveRequest(input, deps)
      return model.estimate(await resolver.question({ ...request, wordsOnly }, signal), input.model)
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
