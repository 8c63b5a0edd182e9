import type { ProjectSettings } from '../core/project.ts'
import type { Database, Row } from '../postgres/database.ts'

/** A project as all nodes know it. */
export interface SharedProject {
  /** In its stored spelling. */
  projectName: string
  /** Tells it from an earlier project of the name; ISO 8601. */
  createdAt: string
  /** Null where nobody set any. */
  settings: Partial<ProjectSettings> | null
}

/** The projects of a cluster. Names that differ in case alone are one. */
export interface ProjectTable {
  /** Stored spellings, newest project first. */
  list(): Promise<string[]>
  find(name: string): Promise<SharedProject | null>
  /** Does nothing where there is such a project. */
  create(name: string): Promise<void>
  /** Replaces the settings as a whole. @returns Whether there is such a project. */
  writeSettings(name: string, settings: ProjectSettings): Promise<boolean>
  /** @returns Whether there was such a project. */
  remove(name: string): Promise<boolean>
}

const keyOf = (name: string): string => name.toLowerCase()

const toProject = ({ name, created_at: createdAt, settings }: Row): SharedProject => ({
  projectName: String(name),
  createdAt: String(createdAt),
  settings: settings === null ? null : (JSON.parse(String(settings)) as Partial<ProjectSettings>),
})

/** The table over PostgreSQL. */
export function createProjectTable(db: Database): ProjectTable {
  return {
    async list() {
      const { rows } = await db.query('SELECT name FROM projects ORDER BY created_at DESC, name')
      return rows.map(({ name }) => String(name))
    },
    async find(name) {
      const { rows } = await db.query('SELECT name, created_at, settings FROM projects WHERE key = $1', [keyOf(name)])
      const [row] = rows
      return row === undefined ? null : toProject(row)
    },
    async create(name) {
      await db.query(
        `INSERT INTO projects (key, name, created_at)
         VALUES ($1, $2, date_trunc('milliseconds', clock_timestamp())) ON CONFLICT (key) DO NOTHING`,
        [keyOf(name), name],
      )
    },
    async writeSettings(name, settings) {
      const values = [keyOf(name), JSON.stringify(settings)]
      return (await db.query('UPDATE projects SET settings = $2 WHERE key = $1', values)).count > 0
    },
    async remove(name) {
      return (await db.query('DELETE FROM projects WHERE key = $1', [keyOf(name)])).count > 0
    },
  }
}
