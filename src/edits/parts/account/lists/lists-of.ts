import { lowerBaseName } from '../../../../core/path-names.ts'
import type { Side } from '../../side.ts'
import { branchLists } from './branch-lists.ts'
import { linkLists, pipeLists } from './chain-lists.ts'
import { fieldLists, goTagLists } from './field-lists.ts'
import type { List } from './list.ts'
import { sqlLists } from './sql-lists.ts'
import { tagLists } from './tag-lists.ts'
import { dockerLists, keyLists, shellLists, styleLists } from './value-lists.ts'

const SETTINGS =
  ({ isIndented }: { isIndented: boolean }) =>
  (side: Side) =>
    keyLists(side, { isIndented })

/** What of a file stands side by side without brackets, by the end of its name. */
const READERS: ReadonlyArray<readonly [names: RegExp, read: (side: Side) => List[]]> = [
  [/\.(?:css|scss|less|pcss)$/, styleLists],
  [
    /\.(?:vue|svelte|astro|html?|xhtml|xml|svg|xaml|jsx|tsx|js|mjs|blade\.php|erb|ejs|hbs|cshtml)$/,
    ({ text }) => tagLists(text),
  ],
  [/\.(?:toml|ini|cfg|conf|cnf|editorconfig)$/, SETTINGS({ isIndented: true })],
  [/\.(?:ya?ml|properties|npmrc)$|^(?:gnu)?makefile(?:\.|$)|\.mak?e?$|\.mk$/, SETTINGS({ isIndented: false })],
  [/\.(?:sh|bash|zsh|ksh|env)$|^\.env(?:\.|$)|^pkgbuild$/, shellLists],
  [/^(?:docker|container)file(?:\.|$)|\.dockerfile$/, dockerLists],
  [/\.go$/, ({ lines }) => goTagLists(lines)],
  [/\.sql$/, sqlLists],
  [/\.r$/, ({ lines }) => pipeLists(lines)],
]

/** The lists without brackets of a file. */
export function listsOf(side: Side): List[] {
  const name = lowerBaseName(side.path)
  const own = READERS.find(([names]) => names.test(name))?.[1](side) ?? []
  if (side.account !== 'bodies') return own
  const { lines, text } = side
  return [...own, ...linkLists(lines), ...branchLists(lines), ...fieldLists(text)]
}
