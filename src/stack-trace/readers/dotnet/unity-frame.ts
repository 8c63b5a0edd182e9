import { dotnetName } from './dotnet-name.ts'
import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'

const PLACED =
  /^([\p{L}_<][\p{L}\p{N}_.+<>`|[\],-]{0,500}?[.:][\p{L}\p{N}_.<>`|[\],-]{1,300}) ?\([^()]{0,1000}\) (?:\[0x[0-9a-f]{1,8}\] )?\((?:at|in) (\S.{0,500}):(\d{1,9})\)$/u
const CALL = /^([\p{L}_<][\p{L}\p{N}_.+<>`|]{0,300}:[\p{L}\p{N}_.<>`|]{1,300}) ?\([^()]{0,1000}\)$/u
const MODULE = /^<[^<>]*>$/

const nameOf = (printed: string): string => dotnetName(printed.replace(':', '.'))

/**
 * A row of Unity, which puts no `at` in front: `Shop.Till.Open (System.Int32 n) (at Assets/Till.cs:12)`; null for
 * another line.
 */
export function unityFrame(line: string): RawFrame | null {
  const raw = line.trim()
  const match = raw.endsWith(')') && raw.includes(' (') ? PLACED.exec(raw) : null
  if (match === null) return null
  const [, name = '', file = '', number] = match
  const place = MODULE.test(file) ? {} : { file, line: number }
  return newFrame(raw, { function: nameOf(name), ...place })
}

/** A row without a place, `UnityEngine.Debug:LogException(Exception, Object)`: one only inside a stack. */
export function unityCall(line: string): RawFrame | null {
  const raw = line.trim()
  const name = raw.endsWith(')') && raw.includes(':') ? CALL.exec(raw)?.[1] : undefined
  return name === undefined ? null : newFrame(raw, { function: nameOf(name) })
}
