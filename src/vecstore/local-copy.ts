import { rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { sync } from './format/durable-files.ts'
import { generationPaths, isMissing, listGenerations, projectFolder, unfinishedPaths } from './format/layout.ts'

/**
 * Removes the index of a project that is kept elsewhere, too, and leaves its folder with its settings. Readers that
 * have it open keep it. After a kill at any instant there is the whole index, or none. Nothing may build or put one
 * together meanwhile.
 */
export async function dropIndex(root: string, project: string): Promise<void> {
  const projectDir = projectFolder(root, project)
  const generations = (await listGenerations(projectDir)).reverse() // the newest stands for all until it goes
  await rm(join(projectDir, 'CURRENT'), { force: true })
  const aside: string[] = []
  for (const generation of generations) {
    const { folder } = unfinishedPaths(projectDir, generation) // which a start removes
    await rename(generationPaths(projectDir, generation).folder, folder)
    aside.push(folder)
  }
  await sync(projectDir)
  for (const folder of aside) await rm(folder, { recursive: true, force: true })
}

/** When the index was used last, as far as the disk knows; 0 where there is no such folder. */
export async function lastUseOnDisk(folder: string): Promise<number> {
  try {
    return (await stat(folder)).mtimeMs
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

/** Notes a use for the next start, as the time of the folder itself: its files keep theirs. */
export async function noteUse(folder: string, at: number): Promise<void> {
  await utimes(folder, at / 1_000, at / 1_000).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}
