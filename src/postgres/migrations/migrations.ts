import { JOBS } from './0001-jobs.ts'
import { RESOLUTIONS } from './0002-resolutions.ts'
import { PROJECTS } from './0003-projects.ts'
import { CLONES } from './0004-clones.ts'
import { OBJECTS } from './0005-objects.ts'
import type { Migration } from './migration.ts'
import { NODES } from './0006-nodes.ts'
import { BESIDE } from './0007-beside.ts'
import { MOVES } from './0008-moves.ts'
import { KEPT_COMMITS } from './0009-kept-commits.ts'
import { COMMIT_MARKS } from './0010-commit-marks.ts'
import { SESSIONS } from './0011-sessions.ts'

/** All versions of the schema, the first one first. */
export const MIGRATIONS: readonly Migration[] = [
  JOBS,
  RESOLUTIONS,
  PROJECTS,
  CLONES,
  OBJECTS,
  NODES,
  BESIDE,
  MOVES,
  KEPT_COMMITS,
  COMMIT_MARKS,
  SESSIONS,
]
