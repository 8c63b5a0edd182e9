import { fileURLToPath } from 'node:url'
import prettier from 'prettier'
import { parseSource, type Source } from './checkout.ts'

const HERE = fileURLToPath(import.meta.url)

/** The sources as the formatter of this project sets them, so that lines of checkouts before it can be compared. */
export async function formatSources(sources: readonly Source[]): Promise<Source[]> {
  const options = await prettier.resolveConfig(HERE)
  return await Promise.all(
    sources.map(async ({ path, text }) =>
      parseSource(path, await prettier.format(text, { ...options, parser: 'typescript' })),
    ),
  )
}
