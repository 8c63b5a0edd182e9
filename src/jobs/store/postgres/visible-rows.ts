import type { Visibility } from '../../../core/access.ts'
import type { Values } from './values.ts'

/** The condition for rows of `project_name` and `key_name` that somebody sees, as `seesWork` has it. */
export const visibleRows = (values: Values, { projects, keyName }: Visibility): string =>
  `(lower(project_name) = ANY (${values.add(projects, 'text[]')})
    OR (project_name IS NULL AND key_name = ${values.add(keyName, 'text')}))`

/** The SQL of conditions that all have to hold: those that are asked for, as `$1 IS NULL OR …` would read every row. */
export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`

/** A list, newest first. */
interface ListQuery {
  table: string
  columns: string
  /** The column of the order. */
  by: string
  conditions: readonly string[]
  /** Null: of all rows. */
  visibleTo: Visibility | null
  /** Whether rows of no project are seen with the key that made them. */
  hasKeys: boolean
  limit: number
}

/**
 * The statement of a list. For who sees some projects it takes the newest rows of each: asked for all of them at once,
 * the planner reads every row until it has found enough.
 */
export function listQuery(values: Values, query: ListQuery): string {
  const { table, columns, by, conditions, visibleTo, hasKeys } = query
  const limit = values.add(query.limit, 'bigint')
  const newest = (...own: string[]): string =>
    `SELECT ${columns} FROM ${table} ${where([...own, ...conditions])} ORDER BY ${by} DESC LIMIT ${limit}`
  if (visibleTo === null) return newest()
  const projects = values.add(visibleTo.projects, 'text[]')
  const parts = [
    `SELECT own.* FROM (SELECT DISTINCT unnest(${projects}) AS name) AS project,
       LATERAL (${newest('lower(project_name) = project.name')}) AS own`,
  ]
  if (hasKeys) {
    parts.push(`(${newest('project_name IS NULL', `key_name = ${values.add(visibleTo.keyName, 'text')}`)})`)
  }
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS seen ORDER BY ${by} DESC LIMIT ${limit}`
}
