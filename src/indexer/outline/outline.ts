import type { Outline } from '../../core/outline.ts'
import { outlineC } from './c-family.ts'
import { outlineComponent } from './component.ts'
import { outlineGo } from './go.ts'
import { outlineCSharp, outlineJava } from './java.ts'
import { outlineJavaScript } from './javascript.ts'
import { outlineKotlin } from './kotlin.ts'
import { outlinePhp } from './php.ts'
import { outlinePython } from './python.ts'
import { outlineRuby } from './ruby.ts'
import { outlineRust } from './rust.ts'
import { outlineScala } from './scala.ts'
import { outlineShell } from './shell.ts'
import { outlineSql } from './sql.ts'
import { outlineSwift } from './swift.ts'

type Scanner = (text: string) => Outline

const SCANNERS: ReadonlyMap<string, Scanner> = new Map<string, Scanner>([
  ['arduino', outlineC],
  ['astro', outlineComponent],
  ['c', outlineC],
  ['cpp', outlineC],
  ['csharp', outlineCSharp],
  ['cuda', outlineC],
  ['cython', outlinePython],
  ['go', outlineGo],
  ['java', outlineJava],
  ['javascript', outlineJavaScript],
  ['kotlin', outlineKotlin],
  ['php', outlinePhp],
  ['python', outlinePython],
  ['ruby', outlineRuby],
  ['rust', outlineRust],
  ['scala', outlineScala],
  ['shell', outlineShell],
  ['sql', outlineSql],
  ['svelte', outlineComponent],
  ['swift', outlineSwift],
  ['typescript', outlineJavaScript],
  ['vue', outlineComponent],
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
