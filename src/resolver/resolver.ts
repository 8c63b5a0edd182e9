import { randomBytes } from 'node:crypto'
import { FaultlineError, ModelError } from '../core/errors.ts'
import { replyEndOf } from '../core/finish-reason.ts'
import type { Usage } from '../core/job.ts'
import { once } from '../core/once.ts'
import type { Answer, Located, LocatedCode, Resolution, WrittenCode } from '../core/resolution.ts'
import { readAnswer } from './answer/answer.ts'
import type { LocateRequest } from './locate.ts'
import type { DialogueMessage, RenderedDialogue, RenderPrompt } from '../core/dialogue.ts'
import { resolveDialogue, resolveQuestion } from './answer/prompt.ts'
import type { Suspects } from './answer/suspects.ts'
import type { FindSuspectsInTime, LateSuspects } from './answer/suspects-in-time.ts'
import { ms } from './timing.ts'

/** A trace to locate and explain. */
export interface ResolveRequest extends LocateRequest {
  /** `context` calls no model. */
  mode: 'answer' | 'context'
  /** Language tag for the answer. */
  locale: string
  /** Used in place of the configured model. */
  model?: string
  temperature?: number
}

/** What is known before a model is asked. */
type Finding = Omit<Resolution, 'answer' | 'answerStatus' | 'answerError' | 'model' | 'usage' | 'timingsMs'>

/** What a caller wants to hear while a trace is resolved. */
export interface ResolveHooks {
  signal?: AbortSignal
  /** Called once, before the model is asked. */
  onLocated?: (finding: Finding) => void
  /** Called once when suspects come that were pending, or come too late; which may be after all the rest. */
  onSuspects?: (suspects: Suspects & { id: string }) => void
  /** Whether the whole waits for suspects that are pending. */
  waitForSuspects?: boolean
  /** Called with each piece of the answer; also asks the model for a stream. */
  onToken?: (text: string) => void
  /** Called when the answer begins again: everything `onToken` gave so far is void. */
  onRestart?: () => void
  /** Called once in place of asking the model, for a caller who asks by itself. */
  onQuestion?: (question: OpenQuestion) => void
  /** Wraps the call of the model, for a job that records the dialogue; gets the names of the prompts. */
  asking?: (complete: Complete, prompts: readonly string[]) => Complete
}

/** What a model is to be asked. */
export interface OpenQuestion {
  dialogue: DialogueMessage[]
  /** What the answer is checked against; null where the trace led to no repository. */
  at: { repository: string | null; commit: string }
}

type Complete = (request: CompletionRequest) => Promise<Completion>

/** One question to a model. */
export interface CompletionRequest {
  messages: RenderedDialogue['messages']
  model?: string
  temperature?: number
  signal?: AbortSignal
  onToken?: (text: string) => void
  onRestart?: () => void
}

interface Completion {
  text: string
  model: string
  usage: Usage
  /** In the server's words: `stop`, `length` … */
  finishReason: string
  /** Secrets that were replaced before the messages left. */
  redactions: number
}

/** What resolving needs from the other rooms. */
export interface ResolverDeps {
  locate: (request: LocateRequest, signal?: AbortSignal) => Promise<WrittenCode>
  /** Takes apart what was located; most answers need no more than its JSON. */
  readCode: (written: WrittenCode) => LocatedCode
  findSuspects: FindSuspectsInTime
  /** Null when no model is configured. */
  complete: Complete | null
  renderPrompt: RenderPrompt
  /**
   * Reads a file at a commit of a clone, byte order mark and line ends unchanged; null when it does not exist or is not
   * text.
   */
  readFile: (file: { repository: string; commit: string; path: string }) => Promise<string | null>
  /**
   * Called for failures of the model call that are bugs: the answer goes out without an explanation, but the log must
   * say why.
   */
  onUnexpected?: (error: unknown) => void
  now?: () => number
  /** How long the whole waits for suspects that are pending. */
  suspectsLimitMs?: number
}

/** Locates the code behind stack traces and explains it. */
export interface Resolver {
  /**
   * Locates the code behind a stack trace and has a model explain it. A missing or failing model costs only the answer:
   * `answerStatus` says what happened, everything else is there.
   *
   * @throws {FaultlineError} What `locate` throws; and the signal's reason after an abort.
   */
  resolve(request: ResolveRequest, hooks?: ResolveHooks): Promise<Resolution>
  /** The same in two parts: the located code as JSON, which is written once for all callers, and what is new. */
  resolveWritten(request: ResolveRequest, hooks?: ResolveHooks): Promise<{ own: OwnPart; json: Uint8Array }>
  /**
   * Reads the reply to an open question: its parts, and its patch, checked against the commit.
   *
   * @param reply.shown - What is shown of the text; the patch is read from the text itself.
   */
  readReply(
    reply: { text: string; shown: string; finishReason: string },
    question: { at: OpenQuestion['at']; sources: Located['sources'] },
  ): Promise<{ answer: Answer; answerError: Resolution['answerError'] }>
  /** What a model would be asked; empty in mode `context`. Calls no model and needs none. */
  question(request: ResolveRequest, signal?: AbortSignal): Promise<DialogueMessage[]>
}

