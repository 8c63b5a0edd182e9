import { createHash } from 'node:crypto'
import type { MappedFrame, ParsedException } from '../../core/frame.ts'
import { baseName, isOfLibrary } from '../../core/path-names.ts'
import { framePath } from '../mapping/frame-path.ts'
import { messageShape } from './message-shape.ts'

const HEX_DIGITS = 32
const MAX_FUNCTION_CHARS = 400
/** The hash that a bundler puts into a file's name; it differs in each build. */
const BUILD_HASH = /(?<=[.-])(?:[0-9a-f]{8,32}|(?=[\w-]{0,7}\d)[\w-]{8})(?=\.)/

/**
 * A printed function without what differs between builds or calls: arguments, addresses, hashes and the numbers of
 * generated names.
 */
function stableFunction(printed: string | null): string {
  if (printed === null) return ''
  const call = /[\p{L}\p{N}_$>\]]\(/u.exec(printed.slice(0, MAX_FUNCTION_CHARS))
  return printed
    .slice(0, call === null ? MAX_FUNCTION_CHARS : call.index + 1)
    .replace(/ \[as [^\]]{0,200}\]$/, '')
    .replace(/::h[0-9a-f]{16}$/, '')
    .replace(/0x[0-9a-f]+/gi, '#')
    .replace(/\$\$[0-9a-f]{6,16}(?![\p{L}\p{N}_])/gu, '$$$$#') // of a generated class
    .replace(/(\$|__|\$Proxy|Accessor|func|lambda|closure#|DisplayClass|\{closure:)\d+(?:_\d+)*/g, '$1#')
}

/** The path in the repository, or else the base name as it was printed. */
function fileOf({ path, file }: MappedFrame): string {
  if (path !== null) return path
  return file === null ? '' : baseName(framePath(file).path || file).replace(BUILD_HASH, '#')
}

const placeOf = (frame: MappedFrame): string => `${fileOf(frame)}:${stableFunction(frame.function)}`

/**
 * A name for a fault that stays the same when lines shift, paths begin differently or values in the message change. It
 * is a hash of the exception's type, its message without values, the file and function of its frames, and the code of
 * the failing line where the runtime printed it, because two lines of one function are two faults. The frames are those
 * in the project's own code; without any, those in libraries that the repository keeps; without these, all of them.
 *
 * @param frames - The frames of this exception.
 * @returns null when there is nothing to tell one fault from another.
 */
export function fingerprint(exception: ParsedException, frames: readonly MappedFrame[]): string | null {
  const inProject = frames.filter(frame => frame.inProject)
  const telling =
    [inProject.filter(({ path }) => path !== null && !isOfLibrary(path)), inProject].find(({ length }) => length > 0) ??
    frames
  const message = exception.message === null ? null : messageShape(exception.message)
  if (exception.type === null && message === null && telling.length === 0) return null
  // Recursion of another depth, direct or through several functions, is the same fault.
  const places = [...new Set(telling.map(placeOf))]
  const code = telling.at(-1)?.sourceText?.replace(/\s+/g, ' ').trim() ?? null
  return createHash('sha256')
    .update(JSON.stringify([exception.type, message, places, code]))
    .digest('hex')
    .slice(0, HEX_DIGITS)
}
