import type { Git } from './git.ts'
import type { Projects } from '../indexer/projects.ts'
import type { Llm } from '../llm/client/client.ts'
import type { Prompts } from '../llm/prompts.ts'
import type { ResolveInput } from '../contract/resolution.ts'
import { cacheLocated } from '../resolver/answer/cache-located.ts'
import { cacheSuspects } from '../resolver/answer/cache-suspects.ts'
import { createResolver, type Resolver, type ResolveRequest } from '../resolver/resolver.ts'
import { findSuspects } from '../resolver/answer/suspects.ts'
import type { ResolveThreads } from './resolve-threads.ts'
import type { Log } from './services.ts'
import type { Store } from '../vecstore/store.ts'

/** A text that takes longer is hostile; a caller that has waited longer is better told to come again. */
export const LOCATE_LIMITS = { timeoutMs: 10_000, queueMs: 20_000 }

/** The resolver over threads that locate, a thread that works on clones, and a model where there is one. */
export function composeResolver({
  llm,
  threads,
  git,
  store,
  log,
  prompts,
}: {
  llm: Llm | null
  threads: ResolveThreads
  git: Git
  store: Store
  log: Log
  prompts: Prompts
}): Resolver {
  return createResolver({
    locate: cacheLocated(
      (request, signal) => threads.runFor(request.projectName, 'locate', { request }, { signal, ...LOCATE_LIMITS }),
      { publicationOf: store.publication },
    ),
    complete: llm?.complete ?? null,
    findSuspects: cacheSuspects((marked, signal) => findSuspects(marked, git.searchSuspects, signal)),
    renderPrompt: prompts.render,
    readFile: git.readText,
    onUnexpected: error => log.error({ err: error }, 'the model client broke'),
  })
}

/** What a body means, with the defaults of the contract and the settings of its project. */
export async function resolveRequest(input: ResolveInput, projects: Projects): Promise<ResolveRequest> {
  const { projectName, indexState } = await projects.needIndex(input.project_name)
  const { pathMappings, inAppExclude } = await projects.settings(projectName)
  return {
    projectName,
    indexState,
    stackTrace: input.stacktrace,
    mode: input.mode ?? 'answer',
    maxContextTokens: input.max_context_tokens ?? 16_000,
    ref: input.ref,
    exception: input.exception,
    locale: input.locale ?? 'en',
    model: input.model,
    temperature: input.temperature,
    pathMappings,
    inAppExclude,
  }
}
