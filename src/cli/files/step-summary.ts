import { appendFile, stat } from 'node:fs/promises'

/** What GitHub takes as the summary of one step; a longer one is refused whole. */
const MAX_BYTES = 1_048_576

const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/**
 * Appends Markdown to the summary of a step of GitHub Actions.
 *
 * @returns false where it would become too long, and nothing was written.
 */
export async function appendStepSummary(path: string, markdown: string): Promise<boolean> {
  const text = `${markdown.trimEnd()}\n\n`
  if ((await sizeOf(path)) + Buffer.byteLength(text) > MAX_BYTES) return false
  await appendFile(path, text)
  return true
}
