import { baseName } from '../../../core/path-names.ts'
import type { CodeReader } from '../../code/code-reader.ts'
import { nameTableOf } from '../name-table.ts'
import type { TraceQuery } from '../trace-query.ts'
import type { RankerHit } from './hits.ts'

const MISSING =
  /(?:No module named|Cannot find (?:module|package)|cannot load such file(?: --)?|ClassNotFoundException:?|NoClassDefFoundError:?|Module not found:?)\s*["'`]?([\p{L}\p{N}_.@/\\-]{1,200})/u
const MANIFEST =
  /^(?:setup\.py|setup\.cfg|pyproject\.toml|MANIFEST\.in|package\.json|[\w-]+\.gemspec|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|CMakeLists\.txt|BUILD)$/
const MAX_FILES = 5

const depthOf = (path: string): number => path.split('/').length - 1

/**
 * Ranks the files that package a project when something that it has was not found at run time: they may have left it
 * out.
 */
export function rankByPackaging(query: TraceQuery, reader: Pick<CodeReader, 'files'>): RankerHit[] {
  const missing = MISSING.exec(query.message.slice(0, 2000))?.[1]
  if (missing === undefined) return []
  const table = nameTableOf(reader.files())
  const parts = missing.split(/[./\\]/).filter(part => part !== '')
  const last = parts.at(-1)
  if (last === undefined || !table.hasName(last)) return []
  return reader
    .files()
    .filter(({ path }) => MANIFEST.test(baseName(path)))
    .sort((a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_FILES)
    .map(({ repository, path }, i) => ({
      repository,
      path,
      score: 1 / (1 + depthOf(path)) / (1 + i),
      why: `says what is packed, and ${last.slice(0, 80)} of the project was not found`,
      lines: [],
    }))
}
