import type { Import } from '../../core/outline.ts'
import type { Asked } from './asked.ts'
import type { Side } from './side.ts'

/** The names that an import gives to the file: those listed, or the last part of what is imported. */
const boundNames = (imports: readonly Import[]): string[] =>
  imports
    .filter(({ target }) => !/\.h(?:pp|h)?$/.test(target))
    .flatMap(({ target, names }) => (names.length > 0 ? names : target.split(/[./:\\]+/).slice(-1)))
    .filter(name => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'self')

/** Files whose imports may do something without giving a name. */
const ACTING_IMPORTS = /\.(?:[cm]?[jt]sx?|vue|svelte|rb|c|h|cc|cpp|cxx|hpp|php|scss|sass)$/i

/** What the file imports for its effect, and the block does not. */
function lostEffects(before: Side, after: Side, { removes }: Asked): string[] {
  if (!ACTING_IMPORTS.test(before.path)) return []
  const known = new Set(after.imports.map(({ target }) => target))
  return before.imports.flatMap(({ target, names }) =>
    names.length > 0 || known.has(target) || removes(target) ? [] : [target],
  )
}

/** The names that the file imports and the block uses without importing them. */
function usedImports(before: Side, after: Side): string[] {
  const known = new Set([...boundNames(after.imports), ...after.units.map(({ name }) => name)])
  const lost = [...new Set(boundNames(before.imports))].filter(name => !known.has(name))
  if (lost.length === 0) return []
  const code = after.lines.filter(line => !/^\s*(?:#|\/\/|\*)/.test(line)).join('\n')
  return lost.filter(name => {
    const word = name.replaceAll('$', '\\$')
    return (
      new RegExp(`(?<![.\\w$])${word}\\s*[.(]`).test(code) &&
      !new RegExp(`(?<![.\\w$])${word}\\s*(?:=[^=]|:|,|\\))`).test(code)
    )
  })
}

/** What the file imports, the block does not import, and either uses or cannot be seen to use. */
export function lostImports(before: Side, after: Side, asked: Asked): string[] {
  return [...lostEffects(before, after, asked), ...usedImports(before, after)]
}
