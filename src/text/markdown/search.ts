import type { SearchAnswer } from '../../contract/project.ts'
import { escapeLine, fenced, inlineCode } from './escape.ts'

/** The hits of a search in Markdown, each with its place, its reason and its lines. */
export function hitsMarkdown({ data, notice }: SearchAnswer): string {
  const hits = data.flatMap(({ path, start_line: from, end_line: to, reason, snippet }) => [
    `${inlineCode(`${path}:${from}-${to}`)} (${escapeLine(reason)})`,
    fenced(snippet),
  ])
  const notices = notice === undefined ? [] : [`> ${escapeLine(notice)}`]
  return [...(hits.length === 0 ? ['Nothing found.'] : hits), ...notices].join('\n\n')
}
