import type { Migration } from './migration.ts'

/** All versions of the schema, the first one first: a table of jobs begins at version 1. */
export const MIGRATIONS: readonly Migration[] = []
