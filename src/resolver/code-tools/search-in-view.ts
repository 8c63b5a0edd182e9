import type { CodeAnswers, CodeInputs } from '../../core/code-tools.ts'
import type { SearchHit } from '../../core/resolution.ts'
import { fileIndexOf } from '../code/file-index.ts'
import type { CodeReader } from '../code/code-reader.ts'
import type { EmbedQuery } from '../ranking/rankers/dense.ts'
import { searchCode } from '../search/search.ts'
import type { CodeView } from './code-view.ts'
import { firstLines, pageOf, type Budget, type Page } from './page.ts'

type Shown = CodeAnswers['search_code']['data'][number]

/** Hits of all pages together, found anew for each page: some milliseconds. */
const MOST = 200
const DEFAULT_LIMIT = 10

/**
 * The hits of a project's search that are there at the commits of the view. What differs there from the index was
 * found as it is in the index.
 */
export async function searchInView(
  input: CodeInputs['search_code'],
  { view, reader, embedQuery }: { view: CodeView; reader: CodeReader; embedQuery: EmbedQuery },
  budget: Budget,
): Promise<Page<Shown> & { complete: boolean }> {
  const answer = await searchCode(input.query, { limit: MOST }, { reader, embedQuery })
  const files = fileIndexOf(view.files)
  const hits = answer.hits.filter(({ repository, path }) => files.at(path, repository) !== null)
  const page = await pageOf<SearchHit, Shown>(
    hits,
    { offset: input.offset ?? 0, limit: input.limit ?? DEFAULT_LIMIT },
    {
      show: hit => (view.isIndexed(hit.repository, hit.path) ? hit : { ...hit, differs: true }),
      textOf: item => `${item.path}\n${item.snippet}`,
      cut: (item, maxTokens) => ({ ...item, snippet: firstLines(item.snippet, { ...budget, maxTokens }) }),
    },
    budget,
  )
  const notice = [page.notice, answer.notice ?? null].filter(said => said !== null).join(' ')
  const complete = answer.complete && answer.hits.length < MOST
  return { ...page, notice: notice === '' ? null : notice, complete }
}
