import { lowerBaseName } from '../../../core/path-names.ts'
import type { Outline } from '../../../core/outline.ts'
import { codeUnits, keywordUnits } from './code-units.ts'
import { jsonUnits } from './json-units.ts'
import { dockerUnits, markupUnits } from './markup-units.ts'
import { listUnits, makeUnits, markdownUnits, settingsUnits, yamlUnits } from './section-units.ts'
import { styleUnits } from './style-units.ts'
import { namesOnly, type FileUnits } from './unit.ts'

/** What a file defines, by its path and text; null for a language that is not known. */
export type OutlineFile = (path: string, text: string) => Outline | null

interface Text {
  text: string
  lines: readonly string[]
}

/** The kinds of files that hold no code, by the end of their names. */
const FORMATS: ReadonlyArray<readonly [names: RegExp, read: (file: Text) => FileUnits]> = [
  [
    /\.(?:json|jsonc|json5|webmanifest|geojson|ipynb|code-workspace|babelrc|eslintrc|prettierrc)$/,
    ({ text }) => jsonUnits(text),
  ],
  [/\.(?:ya?ml|cff|clang-format)$/, ({ lines }) => yamlUnits(lines)],
  [/(?:^|\/)requirements[\w.-]*\.(?:txt|in)$|ignore$|^codeowners$/, ({ lines }) => listUnits(lines)],
  [
    /\.(?:toml|ini|cfg|conf|cnf|properties|editorconfig|env|npmrc|gitconfig|service|desktop)$/,
    ({ lines }) => settingsUnits(lines),
  ],
  [/^\.env(?:\.|$)|^pipfile$/, ({ lines }) => settingsUnits(lines)],
  [/\.(?:md|mdx|markdown)$/, ({ lines }) => markdownUnits(lines)],
  [/\.(?:css|scss|sass|less|pcss)$/, ({ text }) => styleUnits(text)],
  [
    /\.(?:html?|xhtml|xml|svg|xaml|csproj|props|targets|j2|jinja2?|hbs|ejs|erb|tmpl|cshtml|twig)$/,
    ({ text }) => markupUnits(text),
  ],
  [/^(?:docker|container)file(?:\.|$)|\.dockerfile$/, ({ lines }) => dockerUnits(lines)],
  [/^(?:gnu)?makefile(?:\.|$)|\.mak?e?$|\.mk$/, ({ lines }) => makeUnits(lines)],
  [/\.(?:txt|rst|adoc|csv|tsv|log|po|tex)$|^(?:license|licence|copying|notice|authors)/, () => namesOnly([])],
]
/** Components: pages with scripts in them. */
const COMPONENT = /\.(?:vue|svelte|astro)$/

/** The units of a file, by its name and text. */
export function unitsOf(path: string, file: Text, outline: OutlineFile): FileUnits {
  const name = lowerBaseName(path)
  const format = FORMATS.find(([names]) => names.test(name))
  if (format !== undefined) return format[1](file)
  const own = outline(path, file.text)
  const code = own === null ? keywordUnits(file.lines) : codeUnits(own, file.lines)
  if (!COMPONENT.test(name)) return code
  const page = markupUnits(file.text).units.map(unit => ({
    ...unit,
    parent: unit.parent === null ? null : unit.parent + code.units.length,
  }))
  return { ...code, units: [...code.units, ...page], hasLines: false }
}
