import type { CodeAnswers } from '../../../core/code-tools.ts'
import { showLine } from '../../../core/visible-text.ts'
import { counted } from '../../steps/counted.ts'
import type { CodeQuestion, CodeToAsk } from './tools.ts'

/** Lines of a file that the model was shown; 1-based and inclusive. */
export interface ReadLines {
  repository: string
  path: string
  startLine: number
  endLine: number
}

/** What a tool answered, for the model and for those who read what it did. */
interface ShownAnswer {
  /** Written by others, so it is shown as data. */
  text: string
  /** One line in our words. */
  summary: string
  isEmpty: boolean
  tokens: number
  lines: ReadLines[]
}

const MAX_REFERENCE_SOURCES = 25

/** Code with the number of each line. */
const numbered = (text: string, startLine: number): string =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, i) => `${String(startLine + i).padStart(6)} | ${showLine(line)}`)
    .join('\n')

/** The parts of an answer one after the other, and what was left out. */
function inParts(parts: readonly string[], notice: string | null, none: string): string {
  const said = parts.length === 0 ? [none] : parts
  return [...said, ...(notice === null ? [] : [notice])].join('\n\n')
}

const rangeOf = ({ path, startLine, endLine }: Omit<ReadLines, 'repository'>): string =>
  `${showLine(path)}:${startLine}-${endLine}`

const lastLine = (text: string, startLine: number): number => startLine + text.replace(/\n$/, '').split('\n').length - 1

function hitsShown({ data, notice, tokens, total }: CodeAnswers['search_code']): ShownAnswer {
  const parts = data.map(
    ({ path, startLine, endLine, snippet, snippetLine }) =>
      `${rangeOf({ path, startLine, endLine })}\n${numbered(snippet, snippetLine)}`,
  )
  return {
    text: inParts(parts, notice, 'Nothing in the code fits these words.'),
    summary: counted(total, 'hit'),
    isEmpty: data.length === 0,
    tokens,
    lines: data.map(({ repository, path, snippet, snippetLine }) => ({
      repository,
      path,
      startLine: snippetLine,
      endLine: lastLine(snippet, snippetLine),
    })),
  }
}

function linesShown({
  repository,
  path,
  startLine,
  endLine,
  totalLines,
  text,
  notice,
  tokens,
}: CodeAnswers['read_code']): ShownAnswer {
  const isEmpty = endLine < startLine
  const place = `${rangeOf({ path, startLine, endLine })} of ${counted(totalLines, 'line')}`
  return {
    text: inParts([isEmpty ? `${showLine(path)} is empty.` : `${place}\n${numbered(text, startLine)}`], notice, ''),
    summary: isEmpty ? `${showLine(path)} is empty` : place,
    isEmpty,
    tokens,
    lines: isEmpty ? [] : [{ repository, path, startLine, endLine }],
  }
}

function definitionsShown({ data, notice, tokens, total }: CodeAnswers['find_definition']): ShownAnswer {
  const parts = data.map(({ name, kind, container, path, startLine, endLine, code }) => {
    const within = container === null ? '' : ` in ${showLine(container)}`
    const title = `${kind ?? 'definition of'} ${showLine(name)}${within}: ${rangeOf({ path, startLine, endLine })}`
    return `${title}\n${numbered(code, startLine)}`
  })
  return {
    text: inParts(parts, notice, 'Nothing of that name is defined here.'),
    summary: counted(total, 'definition'),
    isEmpty: data.length === 0,
    tokens,
    lines: data.map(({ repository, path, startLine, codeEndLine }) => ({
      repository,
      path,
      startLine,
      endLine: Math.max(startLine, codeEndLine),
    })),
  }
}

function referencesShown({ data, notice, tokens, total }: CodeAnswers['find_references']): ShownAnswer {
  const rows = data.map(({ path, line, text, isDefinition, scope }) => {
    const within = scope === null ? '' : ` (in ${showLine(scope)})`
    return `${showLine(path)}:${line}: ${showLine(text)}${isDefinition ? ' (its definition)' : within}`
  })
  return {
    text: inParts(rows.length === 0 ? [] : [rows.join('\n')], notice, 'Nothing uses that name here.'),
    summary: counted(total, 'reference'),
    isEmpty: data.length === 0,
    tokens,
    lines: data
      .slice(0, MAX_REFERENCE_SOURCES)
      .map(({ repository, path, line }) => ({ repository, path, startLine: line, endLine: line })),
  }
}

function historyShown(answer: CodeAnswers['explain_line_history']): ShownAnswer {
  const { repository, path, startLine, endLine, data, notice, tokens, total } = answer
  const parts = data.map(({ commit, author, date, summary, diff }) => {
    const head = `${commit.slice(0, 12)} ${showLine(author)} ${date} ${showLine(summary)}`
    return [head, ...diff.replace(/\n$/, '').split('\n').map(showLine)].join('\n')
  })
  return {
    text: inParts([rangeOf({ path, startLine, endLine }), ...parts], notice, ''),
    summary: counted(total, 'commit'),
    isEmpty: data.length === 0,
    tokens,
    lines: [{ repository, path, startLine, endLine }],
  }
}

/**
 * Asks the code of a project.
 *
 * @throws {FaultlineError} As the tools do.
 */
export async function askCode(
  code: CodeToAsk,
  { tool, input }: CodeQuestion,
  signal: AbortSignal,
): Promise<ShownAnswer> {
  switch (tool) {
    case 'search_code':
      return hitsShown(await code.searchCode(input, signal))
    case 'read_code':
      return linesShown(await code.readCode(input, signal))
    case 'find_definition':
      return definitionsShown(await code.findDefinition(input, signal))
    case 'find_references':
      return referencesShown(await code.findReferences(input, signal))
    case 'explain_line_history':
      return historyShown(await code.explainLineHistory(input, signal))
  }
}
