import type { Scope } from '../../src/core/outline.ts'
import { outlineOf } from '../../src/outline/outline.ts'

/** `kind name start-end`, with the container in front of the name: how the tests write a scope. */
export function spans(language: string, text: string): string[] {
  const scopes = outlineOf(text, language)?.scopes ?? []
  return scopes.map(
    scope =>
      `${scope.kind} ${scope.parent === null ? '' : `${scopes[scope.parent]?.name}/`}${scope.name} ${scope.startLine}-${scope.endLine}`,
  )
}

export function scopesOf(language: string, text: string): Scope[] {
  return outlineOf(text, language)?.scopes ?? []
}

export function importsOf(language: string, text: string): string[] {
  return (outlineOf(text, language)?.imports ?? []).map(
    ({ target, names, line }) => `${line} ${target}${names.length > 0 ? ` {${names.join(' ')}}` : ''}`,
  )
}
