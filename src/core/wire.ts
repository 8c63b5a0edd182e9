import type { MappedFrame, ParsedTrace } from './frame.ts'
import type { Job, JobRequest, JobType, Json, JsonObject, TranscriptEntry, Usage } from './job.ts'
import type { CloneResult } from './project.ts'
import type { DroppedSource, FoundCode, Resolution, SearchAnswer, SearchHit, Source } from './resolution.ts'

/**
 * The one place where our names become those of the HTTP contract (`snake_case`), for the server and for `--json` of
 * the CLI.
 */

const toWireUsage = (usage: Usage) => ({
  llm_calls: usage.llmCalls,
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  usd: usage.usd,
})

/** What a waiting job asks, also as the data of its `request` event. */
export function toWireRequest(request: JobRequest): JsonObject {
  if (request.kind === 'review_changes') {
    return {
      kind: request.kind,
      diff: request.diff,
      rejected_hunks: request.rejectedHunks,
      ...(request.verification === undefined ? {} : { verification: request.verification }),
    }
  }
  if (request.kind === 'approve_delivery') {
    return { kind: request.kind, branch: request.branch, diff: request.diff, pull_request_url: request.pullRequestUrl }
  }
  return { ...request }
}

/**
 * The results of the pipelines that write code: no key in them is a name from outside. Total: an older version's result
 * has fewer fields.
 */
function inSnakeCase(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map(item => inSnakeCase(item) ?? null)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      inSnakeCase(item),
    ]),
  )
}

function toWireClone(result: CloneResult) {
  return {
    project_name: result.projectName,
    repository: result.repository,
    branch: result.branch,
    commit: result.commit,
    history: result.history,
    files_indexed: result.filesIndexed,
    files_skipped: result.filesSkipped,
    chunks_added: result.chunksAdded,
    chunks_removed: result.chunksRemoved,
    chunks_total: result.chunksTotal,
    languages: result.languages,
    embedding: result.embedding,
    timings_ms: result.timingsMs,
  }
}

const toWireFrame = (frame: MappedFrame) => ({
  index: frame.index,
  exception: frame.exception,
  raw: frame.raw,
  file: frame.file,
  line: frame.line,
  column: frame.column,
  function: frame.function,
  repeat: frame.repeat,
  in_project: frame.inProject,
  repository: frame.repository,
  path: frame.path,
  code_line: frame.codeLine,
  match: frame.match,
  why: frame.why,
  candidates: frame.candidates,
})

const toWireDropped = (source: DroppedSource) => ({
  repository: source.repository,
  path: source.path,
  start_line: source.startLine,
  end_line: source.endLine,
  reason: source.reason,
  score: source.score,
  tokens: source.tokens,
})

const toWireSource = (source: Source) => ({
  ...toWireDropped(source),
  symbol: source.symbol,
  chunk_index: source.chunkIndex,
  total_chunks: source.totalChunks,
  highlighted_lines: source.highlightedLines,
  why: source.why,
})

/** Of a resolution what the index says. */
export function toWireCode(found: FoundCode) {
  return {
    project_name: found.projectName,
    commit: found.commit,
    index_state: found.indexState,
    exceptions: found.exceptions.map(({ index, type, message, language, relation, fingerprint, count }) => ({
      index,
      type,
      message,
      language,
      relation,
      fingerprint,
      count,
    })),
    frames: found.frames.map(toWireFrame),
    frames_total: found.framesTotal,
    ...(found.notice === undefined ? {} : { notice: found.notice }),
    sources: found.sources.map(toWireSource),
    context: found.context,
    context_tokens: found.contextTokens,
    tokenizer: found.tokenizer,
    dropped: found.dropped.map(toWireDropped),
  }
}

const toWireSuspects = ({ suspectCommits, suspectsStatus }: Pick<Resolution, 'suspectCommits' | 'suspectsStatus'>) => ({
  suspect_commits: suspectCommits.map(({ commit, author, date, summary, path, lines, score, why }) => ({
    commit,
    author,
    date,
    summary,
    path,
    lines,
    score,
    why,
  })),
  suspects_status: suspectsStatus,
})

/** What follows in it on its id and `toWireCode`. */
export function toWireOutcome(resolution: Omit<Resolution, keyof FoundCode>) {
  const { answer, timingsMs: timings } = resolution
  return {
    ...toWireSuspects(resolution),
    answer:
      answer === null
        ? null
        : {
            text: answer.text,
            explanation: answer.explanation,
            fix: answer.fix,
            patch: answer.patch,
            patch_status: answer.patchStatus,
          },
    answer_status: resolution.answerStatus,
    answer_error: resolution.answerError,
    model: resolution.model,
    ...(resolution.redactions === undefined ? {} : { redactions: resolution.redactions }),
    usage: toWireUsage(resolution.usage),
    timings_ms: {
      parse: timings.parse,
      map: timings.map,
      retrieve: timings.retrieve,
      context: timings.context,
      llm: timings.llm,
      total: timings.total,
    },
  }
}

export const toWireResolution = (resolution: Resolution) => ({
  id: resolution.id,
  ...toWireCode(resolution),
  ...toWireOutcome(resolution),
})

/** The result of a job as clients get it, be it from the job or by a callback. */
export function toWireResult(type: JobType, result: Json): unknown {
  if (result === null) return null
  if (type === 'clone') return toWireClone(result as unknown as CloneResult)
  if (type === 'resolve') return (result as unknown as Resolution[]).map(toWireResolution)
  return inSnakeCase(result)
}

