import type { Outline, ScopeKind } from '../core/outline.ts'
import { packText, unpackText } from './packed-text.ts'

type ScopeRow = [name: string, kind: ScopeKind, startLine: number, endLine: number, leadLine: number, parent: number | null]
type ImportRow = [target: string, line: number, names: string[]]

/** JSON without the names of the fields, compressed. */
export function packOutline ({ scopes, imports }: Outline): string | Uint8Array {
  const scopeRows = scopes.map(({ name, kind, startLine, endLine, leadLine, parent }): ScopeRow => [name, kind, startLine, endLine, leadLine, parent])
  const importRows = imports.map(({ target, line, names }): ImportRow => [target, line, names])
  return packText(JSON.stringify([scopeRows, importRows]))
}

export function unpackOutline (packed: string | Uint8Array): Outline {
  const [scopes, imports] = JSON.parse(unpackText(packed)) as [ScopeRow[], ImportRow[]]
  return {
    scopes: scopes.map(([name, kind, startLine, endLine, leadLine, parent]) => ({ name, kind, startLine, endLine, leadLine, parent })),
    imports: imports.map(([target, line, names]) => ({ target, names, line })),
  }
}
