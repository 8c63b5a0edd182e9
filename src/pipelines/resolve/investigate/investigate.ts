import { randomBytes } from 'node:crypto'
import type { ResolveInput } from '../../../contract/resolution.ts'
import { FaultlineError, ModelError, ToolsRefusedError } from '../../../core/errors.ts'
import { sumUsage, type Usage } from '../../../core/job.ts'
import type { Resolution } from '../../../core/resolution.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { ToolCall } from '../../../llm/tools/tool-calls.ts'
import { callsInWords } from './calls-in-words.ts'
import { answered, unanswered, type Failure } from './answer.ts'
import type { InvestigateDeps, LocatedQuestion } from './deps.ts'
import { renderInvestigation, type AskedBy, type Turn } from './dialogue.ts'
import { LIMIT_WORDS, limitMet, limitsOf, msForCall, type EndedBy, type Limit, type Limits } from './limits.ts'
import { look, refused, type Look } from './look.ts'
import { sourcesOf } from './sources.ts'
import { TOOL_DEFINITIONS, type CodeToAsk } from './tools.ts'

type InvestigatingJob = Pick<
  JobContext,
  'step' | 'log' | 'progress' | 'record' | 'isOverBudget' | 'checkBudget' | 'waitForRoom' | 'addUsage' | 'token'
>

/** A reply as its step keeps it. */
interface KeptReply {
  text: string
  calls: ToolCall[]
  model: string
  finishReason: string
  usage: Usage
  ms: number
}
/** What came of asking. */
type Asked =
  | { kind: 'reply'; reply: KeptReply }
  /** The model takes no tools. */
  | { kind: 'no_tools' }
  /** The budget was used up before; with `lateMs`, how long was waited, the time before the call or within it. */
  | { kind: 'over'; lateMs?: number }
  | { kind: 'failed'; code: string; message: string; usage: Usage; ms: number }

/** What was carried out for one reply. */
interface Looked {
  looks: Look[]
  redactions: number
  ms: number
}

const NO_USAGE: Usage = { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null }
/** A reply may ask for several things at once; the rest may be asked for in the next one. */
const MAX_CALLS_PER_REPLY = 8
const NOT_CARRIED_OUT = 'This was not carried out: no more lookups are possible.'
const TOO_MANY_AT_ONCE = `This was not carried out: ask for at most ${MAX_CALLS_PER_REPLY} things at once.`
const NO_ROOM = 'What was found is left out: the context has no room for it.'

const since = (started: number): number => Math.round(performance.now() - started)

const namesOf = (dropped: Resolution['dropped']): string[] => [
  ...new Set(dropped.map(one => (typeof one === 'string' ? one : one.path))),
]

/** What steps keep has no secrets, so the client of the model finds none to count. */
async function noteRedactions(job: Pick<JobContext, 'addUsage'>, redactions: number): Promise<void> {
  if (redactions > 0) await job.addUsage(NO_USAGE, redactions)
}

/** One investigation on its way. All of it follows from the outputs of steps, so that a replay comes to the same. */
class Investigation {
  readonly #job: InvestigatingJob
  readonly #input: ResolveInput
  readonly #deps: InvestigateDeps
  readonly #opened: LocatedQuestion & { nonce: string }
  readonly #limits: Limits
  readonly #turns: Turn[] = []
  readonly #texts: string[] = []
  #askedBy: AskedBy = 'tool_calls'
  #usage = NO_USAGE
  #ms = 0
  #redactions: number
  #last: KeptReply | null = null
  #code: CodeToAsk | undefined

  constructor(
    job: InvestigatingJob,
    input: ResolveInput,
    deps: InvestigateDeps,
    opened: LocatedQuestion & { nonce: string },
  ) {
    this.#job = job
    this.#input = input
    this.#deps = deps
    this.#opened = opened
    this.#redactions = opened.redactions
    this.#limits = limitsOf(input, deps.model.contextOf(input.model))
  }

