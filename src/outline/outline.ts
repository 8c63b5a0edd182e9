import type { Outline } from '../core/outline.ts'
import { CPP, CSHARP, JAVA } from './languages/c-family-lexis.ts'
import { outlineC } from './languages/c-family.ts'
import { outlineComponent } from './component.ts'
import { GO, outlineGo } from './languages/go.ts'
import { outlineCSharp, outlineJava } from './languages/java.ts'
import { outlineJavaScript } from './languages/javascript.ts'
import { JAVASCRIPT } from './languages/javascript-lexis.ts'
import { KOTLIN, outlineKotlin } from './languages/kotlin.ts'
import { tokenizeSource, type Lexis } from './lexis/lexer.ts'
import type { Tokens } from './lexis/tokens.ts'
import { outlinePhp, PHP } from './languages/php.ts'
import { outlinePython, PYTHON } from './languages/python.ts'
import { outlineRuby, RUBY } from './languages/ruby.ts'
import { outlineRust, RUST } from './languages/rust.ts'
import { outlineScala, SCALA } from './languages/scala.ts'
import { outlineShell, SHELL } from './languages/shell.ts'
import { outlineSql, SQL } from './languages/sql.ts'
import { outlineSwift, SWIFT } from './languages/swift.ts'

interface Scanner {
  outline: (text: string) => Outline
  lexis: Lexis
}

const SCANNERS: ReadonlyMap<string, Scanner> = new Map<string, Scanner>([
  ['arduino', { outline: outlineC, lexis: CPP }],
  ['astro', { outline: outlineComponent, lexis: JAVASCRIPT }],
  ['c', { outline: outlineC, lexis: CPP }],
  ['cpp', { outline: outlineC, lexis: CPP }],
  ['csharp', { outline: outlineCSharp, lexis: CSHARP }],
  ['cuda', { outline: outlineC, lexis: CPP }],
  ['cython', { outline: outlinePython, lexis: PYTHON }],
  ['go', { outline: outlineGo, lexis: GO }],
  ['java', { outline: outlineJava, lexis: JAVA }],
  ['javascript', { outline: outlineJavaScript, lexis: JAVASCRIPT }],
  ['kotlin', { outline: outlineKotlin, lexis: KOTLIN }],
  ['php', { outline: outlinePhp, lexis: PHP }],
  ['python', { outline: outlinePython, lexis: PYTHON }],
  ['ruby', { outline: outlineRuby, lexis: RUBY }],
  ['rust', { outline: outlineRust, lexis: RUST }],
  ['scala', { outline: outlineScala, lexis: SCALA }],
  ['shell', { outline: outlineShell, lexis: SHELL }],
  ['sql', { outline: outlineSql, lexis: SQL }],
  ['svelte', { outline: outlineComponent, lexis: JAVASCRIPT }],
  ['swift', { outline: outlineSwift, lexis: SWIFT }],
  ['typescript', { outline: outlineJavaScript, lexis: JAVASCRIPT }],
  ['vue', { outline: outlineComponent, lexis: JAVASCRIPT }],
])

/**
 * Returns what a file defines and imports, read from its text alone: no grammar, one pass over the characters and one
 * over the tokens. Time and result are linear in the length of the text. It never fails, and the same text has the same
 * outline always.
 *
 * @param text - Lines end at `\n` (see `decodeSource`).
 * @param language - As `languageOf` names it.
 * @returns null when there is no scanner for the language; an empty outline when nothing was found.
 */
export function outlineOf(text: string, language: string): Outline | null {
  return SCANNERS.get(language)?.outline(text) ?? null
}

/** The tokens of a file, by which comments and strings are told from code; null when its language has no scanner. */
export function tokensOf(text: string, language: string): Tokens | null {
  const scanner = SCANNERS.get(language)
  return scanner === undefined ? null : tokenizeSource(text, scanner.lexis)
}

/** The languages that have a scanner. */
export const OUTLINED_LANGUAGES: readonly string[] = [...SCANNERS.keys()]

/** The keywords of a language and the characters that begin its literals; none when it has no scanner. */
export function vocabularyOf(language: string): readonly string[] {
  return SCANNERS.get(language)?.lexis.words ?? []
}
