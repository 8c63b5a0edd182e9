import type { Frame } from '../../../src/core/frame.ts'
import { mapFrames } from '../../../src/resolver/mapping/map-frames.ts'
import { numberedFile } from '../../fakes/memory-code-reader.ts'

/** A frame at line 2 of a file, as a runtime printed it. */
export function frame(file: string | null, place: Partial<Frame> = {}): Frame {
  return {
    index: 0,
    exception: 0,
    raw: '',
    file,
    line: 2,
    column: null,
    function: null,
    sourceText: null,
    repeat: 1,
    ...place,
  }
}

/** Maps frames against files given as path → text. */
export function map(files: Record<string, string>, frames: Frame[], repository = 'shop') {
  const list = Object.keys(files).map(path => ({ repository, path }))
  return mapFrames(frames, list, (_, path) => files[path] ?? null)
}

export function mapOne(files: Record<string, string>, one: Frame, repository?: string) {
  const [mapped] = map(files, [one], repository)
  if (mapped === undefined) throw new Error('one frame in, one frame out')
  return mapped
}

export const CODE = numberedFile(50)

export const SHORT = 'x = 1\n'