  get #looks(): Look[] {
    return this.#turns.flatMap(({ looks }) => looks)
  }

  /** Steps that count: calls that were not carried out for want of steps do not. */
  get #steps(): number {
    return this.#looks.length
  }

  /** The one that answered, or that was asked in vain. */
  get #model(): string | null {
    if (this.#last !== null) return this.#last.model
    return this.#input.model ?? null
  }

  async run(): Promise<Resolution> {
    let limit: Limit | null = null
    for (;;) {
      const asked = await this.#ask(limit)
      if (asked.kind === 'no_tools') {
        this.#askedBy = 'json'
        continue
      }
      if (asked.kind === 'over') return this.#endUsedUp(asked)
      if (asked.kind === 'failed') {
        this.#spend(asked)
        if (asked.code === 'LLM_REQUEST_TOO_LARGE' && limit !== 'context' && this.#withoutLast()) {
          limit = 'context'
          continue
        }
        return this.#end(limit ?? 'error', asked)
      }
      const { reply } = asked
      this.#spend(reply)
      this.#last = reply
      const calls = this.#callsOf(reply)
      if (reply.text.trim() !== '' && !(this.#askedBy === 'json' && calls.length > 0)) this.#texts.push(reply.text)
      if (calls.length === 0) return this.#end(limit ?? 'answer', null)
      if (limit !== null) {
        const message = 'The model asked for more than it may look at, and gave no whole answer.'
        return this.#end(limit, { code: 'LLM_BAD_REPLY', message })
      }
      limit = await this.#look(reply, calls)
    }
  }

  #endUsedUp({ lateMs }: { lateMs?: number }): Promise<Resolution> {
    this.#ms += lateMs ?? 0
    const used = lateMs === undefined ? 'budget' : 'time'
    const message = `The ${used} is used up; the answer is as far as it came.`
    const isBudget = lateMs === undefined || this.#limits.given.seconds
    return this.#end(isBudget ? 'budget' : 'seconds', { code: 'BUDGET_EXHAUSTED', message })
  }

  /** Takes out what was found last, which the context of the model does not hold; false where nothing was. */
  #withoutLast(): boolean {
    const turn = this.#turns.at(-1)
    if (turn === undefined) return false
    turn.looks = turn.looks.map(one => ({ ...one, told: NO_ROOM, text: '', lines: [] }))
    turn.remark = { prompt: 'investigate-end', slots: { why: LIMIT_WORDS.context } }
    return true
  }

  #spend({ usage, ms }: { usage: Usage; ms: number }): void {
    this.#usage = sumUsage(this.#usage, usage)
    this.#ms += ms
  }

  /** What a reply asks for. A server may hand on calls as the words that the model wrote: then words it is. */
  #callsOf({ calls, text }: KeptReply): ToolCall[] {
    if (calls.length > 0) return calls
    const inWords = callsInWords(text, this.#deps.model.jsonValuesIn)
    if (inWords.length > 0) this.#askedBy = 'json'
    return inWords
  }

  #ask(limit: Limit | null): Promise<Asked> {
    const { model } = this.#deps
    const askedBy = this.#askedBy
    const { messages, prompts } = renderInvestigation(model.render, {
      question: this.#opened.dialogue,
      turns: this.#turns,
      askedBy,
      maxSteps: this.#limits.steps,
      files: namesOf(this.#opened.resolution.dropped),
      nonce: this.#opened.nonce,
    })
    const toolChoice: 'auto' | 'none' = limit === null ? 'auto' : 'none'
    const tools = askedBy === 'json' ? { afterToolsRefused: true } : { tools: TOOL_DEFINITIONS, toolChoice }
    const leftMs = msForCall(this.#limits, this.#ms)
    return this.#job.step('investigate', async signal => {
      const started = performance.now()
      const late = () => ({ kind: 'over' as const, lateMs: since(started) })
      if (leftMs === 0) return late()
      if (this.#turns.length > 0 && this.#job.isOverBudget()) return { kind: 'over' as const }
      const { model: name, temperature } = this.#input
      const clock = AbortSignal.timeout(leftMs)
      try {
        const { text, finishReason, usage, toolCalls, ...reply } = await model.askInStep(this.#job, prompts, {
          messages,
          model: name,
          temperature,
          signal: AbortSignal.any([signal, clock]),
          ...tools,
        })
        const kept = { text, calls: toolCalls ?? [], model: reply.model, finishReason, usage, ms: since(started) }
        return { kind: 'reply' as const, reply: kept }
      } catch (error) {
        signal.throwIfAborted()
        if (clock.aborted) return late()
        if (error instanceof ToolsRefusedError && askedBy === 'tool_calls') return { kind: 'no_tools' as const }
        if (!(error instanceof FaultlineError)) throw error
        const { code, message } = error
        // a wait for a person ends the body: it is thrown through it
        if (!(error instanceof ModelError) && code !== 'BUDGET_EXHAUSTED' && code !== 'REPLY_TIMED_OUT') throw error
        const usage = error instanceof ModelError ? error.usage : NO_USAGE
        return { kind: 'failed' as const, code, message, usage, ms: since(started) }
      }
    })
  }

  /** The code is opened when it is first asked, at the commit that was located; a failure is not kept. */
  async #openCode(signal: AbortSignal): Promise<CodeToAsk> {
    const { at, resolution } = this.#opened
    this.#code ??= await this.#deps.openCode(resolution.projectName, {
      ref: at.repository === null ? undefined : at.commit,
      signal,
    })
    return this.#code
  }

  /** The code, or why it cannot be read any more, in words for the model. */
  async #openToLook(signal: AbortSignal): Promise<CodeToAsk | { gone: string }> {
    try {
      return await this.#openCode(signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof FaultlineError)) throw error
      return { gone: `The code cannot be read any more: ${error.message}` }
    }
  }

  async #carryOut(calls: readonly ToolCall[], signal: AbortSignal): Promise<Looked> {
    const started = performance.now()
    const code = await this.#openToLook(signal)
    const asked = new Map<string, Look>()
    for (const earlier of this.#looks) {
      if (earlier.key !== null && !asked.has(earlier.key)) asked.set(earlier.key, earlier)
    }
    const looks: Look[] = []
    let redactions = 0
    for (const call of calls) {
      const step = this.#steps + looks.length + 1
      const made = 'gone' in code ? refused(call, step, code.gone) : await look(call, { step, asked, code, signal })
      const clean = this.#deps.clean(made)
      redactions += clean.redactions
      looks.push(clean.value)
      if (made.key !== null && !asked.has(made.key)) asked.set(made.key, made)
    }
    for (const { step: number, tool: name, arguments: given, told, text } of looks) {
      const result = [told, text].filter(part => part !== '').join('\n')
      await this.#job.record({ kind: 'tool', number, name, arguments: given, result })
    }
    await noteRedactions(this.#job, redactions)
    return { looks, redactions, ms: since(started) }
  }

  /** Carries out what a reply asks for, and adds the turn. @returns The limit that leaves no room for more. */
  async #look(reply: KeptReply, calls: readonly ToolCall[]): Promise<Limit | null> {
    const left = this.#limits.steps - this.#steps
    const carried = calls.slice(0, Math.min(left, MAX_CALLS_PER_REPLY))
    const looked = await this.#job.step('look', signal => this.#carryOut(carried, signal))
    this.#ms += looked.ms
    this.#redactions += looked.redactions
    for (const { step, tool, arguments: given, summary } of looked.looks) {
      this.#job.log(`Step ${step} of ${this.#limits.steps}: ${tool} ${given}: ${summary}`)
    }
    const turn: Turn = {
      text: reply.text,
      calls: this.#named(calls),
      looks: looked.looks,
      leftOut: [],
      remark: { prompt: 'investigate-left', slots: { left: '' } },
    }
    this.#turns.push(turn)
    const limit = limitMet(this.#limits, {
      steps: this.#steps,
      usage: this.#usage,
      ms: this.#ms,
      nextTokens: this.#nextTokens(looked.looks),
      lastUsd: reply.usage.usd,
    })
    turn.leftOut = calls.slice(carried.length).map(() => (limit === 'max_steps' ? NOT_CARRIED_OUT : TOO_MANY_AT_ONCE))
    turn.remark =
      limit === null
        ? { prompt: 'investigate-left', slots: { left: String(this.#limits.steps - this.#steps) } }
        : { prompt: 'investigate-end', slots: { why: LIMIT_WORDS[limit] } }
    const message = `${this.#steps} of ${this.#limits.steps} lookups`
    this.#job.progress({ step: 'investigate', done: this.#steps, total: this.#limits.steps, message })
    return limit
  }

  /** Calls with ids that no earlier one has: servers that give none, or count anew, leave it to us. */
  #named(calls: readonly ToolCall[]): ToolCall[] {
    const taken = new Set(this.#turns.flatMap(turn => turn.calls.map(({ id }) => id)))
    return calls.map(call => (taken.has(call.id) ? { ...call, id: `${call.id}_${this.#turns.length + 1}` } : call))
  }

  /** Tokens of the next request: the last one, its reply, and what was found since. */
  #nextTokens(looks: readonly Look[]): number {
    const { promptTokens = 0, completionTokens = 0 } = this.#last?.usage ?? {}
    return promptTokens + completionTokens + looks.reduce((sum, { text }) => sum + this.#deps.countTokens(text), 0)
  }

  /** Reads the answer, checks what it cites, and keeps it. */
  #end(endedBy: EndedBy, failure: Failure | null): Promise<Resolution> {
    return this.#job.step('answer', async signal => {
      const { resolution, at } = this.#opened
      const { text: whole = '', finishReason = 'stop' } = this.#last ?? {}
      const looks = this.#looks
      const found = sourcesOf(looks, this.#deps.countTokens)
      const sources = [...resolution.sources, ...found]
      const own = {
        ...resolution,
        sources,
        model: this.#model,
        redactions: this.#redactions,
        usage: this.#usage,
        timingsMs: { ...resolution.timingsMs, llm: this.#ms, total: resolution.timingsMs.total + this.#ms },
        investigation: {
          steps: looks.map(({ step, tool, arguments: given, outcome, summary, tokens }) => {
            return { step, tool, arguments: given, outcome, summary, tokens }
          }),
          modelCalls: this.#usage.llmCalls,
          askedBy: this.#askedBy,
          endedBy,
        },
      }
      const text = failure === null ? whole : this.#texts.join('\n\n')
      const done =
        text.trim() === ''
          ? unanswered(own, failure)
          : await answered(
              own,
              { text, finishReason, failure },
              {
                at,
                shown: [this.#input.stacktrace, own.context, ...looks.map(({ text: found }) => found)],
                openCode: () => this.#openCode(signal),
                signal,
                log: line => this.#job.log(line),
              },
              this.#deps,
            )
      await this.#deps.keepResolution(done, this.#input.stacktrace)
      return done
    })
  }
}

/**
 * Resolves a trace by letting the model look around in the code before it answers. The code that was located goes in
 * first, so that a model that asks for nothing costs one call. Each call of the model and each look is a step: a job
 * that goes on after a crash asks nothing again that was answered.
 */
export async function investigate(
  job: InvestigatingJob,
  input: ResolveInput,
  deps: InvestigateDeps,
): Promise<Resolution> {
  const opened = await job.step('locate', async signal => {
    const question = await deps.openQuestion(input, signal)
    await noteRedactions(job, question.redactions)
    return { ...question, nonce: randomBytes(16).toString('hex') }
  })
  return await new Investigation(job, input, deps, opened).run()
}
