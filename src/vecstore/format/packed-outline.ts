import { isScopeKind, type Import, type Outline, type Scope } from '../../core/outline.ts'
import { MAX_PACKED_BYTES, packText, unpackText } from './packed-text.ts'

/**
 * JSON without the names of the fields, compressed. An outline that would be too large to be unpacked again is packed
 * as one of nothing.
 */
export function packOutline({ scopes, imports }: Outline): string | Uint8Array {
  const scopeRows = scopes.map(({ name, kind, startLine, endLine, leadLine, parent }) => [
    name,
    kind,
    startLine,
    endLine,
    leadLine,
    parent,
  ])
  const importRows = imports.map(({ target, line, names }) => [target, line, names])
  const json = JSON.stringify([scopeRows, importRows])
  return packText(Buffer.byteLength(json) > MAX_PACKED_BYTES ? '[[],[]]' : json)
}

const noOutline = (): TypeError => new TypeError('The catalogue holds no outline where one should be.')

function rowsOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw noOutline()
  return value
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

function scopeOf(row: unknown): Scope {
  const [name, kind, startLine, endLine, leadLine, parent] = rowsOf(row)
  if (
    typeof name !== 'string' ||
    !isScopeKind(kind) ||
    !isNumber(startLine) ||
    !isNumber(endLine) ||
    !isNumber(leadLine) ||
    !(parent === null || isNumber(parent))
  ) {
    throw noOutline()
  }
  return { name, kind, startLine, endLine, leadLine, parent }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(text => typeof text === 'string')

function importOf(row: unknown): Import {
  const [target, line, names] = rowsOf(row)
  if (typeof target !== 'string' || !isNumber(line) || !isTexts(names)) throw noOutline()
  return { target, names, line }
}

/** @throws {TypeError} What is packed is no outline: the file is not what its checksum said, which is a bug. */
export function unpackOutline(packed: string | Uint8Array): Outline {
  const [scopes, imports] = rowsOf(JSON.parse(unpackText(packed)))
  return { scopes: rowsOf(scopes).map(scopeOf), imports: rowsOf(imports).map(importOf) }
}
