import type { ProjectAnswer, SearchAnswer } from '../../contract/project.ts'
import type { Paint } from './output.ts'
import { bytes, columns, count, shortCommit } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

const NONE = 'No projects yet. Make one with "faultline clone <url>".'

const stateText = (state: ProjectAnswer['index_state'], paint: Paint): string =>
  paint(state === 'ready' ? 'green' : state === 'failed' ? 'red' : 'yellow', state)

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
        .map(({ repository, commit }) => `${printableLine(repository)} @ ${shortCommit(commit)}`)
        .join(', '),
    ]),
  )
}

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
    ...project.repositories.flatMap(({ repository, url, branch, commit, history, indexed_at: indexedAt }) => [
      [
        'Repository',
        `${printableLine(repository)} @ ${shortCommit(commit)}${branch === null ? '' : ` (${printableLine(branch)})`}, history ${history}, indexed ${indexedAt}`,
      ],
      ['', printableLine(url)],
    ]),
  ])
}

export function hitsText({ data, complete, notice }: SearchAnswer, paint: Paint): string {
  const hits = data.map(hit =>
    [
      `${paint(['bold', 'cyan'], `${printableLine(hit.path)}:${hit.start_line}-${hit.end_line}`)}  ${paint('dim', `${hit.reason}, score ${hit.score.toFixed(3)}, ${printableLine(hit.repository)}`)}`,
      ...printable(hit.snippet)
        .trimEnd()
        .split('\n')
        .map((line, at) =>
          hit.highlighted_lines.includes(hit.snippet_line + at) ? paint('yellow', `>>> ${line}`) : `    ${line}`,
        ),
    ].join('\n'),
  )
  if (!complete) {
    hits.push('The project is too large to look through all of it for what is quoted: quote a whole word, too.')
  }
  const text = hits.length === 0 ? 'Nothing found.' : hits.join('\n\n')
  return notice === undefined ? text : `${text}\n\n${printableLine(notice)}`
}
