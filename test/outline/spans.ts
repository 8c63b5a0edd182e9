import type { Test } from 'tap'
import type { Scope } from '../../src/core/outline.ts'
import { outlineOf } from '../../src/outline/outline.ts'

/** `kind name start-end`, with the container in front of the name: how the tests write a scope. */
export function spans(language: string, text: string): string[] {
  const scopes = outlineOf(text, language)?.scopes ?? []
  return scopes.map(({ kind, name, parent, startLine, endLine }) => {
    const container = parent === null ? '' : `${scopes[parent]?.name}/`
    return `${kind} ${container}${name} ${startLine}-${endLine}`
  })
}

/** Checks what is found in each of many texts, written as `spans` does with commas between. */
export function checkSpans(t: Test, language: string, forms: ReadonlyArray<readonly [text: string, expected: string]>) {
  for (const [text, expected] of forms) t.equal(spans(language, text).join(', '), expected, text)
}

/** The definitions of a text. */
export function scopesOf(language: string, text: string): Scope[] {
  return outlineOf(text, language)?.scopes ?? []
}

/** `line target {names}`: how the tests write an import. */
export function importsOf(language: string, text: string): string[] {
  return (outlineOf(text, language)?.imports ?? []).map(
    ({ target, names, line }) => `${line} ${target}${names.length > 0 ? ` {${names.join(' ')}}` : ''}`,
  )
}
