import type { ProjectAnswer, SearchAnswer } from '../contract/project.ts'
import type { Paint } from './paint.ts'
import { bytes, columns, count, shortCommit, uncommittedText } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

const NONE = 'No projects yet. Make one with "faultline clone <url>".'

function stateText(state: ProjectAnswer['index_state'], paint: Paint): string {
  if (state === 'ready') return paint('green', state)
  return paint(state === 'failed' ? 'red' : 'yellow', state)
}

/** The projects as a table. */
export function projectsTable(projects: ProjectAnswer[], paint: Paint): string {
  if (projects.length === 0) return NONE
  return columns(
    projects.map(project => [
      paint('bold', project.project_name),
      stateText(project.index_state, paint),
      count(project.files_indexed, 'file'),
      count(project.chunks_total, 'chunk'),
      bytes(project.store_bytes),
      project.repositories
        .map(
          ({ repository, commit, uncommitted_files: files }) =>
            `${printableLine(repository)} @ ${shortCommit(commit)}${uncommittedText(files)}`,
        )
        .join(', '),
    ]),
  )
}

function repositoryRows(repository: ProjectAnswer['repositories'][number]): string[][] {
  const { repository: name, url, branch, commit, history, indexed_at: indexedAt, uncommitted_files: files } = repository
  const onBranch = branch === null ? '' : ` (${printableLine(branch)})`
  const place = `${printableLine(name)} @ ${shortCommit(commit)}${onBranch}${uncommittedText(files)}`
  return [
    ['Repository', `${place}, history ${history}, indexed ${indexedAt}`],
    ['', printableLine(url)],
  ]
}

/** A server of an earlier release says nothing of problems. */
const problemRows = ({ problem = null }: ProjectAnswer): string[][] =>
  problem === null
    ? []
    : [
        ['Problem', printableLine(problem.detail)],
        ['', printableLine(problem.fix)],
      ]

/** How the index follows its remotes; a server of an earlier release says nothing of it. */
function syncRow({ sync }: Partial<Pick<ProjectAnswer, 'sync'>>): string[][] {
  if (sync === undefined) return []
  return [['Sync', sync === null ? 'when asked for, or when a webhook tells of a push' : `every ${sync.every}`]]
}

/** Everything about one project, a row each. */
export function projectText(project: ProjectAnswer, paint: Paint): string {
  const counts = (values: Record<string, number>) =>
    Object.entries(values)
      .sort(([, a], [, b]) => b - a)
      .map(([name, number]) => `${number} ${name.replaceAll('_', ' ')}`)
      .join(', ') || '-'
  const { embedding } = project
  return columns([
    ['Project', paint('bold', project.project_name)],
    ['Index', stateText(project.index_state, paint)],
    ...problemRows(project),
    ['Files', `${project.files_indexed} (${counts(project.languages)})`],
    ['Left out', counts(project.files_skipped)],
    ['Chunks', String(project.chunks_total)],
    [
      'Embedding',
      embedding === null
        ? '-'
        : `${embedding.provider}, ${printableLine(embedding.model)}, ${embedding.dimensions} dimensions`,
    ],
    ['On disk', bytes(project.store_bytes)],
    ...syncRow(project),
    ...project.repositories.flatMap(repositoryRows),
  ])
}

function hitText(hit: SearchAnswer['data'][number], paint: Paint): string {
  const place = `${printableLine(hit.path)}:${hit.start_line}-${hit.end_line}`
  const why = `${hit.reason}, score ${hit.score.toFixed(3)}, ${printableLine(hit.repository)}`
  const lines = printable(hit.snippet)
    .trimEnd()
    .split('\n')
    .map((line, at) => {
      const isHighlighted = hit.highlighted_lines.includes(hit.snippet_line + at)
      return isHighlighted ? paint('yellow', `>>> ${line}`) : `    ${line}`
    })
  return [`${paint(['bold', 'cyan'], place)}  ${paint('dim', why)}`, ...lines].join('\n')
}

/** The hits of a search, each with its place, its reason and its lines. */
export function hitsText({ data, complete, notice, uncommitted_files: files }: SearchAnswer, paint: Paint): string {
  const hits = data.map(hit => hitText(hit, paint))
  if (!complete) {
    hits.push('The project is too large to look through all of it for what is quoted: quote a whole word, too.')
  }
  const text = hits.length === 0 ? 'Nothing found.' : hits.join('\n\n')
  const read = files === undefined ? [] : [paint('dim', `Searched${uncommittedText(files)}.`)]
  return [text, ...read, ...(notice === undefined ? [] : [printableLine(notice)])].join('\n\n')
}
