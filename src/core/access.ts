/** What somebody may do: reading, or changing things and calling models, too, and with which projects. */
export interface Access {
  mayWrite: boolean
  /** Names in lower case; null for all projects. */
  projects: readonly string[] | null
}

/** What whoever has no key may do where there are no keys, and any key that is bound to nothing. */
export const FULL_ACCESS: Access = { mayWrite: true, projects: null }

/** What whoever has no key may do where keys are needed. */
export const NO_ACCESS: Access = { mayWrite: false, projects: [] }

/** Which jobs and records are seen: those of some projects, and of none those of one key. */
export interface Visibility {
  /** Names in lower case. */
  projects: readonly string[]
  keyName: string | null
}

/** Whether a project exists for somebody; the name need not be that of a project. */
export const seesProject = ({ projects }: Pick<Access, 'projects'>, name: string): boolean =>
  projects === null || projects.includes(name.toLowerCase())

/** What is of no project belongs to the key that made it, as far as keys are concerned that see some projects only. */
export function seesWork(
  visibility: Visibility | null,
  { projectName, keyName }: { projectName: string | null; keyName: string | null },
): boolean {
  if (visibility === null) return true
  return projectName === null ? keyName === visibility.keyName : seesProject(visibility, projectName)
}

/** What the owner of a key sees; null for everything. */
export const visibilityOf = ({ projects }: Access, keyName: string | null): Visibility | null =>
  projects === null ? null : { projects, keyName }
