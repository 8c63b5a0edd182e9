import type { Scope } from '../../core/outline.ts'

const MAX_NEIGHBOURS = 50

/** The indices of a scope and those around it. */
function chainOf(scopes: readonly Scope[], index: number): number[] {
  const chain: number[] = []
  for (let at: number | null = index; at !== null && !chain.includes(at); at = scopes[at]?.parent ?? null) {
    chain.push(at)
  }
  return chain
}

/** Index of the first scope that begins below a line; scopes stand in the order of their lines. */
function firstAfter(scopes: readonly Scope[], line: number): number {
  let low = 0
  let high = scopes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((scopes[middle]?.leadLine ?? Infinity) <= line) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The scopes that contain a line, the innermost first, as indices of the outline. A comment or decorator right above a
 * definition belongs to it.
 */
export function scopesAround(scopes: readonly Scope[], line: number): number[] {
  let innermost: number | null = null
  for (let at = firstAfter(scopes, line) - 1, near = 0; at >= 0; at--) {
    const scope = scopes[at]
    if (scope === undefined) break
    if (scope.leadLine <= line && line <= scope.endLine) {
      innermost = at
      break
    }
    // leading lines of scopes may overlap others; far ones do not
    if (scope.parent === null && ++near > MAX_NEIGHBOURS) break
  }
  return innermost === null ? [] : chainOf(scopes, innermost)
}

/** `Container.name`; null outside of every scope. */
export function qualifiedName(scopes: readonly Scope[], chain: readonly number[]): string | null {
  return chain.length === 0
    ? null
    : chain
        .map(index => scopes[index]?.name ?? '')
        .reverse()
        .join('.')
}

/** The innermost function of a chain. A type has methods in place of a body. */
export const functionOf = (scopes: readonly Scope[], chain: readonly number[]): number | null =>
  chain.find(index => scopes[index]?.kind === 'function') ?? null
