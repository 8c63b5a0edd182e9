/**
 * What one version of the schema adds. A version that was released is never changed. Schemas are widened first and
 * narrowed one release later, so that the release before keeps working beside this one.
 */
export interface Migration {
  /** What it is about, for people. */
  name: string
  sql: string
  /** The lowest version of the schema whose release still works with this one; default: any before it. */
  worksFrom?: number
}
