import type { Outline } from '../../core/outline.ts'
import { outlineC } from './c-family.ts'
import { outlineGo } from './go.ts'
import { outlineKotlin } from './kotlin.ts'
import { outlinePhp } from './php.ts'
import { outlineScala } from './scala.ts'
import { outlineSwift } from './swift.ts'
import { outlineRuby } from './ruby.ts'
import { outlineShell } from './shell.ts'
import { outlineSql } from './sql.ts'
import { outlineRust } from './rust.ts'
import { outlineCSharp, outlineJava } from './java.ts'
import { outlineJavaScript } from './javascript.ts'
import { outlinePython } from './python.ts'

type Scanner = (text: string) => Outline

const SCANNERS: ReadonlyMap<string, Scanner> = new Map<string, Scanner>([
  ['javascript', outlineJavaScript],
  ['typescript', outlineJavaScript],
  ['java', outlineJava],
  ['csharp', outlineCSharp],
  ['c', outlineC],
  ['cpp', outlineC],
  ['cuda', outlineC],
  ['arduino', outlineC],
  ['go', outlineGo],
  ['rust', outlineRust],
  ['kotlin', outlineKotlin],
  ['php', outlinePhp],
  ['scala', outlineScala],
  ['swift', outlineSwift],
  ['ruby', outlineRuby],
  ['shell', outlineShell],
  ['sql', outlineSql],
  ['python', outlinePython],
  ['cython', outlinePython],
])

/**
 * What a file defines and imports, read from its text alone: no grammar, one pass over the characters and one over the tokens.
 * Linear in the length of the text, never fails, and gives the same answer for the same text.
 *
 * @param text - Lines end at `\n` (see `decodeSource`).
 * @param language - As `languageOf` names it.
 * @returns null when there is no scanner for the language; an empty outline when nothing was found.
 */
export function outlineOf (text: string, language: string): Outline | null {
  return SCANNERS.get(language)?.(text) ?? null
}

export const OUTLINED_LANGUAGES: readonly string[] = [...SCANNERS.keys()]
