import { PROJECTS } from './0001-projects.ts'
import { CLONES } from './0002-clones.ts'
import { OBJECTS } from './0003-objects.ts'
import type { Migration } from './migration.ts'

/** All versions of the schema, the first one first. */
export const MIGRATIONS: readonly Migration[] = [PROJECTS, CLONES, OBJECTS]
