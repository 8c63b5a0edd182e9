import { isOutput, mayBeCompiled } from './compiled-output.ts'
import { isInside } from '../code/definitions.ts'
import type { IndexedFile } from '../code/file-index.ts'
import type { FileMatch } from './file-match.ts'
import type { Place, Project } from './project.ts'
import { functionParts } from '../code/function-name.ts'
import { findBySourceMap } from './map-source.ts'
import { candidatesFor } from './candidates.ts'

const MAX_TRIED = 4
const MAX_FRAMES = 10

const outputFound = (file: IndexedFile, why: string): FileMatch => ({
  file,
  match: 'source_map',
  isUnindexed: true,
  why,
  candidates: [],
})

/** A name with a bundler's hash, or one that a bundler gives to one bundle alone. */
const isTelling = (name: string): boolean => /[.-](?:[0-9a-f]{8,32}|min)\.[cm]?js$/i.test(name)

function askedOf(file: IndexedFile, { frames }: Place, project: Project): { mapped: number; named: number } {
  const places = frames.slice(-MAX_FRAMES).map(frame => ({ frame, place: findBySourceMap(file, frame, project) }))
  const named = places.filter(({ frame, place }) => {
    const parts = functionParts(frame.function)
    return (
      place !== null &&
      parts !== null &&
      parts.name.length > 2 &&
      isInside(project.texts.lines(place.file.repository, place.file.path), place.codeLine ?? place.line, parts.name)
    )
  })
  return { mapped: places.filter(({ place }) => place !== null).length, named: named.length }
}

/**
 * The compiled file that a path means, where the repository tracks it, the index leaves it out, and its source map
 * leads to a source in the index.
 *
 * @param least - Segments that must agree; more than for the best file of the index.
 */
export function findOutput(place: Place, project: Project, least: number): FileMatch | null {
  const segments = place.path.path.split('/')
  const name = segments.at(-1) ?? ''
  if (!mayBeCompiled(name) || (least > 1 && !isOutput(segments))) return null
  const found = candidatesFor(place.path, project.outputs.compiled()).filter(
    ({ file, common }) => common >= least && project.index.at(file.path, file.repository) === null,
  )
  const tried = found
    .slice(0, MAX_TRIED)
    .map(({ file, common }) => ({ file, common, ...askedOf(file, place, project) }))
    .filter(({ mapped }) => mapped > 0)
    .sort((a, b) => b.common - a.common || b.named - a.named || b.mapped - a.mapped)
  const [best] = tried
  if (
    best === undefined ||
    (best.common === 1 && place.path.path.includes('/') && best.named === 0 && !isTelling(name))
  ) {
    return null
  }
  return outputFound(best.file, `the repository tracks ${best.file.path}`)
}

/** The same for a path below the folder of the repository that is known to have run. */
export function findOutputAt(path: string, place: Place, project: Project, repository?: string): FileMatch | null {
  const file = mayBeCompiled(path) ? project.outputs.compiled().at(path, repository) : null
  return file === null || askedOf(file, place, project).mapped === 0
    ? null
    : outputFound(file, `the repository tracks ${path}`)
}
