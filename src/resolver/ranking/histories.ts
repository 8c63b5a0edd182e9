import type { ChangeHistory } from '../../repos/history/changes.ts'
import type { CodeReader } from '../code/code-reader.ts'
import type { RepositoryHistory, Histories } from './rankers/history.ts'

/** Reads what the commits up to one of a repository changed; null where its history is not there. */
export type ReadChanges = (repository: string, commit: string) => Promise<ChangeHistory | null>

interface HistoryOptions {
  readChanges: ReadChanges
  /** The commit of the trace by repository, where it is not the indexed one. */
  commits?: ReadonlyMap<string, string>
  /** When the crash was logged, in milliseconds since 1970; null where the text does not say. */
  tracedAt: number | null
}

/** Logs often leave the zone out, and clocks differ. */
const SLACK_S = 86_400

/** The history of each repository of the index, up to what ran when the trace was made. */
export async function historiesOf(
  { manifest }: Pick<CodeReader, 'manifest'>,
  { readChanges, commits, tracedAt }: HistoryOptions,
): Promise<Histories> {
  const latest = tracedAt === null ? Infinity : tracedAt / 1000 + SLACK_S
  const histories = new Map<string, RepositoryHistory>()
  await Promise.all(
    manifest.repositories.map(async ({ repository, commit }) => {
      const changes = await readChanges(repository, commit)
      if (changes === null) return
      const asked = commits?.get(repository) ?? commit
      const found = changes.commits.find(({ id }) => id === asked)
      const date = asked === commit ? Infinity : found?.date
      histories.set(repository, { changes, until: date === undefined ? null : Math.min(date, latest) })
    }),
  )
  return histories
}
