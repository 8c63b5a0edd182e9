import type { BaseFiles } from './base-files.ts'

/** The texts of these files, in this order; what is no text is left out. */
export async function readTexts(
  { read }: Pick<BaseFiles, 'read'>,
  paths: Iterable<string>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const path of paths) {
    const text = await read(path)
    if (text !== null) texts.set(path, text)
  }
  return texts
}
