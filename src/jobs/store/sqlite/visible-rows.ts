import type { Visibility } from '../../../core/access.ts'

/** The condition for rows of `project_name` and `key_name` that somebody sees, as `seesWork` has it. */
export const VISIBLE = `(:visible IS NULL OR lower(project_name) IN (SELECT value FROM json_each(:visible))
  OR (project_name IS NULL AND key_name = :visibleKey))`

/** The parameters of `VISIBLE`. */
export const visibleRows = (visibleTo: Visibility | null = null) => ({
  visible: visibleTo === null ? null : JSON.stringify(visibleTo.projects),
  visibleKey: visibleTo?.keyName ?? null,
})
