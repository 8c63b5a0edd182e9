import type { OutlineFile } from '../edits/parts/units/units-of.ts'
import { createFolderFilter } from '../indexer/ignored-folders.ts'
import { textTokens } from '../llm/client/request-size.ts'
import type { ContextDeps } from '../pipelines/task/context/gather.ts'
import { kindOfPath } from '../resolver/code/path-kinds.ts'
import { countTokens } from '../tokens/o200k.ts'
import { createImportResolver } from '../vecstore/catalogue/import-resolver.ts'

/** What chooses the files that a coder is shown, beside the search. */
export const taskContext = (outline: OutlineFile): Omit<ContextDeps, 'search'> => ({
  countTokens: text => textTokens(text, countTokens),
  folderFilter: createFolderFilter,
  kindOf: kindOfPath,
  importResolver: createImportResolver,
  outline,
})
