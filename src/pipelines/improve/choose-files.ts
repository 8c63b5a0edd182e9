import type { ImproveInput } from '../../contract/generation.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { SearchAnswer } from '../../core/resolution.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { BaseFiles } from '../steps/base/base-files.ts'
import { namedFiles } from '../steps/base/named-files.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { lineOfPath, readTomlSelection } from './select-toml.ts'

/** What selecting files needs. */
interface SelectDeps {
  /** @throws {FaultlineError} VALIDATION_FAILED */
  globTest: (globs: string[]) => (path: string) => boolean
}

/** What choosing files needs where nobody selected any. */
export interface ChooseDeps extends SelectDeps {
  /** The search of `GET /projects/{name}/search`. */
  search: (projectName: string, query: string, limit: number, signal?: AbortSignal) => Promise<SearchAnswer>
}

/** The files that a request selects, in one of two ways. */
interface Selection {
  select?: string[]
  select_toml?: string
}

/** The files that a request selects, of those that there are; null where it leaves the choice to us. */
export function selectedFiles(
  { globTest }: SelectDeps,
  { select, select_toml: toml }: Selection,
  paths: readonly string[],
): string[] | null {
  if (toml !== undefined) {
    const { paths: wanted } = readTomlSelection(toml)
    const known = new Set(paths)
    const missing = wanted.find(path => !known.has(path))
    if (missing !== undefined) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        `select_toml, line ${lineOfPath(toml, missing)}: there is no file ${JSON.stringify(missing)}.`,
        'Names with a dot are to be quoted: "main.py" = "selected".',
      )
    }
    if (wanted.length === 0) {
      throw new FaultlineError(
        'VALIDATION_FAILED',
        'select_toml selects no file.',
        'Send [files] with "a/b.py" = "selected" for each file.',
      )
    }
    return wanted
  }
  if (select === undefined) return null
  const chosen = paths.filter(globTest(select))
  if (chosen.length === 0) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `No file fits select: ${JSON.stringify(select).slice(0, 200)}.`,
      'Globs are of whole paths: "src/**/*.py", "**/cart.ts".',
    )
  }
  return chosen
}

/** Tokens of the files that the retriever chooses: what a model of a common size reads with care. */
const BUDGET_TOKENS = 20_000
/** Characters of code a token, fewer than there are, so that the budget is not exceeded. */
const CHARS_PER_TOKEN = 3
const MAX_HITS = 60
const MAX_FILES = 40
/** More words of a request make a search no better. */
const QUERY_CHARS = 2_000

/** Files that were found for a request, with their size. */
interface Found {
  paths: string[]
  tokens: number
}

/**
 * The files of a project that a request is about: those that it names, then what the search finds for it, whole files
 * in that order as long as the budget lasts. The best one is there however large it is. Where nothing is found, the
 * first files of the project.
 */
async function findFiles(
  { search }: Pick<ChooseDeps, 'search'>,
  {
    base,
    projectName,
    repository,
    request,
  }: { base: BaseFiles; projectName: string; repository: string; request: string },
  signal?: AbortSignal,
): Promise<Found> {
  const { hits } = await search(projectName, request.slice(0, QUERY_CHARS).toWellFormed(), MAX_HITS, signal)
  const paths = await base.paths()
  const known = new Set(paths)
  const wanted = [
    ...namedFiles(request.slice(0, QUERY_CHARS), paths),
    ...hits.filter(hit => hit.repository === repository).map(({ path }) => path),
  ].filter(path => known.has(path))
  const chosen: string[] = []
  let chars = 0
  for (const path of new Set(wanted.length > 0 ? wanted : paths)) {
    if (chosen.length >= MAX_FILES) break
    const text = await base.read(path)
    if (text === null || (chosen.length > 0 && chars + text.length > BUDGET_TOKENS * CHARS_PER_TOKEN)) continue
    chars += text.length
    chosen.push(path)
    if (wanted.length === 0 && chars > BUDGET_TOKENS) break
  }
  return { paths: chosen, tokens: Math.ceil(chars / CHARS_PER_TOKEN) }
}

/** The files of a project that can be shown. @throws {FaultlineError} VALIDATION_FAILED: none can. */
async function readable(job: Pick<JobContext, 'log'>, base: BaseFiles, paths: readonly string[]): Promise<string[]> {
  const unreadable = new Set<string>()
  for (const path of paths) if ((await base.read(path)) === null) unreadable.add(path)
  const left = [...unreadable].join(', ').slice(0, 1000)
  if (unreadable.size === paths.length) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `None of the selected files is a text of up to 1 MiB: ${left}.`,
      'Select other files.',
    )
  }
  if (unreadable.size > 0) job.log(`Left out of the selection, as they are no text of up to 1 MiB: ${left}.`)
  return paths.filter(path => !unreadable.has(path))
}

/**
 * The paths that the model is shown: those selected, else all that were sent, or what fits the request best of a
 * project.
 */
export async function chooseFiles(
  job: Pick<JobContext, 'log' | 'signal'>,
  deps: ChooseDeps,
  { input, base, project }: { input: ImproveInput; base: BaseFiles; project: ProjectBase | null },
): Promise<string[]> {
  const paths = await base.paths()
  const selected = selectedFiles(deps, input, paths)
  if (selected !== null && project !== null) return readable(job, base, selected)
  if (selected !== null || project === null) return selected ?? [...paths]
  const found = await findFiles(deps, { base, ...project.at, request: input.prompt }, job.signal)
  job.log(`Chosen for the prompt, about ${found.tokens} tokens: ${found.paths.join(', ')}`.slice(0, 8000))
  return found.paths
}
