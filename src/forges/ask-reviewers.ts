import type { ForgeKind } from '../core/forge-kind.ts'
import { codeOwners, codeOwnersPlaces } from './code-owners.ts'
import type { Forge, Person } from './forge.ts'

/** Who might know about a change. */
export interface ReviewRequest {
  number: number
  /** Files that it changes. */
  paths: readonly string[]
  /** Commits that are suspected of the fault, the likeliest first. */
  commits: readonly string[]
}

interface ReviewDeps {
  /** A file at the commit that the change is made to; null where there is none. */
  readText: (path: string) => Promise<string | null>
  /** @throws Where a glob cannot be used. */
  globTest: (globs: string[]) => (path: string) => boolean
}

const MAX_PEOPLE = 5
/** A wrong guess calls somebody for nothing. */
const MAX_AUTHORS = 1

async function ownersOf(
  kind: ForgeKind,
  paths: readonly string[],
  { readText, globTest }: ReviewDeps,
): Promise<string[]> {
  for (const place of codeOwnersPlaces(kind)) {
    const text = await readText(place)
    if (text !== null) return codeOwners(text, { kind, paths, globTest })
  }
  return []
}

/**
 * Asks the owners of the changed files, and whoever wrote the likeliest suspect, to look at a request: those whom the
 * forge knows, and never whoever opens it.
 *
 * @returns Whom the forge took.
 */
export async function askForReview(
  forge: Forge,
  { number, paths, commits }: ReviewRequest,
  deps: ReviewDeps,
  signal: AbortSignal,
): Promise<Person[]> {
  const owners = await ownersOf(forge.kind, paths, deps)
  const names = owners.flatMap(owner => /^@(.+)$/.exec(owner)?.[1] ?? [])
  const isTeam = (name: string): boolean => name.includes('/')
  const me = await forge.me(signal)
  const people = new Map<string, Person>()
  const add = (person: Person | null): void => {
    if (person === null) return
    if (person.isTeam === true) people.set(`team ${person.id}`, person)
    else if (person.id !== me) people.set(person.id, person)
  }
  const ofPeople = names.filter(name => !isTeam(name)).slice(0, MAX_PEOPLE)
  for (const name of ofPeople) add(await forge.personNamed(name, signal))
  for (const name of names.filter(isTeam)) add(forge.teamNamed(name))
  for (const commit of commits.slice(0, MAX_AUTHORS)) add(await forge.authorOf(commit, signal))
  return await forge.askReviewers(number, [...people.values()].slice(0, MAX_PEOPLE), signal)
}
