import type { Database } from '../postgres/database.ts'
import type { createSharedGenerations } from '../replication/generations.ts'
import type { ProjectTable } from '../replication/project-table.ts'
import type { Store } from '../vecstore/store.ts'
import type { Direction } from './direction.ts'
import type { MovePart } from './part.ts'
import { obstacleOf } from './obstacle.ts'

interface ProjectsDeps {
  /** The indexes of the single machine. */
  store: Store
  table: ProjectTable
  db: Database
  generations: Pick<ReturnType<typeof createSharedGenerations>, 'takeOver' | 'restore' | 'difference' | 'published'>
  /** Looks through the published files of a project. @returns Their bytes; null: nothing is published. */
  measure: (project: string, signal: AbortSignal) => Promise<number | null>
  direction: Direction
}

/** Who published what no node did. */
const MOVER = 'faultline move'

/** The projects with their settings, and what is published of each. */
export function createProjectsPart({ store, table, db, generations, measure, direction }: ProjectsDeps): MovePart {
  const isThere = direction === 'to_cluster'
  const list = async (): Promise<string[]> => (isThere ? await store.listProjects() : await table.list())

  async function bringThere(project: string, signal: AbortSignal): Promise<void> {
    const { createdAt, settings } = await store.readOrigin(project)
    await db.query(
      `INSERT INTO projects (key, name, created_at, settings) VALUES ($1, $2, $3, $4)
       ON CONFLICT (key) DO UPDATE SET name = excluded.name, created_at = excluded.created_at,
         settings = excluded.settings`,
      [project.toLowerCase(), project, createdAt, settings === null ? null : JSON.stringify(settings)],
    )
    const outcome = await generations.takeOver(project, MOVER, signal)
    if (outcome === 'behind') throw new Error(`another generation of project ${project} is published in the cluster`)
  }

  async function bringHere(project: string, signal: AbortSignal): Promise<void> {
    const origin = await table.find(project)
    if (origin === null) return
    await store.adoptProject(origin.projectName, origin)
    await generations.restore(origin.projectName, signal)
  }

  async function differences(project: string, signal: AbortSignal): Promise<string[]> {
    const [here, there] = [await store.readOrigin(project), await table.find(project)]
    if (there === null) return [`project ${project}: the cluster does not know it`]
    const isSame =
      new Date(here.createdAt).getTime() === new Date(there.createdAt).getTime() &&
      JSON.stringify(here.settings) === JSON.stringify(there.settings)
    const index = await generations.difference(project, signal)
    return [
      ...(isSame ? [] : [`project ${project}: its settings differ`]),
      ...(index === null ? [] : [`project ${project}: ${index}`]),
    ]
  }

  return {
    name: 'projects',

    async look(signal) {
      const obstacles = []
      let bytes = 0
      const projects = await list()
      for (const project of projects) {
        signal.throwIfAborted()
        try {
          if (isThere) await store.readOrigin(project)
          const size = isThere ? await measure(project, signal) : null
          bytes += size ?? 0
        } catch (error) {
          obstacles.push(obstacleOf(error))
        }
      }
      return { items: projects.length, bytes: isThere ? bytes : null, obstacles, notes: [] }
    },

    async move(onProgress, signal) {
      const projects = await list()
      for (const [done, project] of projects.entries()) {
        signal.throwIfAborted()
        await (isThere ? bringThere(project, signal) : bringHere(project, signal))
        onProgress(done + 1, projects.length)
      }
    },

    async check(onProgress, signal) {
      const projects = await list()
      const found = []
      for (const [done, project] of projects.entries()) {
        signal.throwIfAborted()
        onProgress(done, projects.length)
        found.push(await differences(project, signal))
      }
      return { same: found.filter(some => some.length === 0).length, differences: found.flat() }
    },
  }
}