/** What is not the same in all answers to a question. */
type OwnPart = Suspects & Outcome & Pick<Resolution, 'id' | 'timingsMs'>

type Outcome = Pick<Resolution, 'answer' | 'answerStatus' | 'answerError' | 'model' | 'redactions' | 'usage'>

/** Streams and jobs wait so long for suspects. */
const SUSPECTS_LIMIT_MS = 30_000
const MOST_SHORT_SUSPECTS = 2
const LATE: Suspects = { suspectCommits: [], suspectsStatus: 'timed_out' }
const NO_USAGE: Usage = { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null }
/** Why an answer was cut, by the server's word for it. */
const CUTS = new Map([
  ['length', 'cut at the output limit (LLM_MAX_OUTPUT_TOKENS raises it)'],
  ['content_filter', 'cut by the content filter of the model server'],
])

/** The repository of a resolution's commit. */
function repositoryOf(
  { commit, frames, sources }: Located,
  { lines, readAt = commit }: LocatedCode['marked'],
): string | null {
  return (
    lines.find(line => line.commit === readAt)?.repository ??
    frames.findLast(({ repository }) => repository !== null)?.repository ??
    sources[0]?.repository ??
    null
  )
}

function locateRequestOf(
  { mode, locale: _locale, model: _model, temperature: _temperature, ...request }: ResolveRequest,
  { hasModel }: { hasModel: boolean },
): LocateRequest {
  return hasModel && mode !== 'context' ? { ...request, forModel: true } : request
}

