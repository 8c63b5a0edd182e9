import type { KeptResolutionAnswer, ResolutionRow } from '../contract/kept-resolution.ts'
import type { ProjectAnswer } from '../contract/project.ts'

/** One line of a file of crashes, as `bench/eval/` and other tools read it: docs/evaluation.md. */
interface EvaluationCase {
  id: string
  /** `owner/name`, or a name alone where the remote has no owner. */
  repo: string
  language: string
  base_commit: string
  trace: string
  gold_files: string[]
  /** Nobody says which lines had to change. */
  gold_lines: Array<{ file: string; start: number; end: number }>
  /** Whether a frame of the trace is in one of the files. */
  in_trace: boolean
  /** Only what people have checked belongs here, and nobody checks frames. */
  frames_in_repo: Array<{ file: string; line: number }>
  helpful: boolean
  note: string
  source: string
}

/** `owner/name` of the address of a remote; the name alone of a repository on this machine. */
export function repoName(url: string): string {
  const parts = url
    .replace(/\.git\/?$/, '')
    .split(/[/:]/)
    .filter(part => part !== '')
  const isLocal = /^(?:file:|[./])/.test(url)
  return parts.slice(isLocal ? -1 : -2).join('/')
}

/** The repository that the answer's commit belongs to; a project that was deleted has none any more. */
function repoOf(
  { commit, frames }: Pick<KeptResolutionAnswer, 'commit' | 'frames'>,
  project: Pick<ProjectAnswer, 'project_name' | 'repositories'>,
): string {
  const named = frames.find(({ repository }) => repository !== null)?.repository
  const { repositories } = project
  const found =
    repositories.find(({ repository }) => repository === named) ??
    repositories.find(one => one.commit === commit) ??
    repositories[0]
  return found === undefined ? project.project_name : repoName(found.url)
}

/**
 * A judged answer as a case of the evaluation. Null where nobody has named the file that really had to change, or the
 * trace was too long to be kept: neither can be made up.
 */
export function evaluationCase(
  row: Pick<ResolutionRow, 'id' | 'feedback'>,
  answer: Pick<KeptResolutionAnswer, 'commit' | 'frames' | 'exceptions' | 'stacktrace'>,
  project: Pick<ProjectAnswer, 'project_name' | 'repositories'>,
): EvaluationCase | null {
  const files = [...new Set(row.feedback.flatMap(({ actual_path: path }) => path ?? []))]
  const trace = answer.stacktrace ?? ''
  if (files.length === 0 || trace === '') return null
  const mapped = new Set(answer.frames.map(({ path }) => path))
  const root = answer.exceptions.findLast(({ relation }) => relation === 'root')
  return {
    id: row.id,
    repo: repoOf(answer, project),
    language: root?.language ?? 'unknown',
    base_commit: answer.commit,
    trace,
    gold_files: files,
    gold_lines: [],
    in_trace: files.some(file => mapped.has(file)),
    frames_in_repo: [],
    helpful: row.feedback.at(-1)?.helpful ?? false,
    note: row.feedback.flatMap(({ comment }) => comment ?? []).join(' / '),
    source: 'feedback',
  }
}
