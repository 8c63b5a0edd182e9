import { lowerBaseName } from '../../../core/path-names.ts'

/** Files at the root that say what a project is, those that say most first. */
const METADATA: readonly RegExp[] = [
  /^package\.json$/,
  /^pyproject\.toml$/,
  /^go\.mod$/,
  /^cargo\.toml$/,
  /^pom\.xml$/,
  /^build\.gradle(?:\.kts)?$/,
  /^gemfile$/,
  /^composer\.json$/,
  /^(?:[\w.-]+\.csproj|package\.swift|mix\.exs|pubspec\.yaml|build\.sbt|deno\.jsonc?|cmakelists\.txt)$/,
  /^setup\.py$/,
  /^setup\.cfg$/,
  /^requirements[\w.-]*\.txt$/,
  /^pipfile$/,
  /^[\w.-]+\.gemspec$/,
  /^settings\.gradle(?:\.kts)?$/,
  /^claude\.md$/,
  /^readme(?:\.(?:md|markdown|rst|adoc|txt))?$/,
  /^tsconfig\.json$/,
  /^tsconfig\.app\.json$/,
  /^\.eslintrc(?:\.\w+)?$/,
  /^eslint\.config\.\w+$/,
  /^nuxt\.config\.\w+$/,
  /^next\.config\.\w+$/,
  /^vite\.config\.\w+$/,
  /^vue\.config\.js$/,
]

const GUIDE = /^(?:agents|contributing)(?:\.(?:md|markdown|rst|adoc|txt))?$/
/** Where forges look for them beside the root. */
const GUIDE_FOLDERS = ['', '.github/', 'docs/']

const isAtRoot = (path: string): boolean => !path.includes('/')

/** The configuration files and descriptions of a project, in the order in which they are shown. */
export function metadataFiles(paths: readonly string[]): string[] {
  const atRoot = paths.filter(isAtRoot)
  return METADATA.flatMap(pattern => atRoot.filter(path => pattern.test(lowerBaseName(path))))
}

const guidesIn = (paths: readonly string[], folder: string): string[] =>
  paths
    .filter(path => path.startsWith(folder) && GUIDE.test(path.slice(folder.length).toLowerCase()))
    .sort((a, b) => lowerBaseName(a).localeCompare(lowerBaseName(b), 'en'))

/** The folders around a file from the nearest one, each with its slash, without the root. */
function foldersAround(path: string): string[] {
  const folders: string[] = []
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.push(path.slice(0, at + 1))
  return folders
}

/**
 * What a project writes down for whoever works on it, `AGENTS.md` first: at the root, where forges look for it, and in
 * the folders around the files that were chosen.
 */
export function guideFiles(paths: readonly string[], chosen: readonly string[]): string[] {
  const guides = paths.filter(path => GUIDE.test(lowerBaseName(path)))
  const folders = [...GUIDE_FOLDERS, ...chosen.flatMap(foldersAround)]
  return [...new Set([...new Set(folders)].flatMap(folder => guidesIn(guides, folder)))]
}
