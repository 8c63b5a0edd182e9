import type { Visibility } from '../../../core/access.ts'
import type { Values } from './values.ts'

/** The condition for rows of `project_name` and `key_name` that somebody sees, as `seesWork` has it. */
export const visibleRows = (values: Values, { projects, keyName }: Visibility): string =>
  `(lower(project_name) = ANY (${values.add(projects, 'text[]')})
    OR (project_name IS NULL AND key_name = ${values.add(keyName, 'text')}))`

/** The SQL of conditions that all have to hold: those that are asked for, as `$1 IS NULL OR …` would read every row. */
export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
