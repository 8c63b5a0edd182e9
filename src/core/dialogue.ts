import { fence, fenceTag } from './fence.ts'

/** A prompt of `prompts/` with its slots filled in. */
export type RenderPrompt = (name: string, slots: Readonly<Record<string, string>>) => string

/**
 * Text that others wrote: a trace, code, output of a program. The label says what it is, in words of ours or as a path.
 */
interface DataText {
  label: string
  text: string
}

/** A prompt of `prompts/`; a slot may hold another one, as that of `generate` for the file format does. */
interface PromptText {
  prompt: string
  slots?: Readonly<Record<string, Content>>
}

/** A string is taken as it stands: words of ours or of the client, or an earlier reply of the model. */
type Part = string | PromptText | DataText

/** Parts stand one after the other with nothing between them. */
type Content = Part | readonly Part[]

/**
 * One message of a dialogue with a model. A dialogue is an array of them, plain data that a step can keep: it grows by
 * the reply (`assistant`) and the next turn (`user`), and its first message can be replaced.
 */
export interface DialogueMessage {
  role: 'system' | 'user' | 'assistant'
  content: Content
}

/** A dialogue as text, ready to be sent. */
export interface RenderedDialogue {
  messages: Array<{ role: DialogueMessage['role']; content: string }>
  /** Names of the prompts that it is made of, in order. */
  prompts: string[]
}

const DATA_RULE = 'data-rule'
const isList = (content: Content): content is readonly Part[] => Array.isArray(content)
const isData = (part: Part): part is DataText => typeof part !== 'string' && 'text' in part
const isPrompt = (part: Part): part is PromptText => typeof part !== 'string' && 'prompt' in part

const listOf = (content: Content): readonly Part[] => (isList(content) ? content : [content])

/** All parts, those in the slots of prompts included. */
function partsOf(content: Content): Part[] {
  return listOf(content).flatMap(part => {
    if (!isPrompt(part)) return [part]
    return [part, ...Object.values(part.slots ?? {}).flatMap(partsOf)]
  })
}

/** The texts of a part that come from elsewhere: the tag of fences must occur in none of them. */
function foreignTextsOf(part: Part): string[] {
  if (typeof part === 'string') return [part]
  return isData(part) ? [part.text] : []
}

/**
 * The messages of a dialogue as a model gets them. Data of all messages is fenced with one random tag that nobody who
 * wrote it could know, and the system message, which comes first, ends with the prompt `data-rule`, which says so. Each
 * request renders the whole dialogue again, with another tag.
 *
 * @param random - As `fenceTag` takes it; for tests.
 * @throws {Error} A slot without a value, a value without a slot, or data without a system message: bugs of the caller.
 */
export function renderDialogue(
  render: RenderPrompt,
  dialogue: readonly DialogueMessage[],
  random?: () => string,
): RenderedDialogue {
  const parts = dialogue.flatMap(({ content }) => partsOf(content))
  const tag = fenceTag(parts.flatMap(foreignTextsOf), random)
  const prompts = new Set<string>()

  function textOf(content: Content): string {
    return listOf(content)
      .map(part => {
        if (typeof part === 'string') return part
        if (isData(part)) return fence(part.text, tag, part.label)
        prompts.add(part.prompt)
        const slots = Object.entries(part.slots ?? {}).map(([slot, value]) => [slot, textOf(value)])
        return render(part.prompt, Object.fromEntries(slots) as Record<string, string>)
      })
      .join('')
  }

  const messages = dialogue.map(({ role, content }) => ({ role, content: textOf(content) }))
  if (parts.some(isData)) {
    const [system] = messages
    if (system?.role !== 'system') {
      throw new Error('A dialogue with data needs a system message, which says what is data.')
    }
    system.content += `\n\n${render(DATA_RULE, { tag })}`
    prompts.add(DATA_RULE)
  }
  return { messages, prompts: [...prompts] }
}