/** Whether suspects came while one waits for them. @throws The signal's reason. */
async function comeInTime(
  followed: Promise<void> | undefined,
  { signal, limitMs }: { signal: AbortSignal | undefined; limitMs: number },
): Promise<boolean> {
  signal?.throwIfAborted()
  const ended = Promise.withResolvers<boolean>()
  const leave = (): void => ended.reject(signal?.reason)
  signal?.addEventListener('abort', leave)
  const timer = setTimeout(() => ended.resolve(false), limitMs)
  try {
    return await Promise.race([followed?.then(() => true) ?? true, ended.promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

/** Tells of suspects that come later. A search that fails costs only them, and is reported where it is made. */
const followSuspects = ({ found }: LateSuspects, tell: (found: Suspects) => void): Promise<void> =>
  found.then(tell, () => {})

/** Tells of the suspects of one answer once: what was said of them is final. */
function tellOnce(tell: ((found: Suspects) => void) | undefined): (found: Suspects) => void {
  let isTold = false
  return found => {
    if (!isTold) tell?.(found)
    isTold = true
  }
}

/** The suspects of a short answer. */
const likeliest = (found: Suspects): Suspects => ({
  ...found,
  suspectCommits: found.suspectCommits.slice(0, MOST_SHORT_SUSPECTS),
})

/** What a search that went on has found by now, as far as it is shown; nothing while it goes on. */
function knownOf(rest: LateSuspects | null, shown: (found: Suspects) => Suspects): Suspects | null {
  const known = rest?.known ?? null
  return known === null ? null : shown(known)
}

/** What is missing from an answer that was cut; null when nothing is. */
function cutShort(finishReason: string): { code: string; message: string } | null {
  if (replyEndOf(finishReason) === 'complete') return null
  const how = CUTS.get(finishReason) ?? 'ended before it was complete'
  return { code: 'LLM_BAD_REPLY', message: `The answer was ${how}.` }
}

/**
 * Connects locating, suspects and the model. An answer takes one call of `locate`, one of `findSuspects` and, where a
 * model is configured and asked for, one of `complete`.
 */
export function createResolver({
  locate,
  readCode,
  findSuspects,
  complete,
  renderPrompt,
  readFile,
  onUnexpected,
  now = () => performance.now(),
  suspectsLimitMs = SUSPECTS_LIMIT_MS,
}: ResolverDeps): Resolver {
  /**
   * The patch of a reply, checked against the commit at which the code was read. Files that cannot be read cost only
   * the patch.
   */
  async function patchOf(
    text: string,
    sources: Located['sources'],
    { repository, commit, isCut }: { repository: string | null; commit: string; isCut: boolean },
  ): Promise<Pick<Answer, 'patch' | 'patchStatus'>> {
    const paths = sources.flatMap(source => (source.repository === repository ? [source.path] : []))
    try {
      const { readPatch } = await import('./answer/patch.ts') // with the first reply of a model
      return await readPatch(text, {
        isCut,
        paths: [...new Set(paths)],
        read: async path => (repository === null ? null : await readFile({ repository, commit, path })),
      })
    } catch (error) {
      if (!(error instanceof FaultlineError)) onUnexpected?.(error)
      return { patch: null, patchStatus: 'rejected: the files of the commit could not be read' }
    }
  }

  const readReply: Resolver['readReply'] = async ({ text, shown, finishReason }, { at, sources }) => {
    const answerError = cutShort(finishReason)
    const patch = await patchOf(text, sources, { ...at, isCut: answerError !== null })
    return { answer: { ...readAnswer(shown), ...patch }, answerError }
  }

  function answerError(error: unknown): { code: string; message: string } {
    if (error instanceof FaultlineError) return { code: error.code, message: error.message }
    onUnexpected?.(error)
    return { code: 'INTERNAL', message: 'Asking the model broke on our side; the log has it.' }
  }

  async function ask(
    request: ResolveRequest,
    locatedCode: () => Located,
    marked: LocatedCode['marked'],
    { signal, onToken, onRestart, onQuestion, asking }: ResolveHooks,
  ): Promise<Outcome> {
    const nothing = { answer: null, answerError: null, model: null, usage: NO_USAGE }
    if (request.mode === 'context') return { ...nothing, answerStatus: 'not_requested' }
    if (complete === null) return { ...nothing, answerStatus: 'not_configured' }
    const located = locatedCode()
    const repository = repositoryOf(located, marked)
    const commit = marked.readAt ?? located.commit
    if (onQuestion !== undefined) {
      const dialogue = resolveDialogue(request.stackTrace, located, request.locale)
      onQuestion({ dialogue, at: { repository, commit } })
      return { ...nothing, answerStatus: 'not_requested' }
    }
    const { messages, prompts } = resolveQuestion(request.stackTrace, located, { renderPrompt, locale: request.locale })
    const asked = asking?.(complete, prompts) ?? complete
    try {
      const { text, model, usage, finishReason, redactions } = await asked({
        messages,
        model: request.model,
        temperature: request.temperature,
        signal,
        onToken,
        onRestart,
      })
      return {
        ...(await readReply(
          { text, shown: text, finishReason },
          { at: { repository, commit }, sources: located.sources },
        )),
        answerStatus: 'ok',
        model,
        redactions,
        usage,
      }
    } catch (error) {
      if (signal?.aborted === true) throw error
      const usage = error instanceof ModelError ? error.usage : NO_USAGE
      return {
        ...nothing,
        answerStatus: 'failed',
        answerError: answerError(error),
        model: request.model ?? null,
        usage,
      }
    }
  }

  async function resolve(
    request: ResolveRequest,
    hooks: ResolveHooks = {},
  ): Promise<{ own: OwnPart; located: () => Located; json: Uint8Array }> {
    const started = now()
    const written = await locate(locateRequestOf(request, { hasModel: complete !== null }), hooks.signal)
    const { marked, timingsMs, json } = written
    const shown = (found: Suspects): Suspects => (request.detail === 'short' ? likeliest(found) : found)
    const { suspects: foundInTime, rest } = await findSuspects(marked, hooks.signal)
    const suspects = shown(foundInTime)
    hooks.signal?.throwIfAborted()
    const id = `res_${randomBytes(12).toString('hex')}`
    const located = once((): Located => {
      const { marked: _marked, degraded: _degraded, ...code } = readCode(written)
      return { ...code, ...suspects }
    })
    if (hooks.onLocated !== undefined) {
      const { timingsMs: _timingsMs, ...found } = located()
      hooks.onLocated({ id, ...found })
    }
    const { onSuspects, waitForSuspects = false } = hooks
    // many answers may share one search: only those that listen are kept until its end
    const isFollowed = rest !== null && (waitForSuspects || onSuspects !== undefined)
    const tell = tellOnce(onSuspects === undefined ? undefined : found => onSuspects({ id, ...shown(found) }))
    const followed = isFollowed ? followSuspects(rest, tell) : undefined
    const asked = now()
    const outcome = await ask(request, located, marked, hooks)
    const isLate = waitForSuspects && !(await comeInTime(followed, { signal: hooks.signal, limitMs: suspectsLimitMs }))
    if (isLate) tell(LATE)
    const ended = now()
    const llm = outcome.answerStatus === 'ok' || outcome.answerStatus === 'failed' ? ms(ended - asked) : 0
    return {
      own: {
        id,
        ...suspects,
        ...(isLate ? LATE : knownOf(rest, shown)),
        ...outcome,
        timingsMs: { ...timingsMs, llm, total: ms(ended - started) },
      },
      located,
      json,
    }
  }

  return {
    async question(request, signal) {
      const written = await locate(locateRequestOf(request, { hasModel: true }), signal)
      return request.mode === 'context' ? [] : resolveDialogue(request.stackTrace, readCode(written), request.locale)
    },
    async resolve(request, hooks) {
      const { own, located } = await resolve(request, hooks)
      return { ...located(), ...own }
    },
    resolveWritten: resolve,
    readReply,
  }
}
