import type { Static } from 'typebox'
import { CodeRef, CODE_TOOLS } from '../../contract/code-tools.ts'
import { ProjectName } from '../../contract/primitives.ts'
import { Type } from '../../core/type.ts'
import { pathOf, type Caller } from '../caller.ts'
import { textOf, type Said } from '../answer.ts'
import { DEFAULT_TOKENS, MaxTokens, tokensOfBoth } from '../fit.ts'
import { defineTool, READS, type ToolAnswer } from '../tool.ts'

const at = {
  project_name: ProjectName,
  ref: CodeRef,
}

const {
  search_code: search,
  read_code: read,
  find_definition: definition,
  find_references: references,
  explain_line_history: history,
} = CODE_TOOLS

/** The part of an answer that the code may take, as the route counts it: data and text both show it. */
const CODE_PART = 0.3
/** The least that the route takes. */
const MIN_CODE_TOKENS = 100

interface Question {
  name: 'search' | 'read' | 'definitions' | 'references' | 'history'
  args: { project_name: string; max_tokens?: number }
}

/**
 * Asks for code, and again for less of it where data and text have too many tokens together: so the pages of the route
 * hold, and nothing is cut that no page shows.
 */
async function askCode<Answer extends { notice: string | null }>(
  { name, args: { project_name: project, max_tokens: maxTokens = DEFAULT_TOKENS, ...rest } }: Question,
  caller: Caller,
  say: (answer: Answer) => Said,
): Promise<ToolAnswer<Answer>> {
  const path = `${pathOf`/projects/${project}/code`}/${name}`
  let wanted = Math.floor(maxTokens * CODE_PART)
  for (;;) {
    const body = { ...rest, max_tokens: wanted }
    const data = (await caller.ask({ method: 'POST', path, body })) as Answer
    const said = say(data)
    const tokens = await tokensOfBoth(data, textOf(said), caller)
    if (tokens <= maxTokens) return { data, said }
    if (wanted === MIN_CODE_TOKENS) {
      const notice = `This is about ${tokens} tokens, more than max_tokens: no part of it is smaller.`
      const noticed = { ...data, notice: [data.notice ?? '', notice].join(' ').trim() }
      return { data: noticed, said: say(noticed) }
    }
    wanted = Math.max(MIN_CODE_TOKENS, Math.floor(wanted * Math.min(0.8, (0.9 * maxTokens) / tokens)))
  }
}

/** Lines with their numbers; some are marked. */
function numbered(text: string, firstLine: number, marked: readonly number[] = []): string {
  return text
    .split('\n')
    .map((line, at) => `${marked.includes(firstLine + at) ? '>' : ' '}${String(firstLine + at).padStart(5)}| ${line}`)
    .join('\n')
}

const countOf = ({ data, total, complete }: { data: readonly unknown[]; total: number; complete: boolean }): string =>
  `${data.length} of ${complete ? '' : 'at least '}${total}`

/** Arguments of a tool with the bound of an answer in place of that of the code in it. */
const argsOf = <Properties extends object>({ properties }: { properties: Properties }) => ({
  ...at,
  ...properties,
  max_tokens: MaxTokens,
})

/** Notices of the server hold numbers and words of ours alone. */
const noticed = ({ notice }: { notice: string | null }): string => notice ?? ''

export const searchCode = defineTool({
  name: 'search_code',
  title: 'Search code',
  description:
    'Searches the code of an indexed project by words, names, messages, paths and similarity; what stands in double ' +
    'quotes must be there exactly. Gives places with the lines around them, best first.',
  input: Type.Object(argsOf(search.args), { additionalProperties: false }),
  output: search.answer,
  hints: READS,
  async run(args, caller) {
    return await askCode<Static<typeof search.answer>>({ name: 'search', args }, caller, answer => {
      const text = answer.data
        .map(hit => {
          const lines = numbered(hit.snippet, hit.snippet_line, hit.highlighted_lines)
          const differs = hit.differs === true ? ', reads otherwise at this commit' : ''
          return `${hit.path}:${hit.start_line}-${hit.end_line} (${hit.reason}${differs})\n${lines}`
        })
        .join('\n\n')
      const sentences = [`${countOf(answer)} hits.`, noticed(answer)]
      return { sentences, quoted: { label: 'code', text } }
    })
  },
})

export const readCode = defineTool({
  name: 'read_code',
  title: 'Read code',
  description: 'Lines of a file of an indexed project, with their numbers, at the indexed commit or at another one.',
  input: Type.Object(argsOf(read.args), { additionalProperties: false }),
  output: read.answer,
  hints: READS,
  async run(args, caller) {
    return await askCode<Static<typeof read.answer>>({ name: 'read', args }, caller, answer => {
      const { path, text, start_line: from, end_line: to, total_lines: total } = answer
      if (total === 0) return { sentences: ['The file is empty.'], quoted: { label: 'code', text: path } }
      const sentences = [`Lines ${from} to ${to} of ${total}.`, noticed(answer)]
      return { sentences, quoted: { label: 'code', text: `${path}\n${numbered(text, from)}` } }
    })
  },
})

export const findDefinition = defineTool({
  name: 'find_definition',
  title: 'Find definitions',
  description:
    'Where a function, method, class or the like is defined, by its exact name (`average`, `Cart.summary`), with the ' +
    'first lines of each definition.',
  input: Type.Object(argsOf(definition.args), { additionalProperties: false }),
  output: definition.answer,
  hints: READS,
  async run(args, caller) {
    return await askCode<Static<typeof definition.answer>>({ name: 'definitions', args }, caller, answer => {
      const text = answer.data
        .map(({ path, kind, container, name, start_line: from, end_line: to, code }) => {
          const called = container === null ? name : `${container}.${name}`
          return `${path}:${from}-${to} ${kind ?? 'by its look'} ${called}\n${numbered(code, from)}`
        })
        .join('\n\n')
      return { sentences: [`${countOf(answer)} definitions.`, noticed(answer)], quoted: { label: 'code', text } }
    })
  },
})

export const findReferences = defineTool({
  name: 'find_references',
  title: 'Find references',
  description:
    'The lines of a project that name something, its definitions among them, each with the function around it.',
  input: Type.Object(argsOf(references.args), { additionalProperties: false }),
  output: references.answer,
  hints: READS,
  async run(args, caller) {
    return await askCode<Static<typeof references.answer>>({ name: 'references', args }, caller, answer => {
      const text = answer.data
        .map(({ path, line, text: code, scope, is_definition: defines }) => {
          const where = scope === null ? '' : `  [in ${scope}]`
          return `${path}:${line}: ${code}${where}${defines ? '  [definition]' : ''}`
        })
        .join('\n')
      return { sentences: [`${countOf(answer)} lines.`, noticed(answer)], quoted: { label: 'code', text } }
    })
  },
})

export const explainLineHistory = defineTool({
  name: 'explain_line_history',
  title: 'Explain the history of lines',
  description: 'Who changed these lines of a file when, newest first, with what each commit did to them.',
  input: Type.Object(argsOf(history.args), { additionalProperties: false }),
  output: history.answer,
  hints: READS,
  async run(args, caller) {
    return await askCode<Static<typeof history.answer>>({ name: 'history', args }, caller, answer => {
      const text = answer.data
        .map(({ commit, author, date, summary, diff }) => `${commit} ${date} ${author}\n${summary}\n\n${diff}`)
        .join('\n\n')
      return { sentences: [`${countOf(answer)} commits.`, noticed(answer)], quoted: { label: 'history', text } }
    })
  },
})
