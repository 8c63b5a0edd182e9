import type { IndexedRepository } from '../core/project.ts'
import { FaultlineError } from '../core/errors.ts'
import type { CommitReader } from '../repos/objects/commit-reader.ts'

/** What brings a clone that is asked about to this node. */
interface MissingClonesDeps {
  read: CommitReader['listFiles']
  /** What is indexed, by project. */
  indexed: () => Promise<Array<{ projectName: string; repositories: readonly IndexedRepository[] }>>
  bring: (wanted: { projectName: string } & IndexedRepository) => Promise<void>
}

const isTooLarge = (error: unknown): boolean => error instanceof FaultlineError && error.code === 'REPOSITORY_TOO_LARGE'

/**
 * Lists the files of a commit. That of an index is brought here where it is missing, as on a node that runs no jobs and
 * is to check a request.
 */
export const bringingMissing =
  ({ read, indexed, bring }: MissingClonesDeps): CommitReader['listFiles'] =>
  async (at, signal) => {
    try {
      return await read(at, signal)
    } catch (error) {
      if (isTooLarge(error) || signal?.aborted === true) throw error
      for (const { projectName, repositories } of await indexed()) {
        const found = repositories.find(
          ({ repository, commit }) => repository === at.repository && commit === at.commit,
        )
        if (found === undefined) continue
        await bring({ projectName, ...found })
        return await read(at, signal)
      }
      throw error
    }
  }