export function toWireJob(job: Job) {
  return {
    id: job.id,
    type: job.type,
    status: job.status,
    project_name: job.projectName,
    created_at: job.createdAt,
    updated_at: job.updatedAt,
    retry_of: job.retryOf,
    trust: job.trust,
    progress: job.progress,
    queue_position: job.queuePosition,
    request: job.request === null ? null : toWireRequest(job.request),
    result: toWireResult(job.type, job.result),
    error: job.error,
    usage: toWireUsage(job.usage),
    redactions: job.redactions,
    budget: job.budget,
  }
}

type WireEntry = JsonObject & { at: string; step: string | null; kind: TranscriptEntry['kind'] | 'created' }

/** An entry of a transcript, in the words of the contract. */
export function toWireEntry({
  at,
  step,
  entry,
}: {
  at: string
  step: string | null
  entry: TranscriptEntry
}): WireEntry {
  const begin = { at, step, kind: entry.kind }
  switch (entry.kind) {
    case 'messages':
      return {
        ...begin,
        model: entry.model,
        prompts: entry.prompts,
        messages: entry.messages,
        redactions: entry.redactions,
      }
    case 'reply':
      return {
        ...begin,
        model: entry.model,
        text: entry.text,
        finish_reason: entry.finishReason,
        usage: toWireUsage(entry.usage),
      }
    case 'model_error':
      return { ...begin, model: entry.model, code: entry.code, message: entry.message, usage: toWireUsage(entry.usage) }
    case 'question':
      return { ...begin, name: entry.name, request: toWireRequest(entry.request) }
    case 'answer':
      return { ...begin, name: entry.name, key_name: entry.keyName, reply: entry.reply }
    case 'command':
      return {
        ...begin,
        argv: entry.argv,
        exit_code: entry.exitCode,
        signal: entry.signal,
        stdout: entry.stdout,
        stderr: entry.stderr,
        timed_out: entry.timedOut,
        duration_ms: entry.durationMs,
        sandboxed: entry.sandboxed,
      }
  }
}

/** The first entry: who asked for the job, and for what. */
export function toWireCreated(
  { createdAt, type, keyName, trust, retryOf }: Job & { keyName: string | null },
  body: JsonObject,
): WireEntry {
  return { at: createdAt, step: null, kind: 'created', type, key_name: keyName, trust, retry_of: retryOf, body }
}

export interface ProjectLike {
  projectName: string
  indexState: string
  repositories: Array<{
    repository: string
    url: string
    branch: string | null
    commit: string
    history: string
    indexedAt: string
  }>
  filesIndexed: number
  filesSkipped: Record<string, number>
  chunksTotal: number
  languages: Record<string, number>
  embedding: { provider: string; model: string; dimensions: number } | null
  annRecall: number | null
  storeBytes: number
  pathMappings: Array<{ from: string; to: string }>
  inAppExclude: string[]
  callbackUrl: string | null
  checks: Readonly<Record<string, string>>
}

export function toWireProject(project: ProjectLike) {
  return {
    project_name: project.projectName,
    index_state: project.indexState,
    repositories: project.repositories.map(({ repository, url, branch, commit, history, indexedAt }) => ({
      repository,
      url,
      branch,
      commit,
      history,
      indexed_at: indexedAt,
    })),
    files_indexed: project.filesIndexed,
    files_skipped: project.filesSkipped,
    chunks_total: project.chunksTotal,
    languages: project.languages,
    embedding: project.embedding,
    ann_recall: project.annRecall,
    store_bytes: project.storeBytes,
    path_mappings: project.pathMappings,
    in_app_exclude: project.inAppExclude,
    checks: project.checks,
    callback_url: project.callbackUrl,
  }
}

/** What `POST /parse` answers: nothing was compared with a project, so `path` and its like are null. */
export function toWireParsed({ exceptions, frames, framesTotal }: ParsedTrace) {
  const unmapped = {
    inProject: false,
    repository: null,
    path: null,
    codeLine: null,
    match: 'none' as const,
    why: 'no project was asked',
    candidates: [],
  }
  return {
    exceptions: exceptions.map(({ index, type, message, language, relation, count }) => ({
      index,
      type,
      message,
      language,
      relation,
      fingerprint: null,
      count,
    })),
    frames: frames.map(frame => toWireFrame({ ...frame, ...unmapped })),
    frames_total: framesTotal,
  }
}

/** Everything of a resolution but the answer: the `located` event. */
export const toWireLocated = (
  resolution: Omit<Resolution, 'answer' | 'answerStatus' | 'answerError' | 'model' | 'usage' | 'timingsMs'>,
) => ({ id: resolution.id, ...toWireCode(resolution), ...toWireSuspects(resolution) })

export const toWireHit = ({ startLine, endLine, snippetLine, highlightedLines, ...hit }: SearchHit) => ({
  ...hit,
  start_line: startLine,
  end_line: endLine,
  snippet_line: snippetLine,
  highlighted_lines: highlightedLines,
})

export const toWireHits = ({ hits, complete, notice }: SearchAnswer) => ({
  data: hits.map(toWireHit),
  complete,
  ...(notice === undefined ? {} : { notice }),
})
