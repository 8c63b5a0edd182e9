import { fence, fenceTag } from './fence.ts'

/** A prompt of `prompts/` with its slots filled in. */
export type RenderPrompt = (name: string, slots: Readonly<Record<string, string>>) => string

/** Text that others wrote: a trace, code, output of a program. The label says what it is, in words of ours or as a path. */
export interface DataText { label: string, text: string }

interface AskedTurn {
  prompt: string
  slots?: Readonly<Record<string, string>>
  /** By slot; several texts stand one after the other. */
  data?: Readonly<Record<string, DataText | readonly DataText[]>>
}

/** What a model is asked: a system prompt with a `{{data_rule}}` slot, then turns of ours and replies of the model. */
export interface Question {
  system: { prompt: string, slots?: Readonly<Record<string, string>> }
  turns: ReadonlyArray<AskedTurn | { reply: string }>
}

export interface RenderedQuestion {
  messages: Array<{ role: 'system' | 'user' | 'assistant', content: string }>
  /** Names of the prompts that it is made of. */
  prompts: string[]
}

const DATA_RULE = 'data-rule'

/**
 * The messages of a question: data of all turns is fenced with one random tag that nobody who wrote it could know, and the system prompt
 * says so by the prompt `data-rule`. Later requests of a conversation render all its turns again, with another tag.
 *
 * @param random - As `fenceTag` takes it; for tests.
 * @throws {Error} A slot without a value, or a value without a slot: a bug of the caller.
 */
export function renderQuestion (render: RenderPrompt, { system, turns }: Question, random?: () => string): RenderedQuestion {
  const tag = fenceTag(turns.flatMap(textsOf), random)
  const enclosed = (data: DataText | readonly DataText[]): string => listOf(data).map(({ label, text }) => fence(text, tag, label)).join('\n\n')
  const messages: RenderedQuestion['messages'] = [{ role: 'system', content: render(system.prompt, { ...system.slots, data_rule: render(DATA_RULE, { tag }) }) }]
  const prompts = new Set([DATA_RULE, system.prompt])
  for (const turn of turns) {
    if ('reply' in turn) {
      messages.push({ role: 'assistant', content: turn.reply })
      continue
    }
    prompts.add(turn.prompt)
    const fenced = Object.fromEntries(Object.entries(turn.data ?? {}).map(([slot, data]) => [slot, enclosed(data)]))
    messages.push({ role: 'user', content: render(turn.prompt, { ...turn.slots, ...fenced }) })
  }
  return { messages, prompts: [...prompts] }
}

function textsOf (turn: AskedTurn | { reply: string }): string[] {
  if ('reply' in turn) return [turn.reply]
  return [...Object.values(turn.slots ?? {}), ...Object.values(turn.data ?? {}).flatMap(data => listOf(data).map(({ text }) => text))]
}

const listOf = (data: DataText | readonly DataText[]): readonly DataText[] => 'text' in data ? [data] : data
