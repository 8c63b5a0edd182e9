import type { Import } from '../../../core/outline.ts'
import { isTestFile } from '../../../core/test-files.ts'
import type { OutlineFile } from '../../../edits/parts/units/units-of.ts'

/** What finds the files that the imports of a file mean. */
export interface ImportDeps {
  /** What a file defines and imports; null for a language that nobody reads. */
  outline: OutlineFile
  /** Resolves imports among these paths, as the graph of the index does; it reads nothing. */
  importResolver: (
    paths: readonly string[],
  ) => (imported: Pick<Import, 'target' | 'names'>, importer: string) => string[]
}

/** Imports of one file that are followed; more of them are a table. */
const MAX_IMPORTS = 200
const MAX_FILES = 150
/** Written by tools: the last that anybody reads. */
const GENERATED = /\.pb\.|_pb2(?:_grpc)?\.|[._]generated\.|\.g\.\w+$|(?:^|\/)(?:zz_)?generated[_./]/i

/**
 * The files that some files import, in the order of these and of their imports. They are read from the texts of the
 * commit, relative ones and those by names alike, because an index may be of another commit. Generated files come last.
 *
 * @param paths - What imports may mean; nothing outside of it is found.
 */
export function importedFiles(
  importers: readonly string[],
  { outline, importResolver }: ImportDeps,
  { paths, texts }: { paths: readonly string[]; texts: ReadonlyMap<string, string> },
): string[] {
  const resolve = importResolver(paths)
  const known = new Set(importers)
  const found = new Set<string>()
  for (const importer of importers) {
    const outlined = outline(importer, texts.get(importer) ?? '')
    for (const imported of outlined?.imports.slice(0, MAX_IMPORTS) ?? []) {
      for (const path of resolve(imported, importer)) {
        if (!known.has(path) && (isTestFile(importer) || !isTestFile(path))) found.add(path)
      }
    }
    if (found.size >= MAX_FILES) break
  }
  const all = [...found]
  return [...all.filter(path => !GENERATED.test(path)), ...all.filter(path => GENERATED.test(path))].slice(0, MAX_FILES)
}
